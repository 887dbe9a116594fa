"""Makes up histories of any length for the measurements: routines that repeat with new values in the midst of everyday work.

The same seed gives the same history. A module of its own, because what is measured should not change with how it is measured."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

from kata.model import Call, Event, Json, Outcome, Record, Turn, TurnEnd, TurnStart

EPOCH = 1_700_000_000.0
"""The clock stands here; generated calls come after it, so that nothing is too old to be kept."""
Told = tuple[str, Json, Json]

WORDS = "anchor basil copper dune elm flint gravel heron iris jade kelp linen moss nickel opal pepper quartz rust slate thyme".split()
SERVICES = "checkout ledger courier catalog beacon quota relay vault".split()


class Draw:
    """Values that one occurrence of a routine uses, each the same wherever it stands."""

    def __init__(self, rng: random.Random) -> None:
        number, word, other = rng.randrange(100, 100_000), rng.choice(WORDS), rng.choice(WORDS)
        self.service, self.word, self.number = rng.choice(SERVICES), word, number
        self.branch, self.file = f"feature/{word}-{number}", f"src/{other}/{word}_{number}.py"
        self.mail, self.customer = f"{word}.{other}{number}@example.org", f"CUS-{number * 7 % 99_991:05d}"
        self.tag, self.day = f"{number % 9}.{number % 31}.{number}", f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}"


def shell(command: str, output: str = "", code: int = 0) -> Told:
    """A call of `terminal`, answered in the host's shape."""
    return "terminal", {"command": command}, {"output": output, "exit_code": code, "error": None}


def branch(d: Draw) -> list[Told]:
    pushed = f"To example.org:{d.service}.git\n * [new branch] {d.branch}"
    return [
        shell(f"git checkout -b {d.branch}", f"Switched to a new branch '{d.branch}'"),
        shell("npm ci", "added 412 packages in 9s"),
        shell("npm test", "42 passing"),
        shell(f"git push -u origin {d.branch}", pushed),
    ]


def customer(d: Draw) -> list[Told]:
    orders = [{"id": f"ORD-{d.number + n}", "total": n * 7, "status": "open"} for n in range(3)]
    return [
        ("mcp__crm__find", {"email": d.mail}, {"customer": {"id": d.customer, "name": d.word.title(), "email": d.mail}}),
        ("mcp__crm__orders", {"customer_id": d.customer, "status": "open"}, {"orders": orders}),
        ("mcp__crm__note", {"customer_id": d.customer, "text": "looked at open orders"}, {"ok": True}),
    ]


def measure(d: Draw) -> list[Told]:
    found = {"total_count": 1, "matches": [{"path": d.file, "line": d.number % 90, "content": f"# FIXME({d.word})"}]}
    return [
        ("search_files", {"pattern": f"FIXME({d.word})", "path": "src"}, found),
        ("read_file", {"path": d.file}, {"content": "\n".join(f"{n}|line {n} of {d.word}" for n in range(1, 30)), "total_lines": 29}),
        shell(f"wc -l {d.file}", f"29 {d.file}"),
    ]


def release(d: Draw) -> list[Told]:
    image = f"registry.example.org/{d.service}:{d.tag}"
    return [
        shell(f"docker build -t {image} .", f"naming to {image} done"),
        shell(f"docker push {image}", f"{d.tag}: digest: size: 2417"),
        shell(f"kubectl set image deploy/{d.service} app={image}", f"deployment.apps/{d.service} image updated"),
        shell(f"kubectl rollout status deploy/{d.service}", f'deployment "{d.service}" successfully rolled out'),
    ]


def ticket(d: Draw) -> list[Told]:
    return [
        ("mcp__issues__get", {"number": d.number}, {"issue": {"number": d.number, "title": f"Mend {d.word}", "branch": d.branch}}),
        shell(f"git switch {d.branch}", f"Switched to branch '{d.branch}'"),
        shell("git log --oneline -3", f"{d.number:07x} Mend {d.word}"),
    ]


def morning(d: Draw) -> list[Told]:
    log = shell("git log --oneline -5", f"{d.number:07x} {d.word}")
    return [shell("git fetch origin"), shell("git status --short", f" M {d.file}"), log]


def agenda(d: Draw) -> list[Told]:
    events = {"events": [{"id": f"EV{d.number}", "title": f"{d.word} review", "organizer": d.mail}]}
    body = {"to": d.mail, "subject": "Running late", "body": "I will be five minutes late."}
    return [("mcp__calendar__list", {"day": d.day}, events), ("mcp__mail__send", body, {"sent": True, "id": f"M{d.number}"})]


def loop(d: Draw) -> list[Told]:
    return [shell(f"cat src/{d.word}/part_{n}.txt", f"part {n} of {d.word}") for n in range(2 + d.number % 4)]


ROUTINES: tuple[Callable[[Draw], list[Told]], ...] = (branch, measure, customer, release, ticket, morning, agenda, loop)
COMMANDS = (
    "ls -la src/{w}|cat {f}|grep -rn {w} src|git status|git diff {f}|sed -n 1,40p {f}|python -m pytest -q tests/test_{w}.py|head -20 {f}"
    "|find . -name '{w}*.py'|git add {f}|git commit -m 'Mend {w}'|npm run build|curl -s https://{s}.example.org/health|du -sh {s}"
    "|tail -50 logs/{s}.log|git show {n}|cd {s} && make {w}|ps aux|docker ps|rg {w} --files|mkdir -p out/{w}|rm -f out/{w}.tmp"
    "|kubectl get pods -n {s}|kubectl logs deploy/{s}|git branch --list|make lint|python scripts/{w}.py --id {n}|jq .{w} data/{s}.json"
    "|cat {f} \\| sort \\| uniq -c|for x in {w} {s}; do echo $x; done|ruff check {f}|mypy {f}|env|which {w}|diff {f} out/{w}.py|df -h"
).replace("\\|", "\0")
TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("read_file", ("path",)),
    ("search_files", ("pattern", "path")),
    ("write_file", ("path", "content")),
    ("patch", ("path", "old_string", "new_string")),
    ("web_search", ("query",)),
    ("web_extract", ("urls",)),
    *((f"mcp__{server}__{verb}", ("id",)) for server in ("tracker", "wiki", "metrics") for verb in ("get", "list", "search", "update")),
)


def noise(rng: random.Random) -> Told:
    """One call of everyday work: few kinds are common and many are rare, and some calls fail."""
    d, shells = Draw(rng), COMMANDS.split("|")
    kind = int((len(shells) + len(TOOLS)) ** rng.random()) - 1  # the n-th kind about 1/n as often as the first
    spread = kind * 5 % (len(shells) + len(TOOLS))
    code = int(rng.random() < 0.06)
    if spread < len(shells):
        command = shells[spread].replace("\0", "|").format(w=d.word, f=d.file, s=d.service, n=d.number)
        lines = (f"{d.service} {rng.choice(WORDS)} {rng.randrange(10_000)}" for _ in range(rng.randrange(1, 40)))
        return shell(command, "\n".join(lines), code)
    tool, names = TOOLS[spread - len(shells)]
    values = {"path": d.file, "id": f"{d.word[:2].upper()}-{d.number}", "pattern": d.word}
    items = [{"id": d.number + n, "title": rng.choice(WORDS), "tags": [d.word, d.service]} for n in range(rng.randrange(1, 12))]
    return tool, {name: values.get(name, f"{d.word} {d.number}") for name in names}, {"error": "not found"} if code else {"items": items}


def asked_for(rng: random.Random) -> list[Told]:
    """The calls of one turn: everyday work, in two of five turns with a routine in the midst."""
    routine = rng.choices(ROUTINES, [1 / n for n in range(1, len(ROUTINES) + 1)])[0](Draw(rng)) if rng.random() < 0.4 else []
    before, after = (min(12, int(rng.expovariate(0.4))) for _ in range(2))
    return [*(noise(rng) for _ in range(before)), *routine, *(noise(rng) for _ in range(after + (not routine and not before)))]


def history(calls: int, seed: int, label: str = "h") -> Iterator[Turn]:
    """Turns with so many calls in all, made one at a time: routines that repeat with new values, everyday work, failures."""
    rng, made, chat, at = random.Random(f"{label} {seed}"), 0, 0, EPOCH
    for number in itertools.count():
        if made >= calls:
            return
        chat += number == 0 or rng.random() < 0.4
        told = asked_for(rng)[: calls - made]
        name = f"{label}{number}"
        yield Turn(name, f"{label}chat{chat}", "person", at, tuple(event_of(name, n, one, at) for n, one in enumerate(told)))
        made, at = made + len(told), at + 2 * len(told) + 5


def event_of(turn: str, position: int, told: Told, at: float) -> Event:
    tool, arguments, result = told
    began = at + 2 * position
    outcome = Outcome.read(result)
    return Event(Call(tool, arguments), outcome, turn, f"call_{position}", position, f"{turn}:{position}", began, began + 1)


def records(turn: Turn) -> list[Record]:
    """A turn as the recorder hands it on."""
    return [start_of(turn), *turn.events, end_of(turn)]


def start_of(turn: Turn) -> TurnStart:
    return TurnStart(turn.id, turn.conversation, turn.conversation, "cli", turn.who, turn.started, "Please do it again")


def end_of(turn: Turn) -> TurnEnd:
    return TurnEnd(turn.id, turn.events[-1].ended if turn.events else turn.started)
