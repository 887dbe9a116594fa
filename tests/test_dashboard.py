"""The tab's addresses below /api/plugins/kata/, loaded alone and by path as the host does: every route, its keys, and every refusal.
(A36)"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import published
import pytest
from stand_in import approve, installed, locked, reader
from strategies import NOW, Bench, Clock, Did, bench, opened, proposal_of, raw, routine, sh, tool, traces_of

from kata import commands, savings
from kata.deciding import RESERVED
from kata.model import Call, InputField, Kata, NearMiss, RunRow, State, Status, StepTrace

testclient = pytest.importorskip("fastapi.testclient", reason="FastAPI comes with Hermes: run `python scripts/test.py --only unit`")
from fastapi import FastAPI  # noqa: E402 - where it is missing, the line above has skipped this file

Json = Any
FOLDER = Path(__file__).resolve().parent.parent / "dashboard"
BRIEF = {
    *("id state tool digest version steps inputs support confidence specificity asks".split()),
    *("destructive kinds outline created use taught forced would_save".split()),
}
WHOLE = BRIEF | set(
    (
        "profile chance spec schema effects permissions checks expected fit flow exhibits versions runs savings standing verbs "
        "offers trusted overlaps extends merged_into forced_past moments timetable asked_for suggested_sentence prospect"
    ).split(),
)
TRACE = set("run tool status reason started finished version digest session inputs steps kata".split())


@dataclass
class Tab:
    """The mounted addresses, and a person elsewhere who works on the same file."""

    client: Any
    desk: Bench
    file: Path
    home: Path

    def get(self, path: str, code: int = 200) -> Json:
        return self._told(self.client.get(f"/api/plugins/kata/{path}"), code)

    def post(self, path: str, code: int = 200, **sent: Json) -> Json:
        return self._told(self.client.post(f"/api/plugins/kata/{path}", json=sent), code)

    @staticmethod
    def _told(answer: Any, code: int) -> Json:
        assert answer.headers["content-type"] == "application/json" and answer.status_code == code, answer.text
        told = answer.json()
        if code != 200:
            assert re.fullmatch(r"([A-Z]|kata_).{5,400}", told["error"]), told
        return told

    def proposed(self) -> Kata:
        return self.desk.learn()

    def approve(self, kata: Kata, code: int = 200, **other: Json) -> Json:
        sent = {"name": "todo_notes", "revision": kata.version.number, "digest": kata.version.spec.digest}
        return self.post(f"katas/{kata.id}/approve", code, **(sent | other))


def load() -> Any:
    """The module as the host loads it: by path, without a package."""
    spec = importlib.util.spec_from_file_location("hermes_dashboard_plugin_kata", FOLDER / "plugin_api.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    with installed(tmp_path) as file:
        sys.modules["tools.registry"].registry.schemas.clear()
        app = FastAPI()
        app.state.module = load()
        app.include_router(app.state.module.router, prefix="/api/plugins/kata")
        file.parent.mkdir(parents=True)
        with closing(bench(file, clock=Clock())) as desk, testclient.TestClient(app) as client:
            yield Tab(client, desk, file, tmp_path)


def destroying(number: int) -> tuple[Did, ...]:
    """Two steps of which the second destroys."""
    word = ("amber", "birch", "cobalt")[number % 3]
    return sh(f"ls build/{word}", "a.o"), sh(f"rm -rf build/{word}")


def ran(desk: Bench, kata: Kata, status: Status = Status.OK, run_id: str = "run-1") -> None:
    """A run of two steps as the service keeps it."""
    version = kata.version
    told = (run_id, kata.id, kata.tool, version.number, version.spec.digest, NOW, None, Status.UNKNOWN, "It may still be running.")
    desk.store.begin_run(RunRow(*told, (), {"branch": "topic"}, "s-1"))
    calls = Call("terminal", {"command": "git checkout topic"}), Call("search_files", {"pattern": "TODO", "path": "src"})
    for index, call in enumerate(calls):
        last = status if index else Status.OK
        reason = "no such place" if last is not Status.OK else ""
        desk.store.settle_step(run_id, StepTrace(index, call.tool, last, call, {"n": 2**60}, reason, 1 + index, None, NOW + index, 0.5))
    desk.store.finish_run(run_id, status, "Step 2 failed" if status is not Status.OK else "", NOW + 2)


# ── Loading ──────────────────────────────────────────────────────────────────────────────────────


def test_it_loads_alone_and_does_nothing_at_import(tmp_path: Path) -> None:
    """The host imports it while it starts, and perhaps again later: no thread, no file, no module of ours before the first request."""
    with installed(tmp_path) as file:
        before = {name for name in sys.modules if name.startswith("_kata_dashboard_")}
        load()
        assert {name for name in sys.modules if name.startswith("_kata_dashboard_")} == before and not file.exists()


def test_it_works_beside_the_agent_s_own_copy_of_the_plugin(tab: Tab) -> None:
    """The tests' own `kata` is loaded here as the agent's is there: two packages, one file."""
    kata = tab.proposed()
    assert tab.approve(kata)["state"] == "active"
    assert [one.tool for one in tab.desk.service.active()] == ["kata_todo_notes"]


def test_the_tools_are_looked_up_lazily(tab: Tab) -> None:
    """The registry of the dashboard is empty at start: it is filled by the first approval, not by looking."""
    host, seen = sys.modules["tools.registry"], []
    host.discover_builtin_tools = lambda: seen.append(1)  # type: ignore[attr-defined]
    kata = tab.proposed()
    tab.get(f"katas/{kata.id}")
    assert seen == []
    tab.approve(kata)
    assert seen


def test_the_manifest_names_what_is_there() -> None:
    """K13"""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["label"], manifest["tab"]["path"]) == ("kata", "Kata", "/kata")
    assert all((FOLDER / manifest[key]).is_file() for key in ("entry", "css", "api"))


@pytest.mark.parametrize("name", ["plugin_api", "desk", "acts", "views"])
def test_the_tab_uses_the_service_and_touches_no_file_or_database_itself(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    known = {"__future__", "collections.abc", "dataclasses", "difflib", "math", "typing"}
    door = {"fastapi", "hashlib", "importlib", "importlib.machinery", "importlib.util", "json", "pathlib", "sys", "threading"}
    assert names <= known | (door if name == "plugin_api" else set())


# ── Looking ──────────────────────────────────────────────────────────────────────────────────────


def test_an_overview_of_nothing_says_when_there_will_be_something(tab: Tab) -> None:
    """K106"""
    told = tab.get("overview")
    keys = "profile version recording waiting active attention counts broken near facts counters min_support mining savings"
    assert set(told) == set(keys.split())
    assert told["waiting"] == told["active"] == [] and told["min_support"] == 3 and told["recording"] == {"on": True, "why": ""}
    assert told["savings"] == {"katas": [], "saved": None, "left": 0} and told["profile"] == "default"
    assert told["counts"] == {"waiting": 0, "active": 0, "attention": 0}


def test_the_overview_shows_what_waits_what_is_used_and_what_is_paused(tab: Tab) -> None:
    kata = tab.proposed()
    assert [row["id"] for row in tab.get("overview")["waiting"]] == [kata.id] and set(tab.get("overview")["waiting"][0]) == BRIEF
    tab.approve(kata)
    ran(tab.desk, tab.desk.service.find(str(kata.id)))
    tab.desk.service.pause(True)
    told = tab.get("overview")
    assert told["waiting"] == [] and [row["use"] for row in told["active"]] == [{"runs": 1, "good": 1, "last": NOW}]
    assert told["recording"] == {"on": False, "why": "paused with 'record off'"}


def test_a_kata_that_was_changed_outside_needs_attention_and_is_not_shown(tab: Tab) -> None:
    """T42"""
    kata = tab.proposed()
    with tab.desk.store._using("IMMEDIATE") as db:
        db.execute("UPDATE versions SET spec = replace(spec, 'git', 'gti')")
    assert [row["id"] for row in tab.get("overview")["broken"]] == [kata.id]
    assert "changed outside" in tab.get(f"katas/{kata.id}", 409)["error"]


def test_a_kata_whose_examples_were_changed_outside_is_told_before_long(tab: Tab) -> None:
    """T42: they are the most of a kata, and a page that asks every few seconds reads them only now and then."""
    kata = tab.proposed()
    assert tab.get("overview")["broken"] == []
    with tab.desk.store._using("IMMEDIATE") as db:
        db.execute("UPDATE versions SET exhibits = x'4A00'")
    assert [row["id"] for row in tab.get("overview")["waiting"]] == [row["id"] for row in tab.get("katas")["katas"]] == [kata.id]
    tab.client.app.state.module._kept.clear()  # as after ten minutes
    assert [row["id"] for row in tab.get("overview")["broken"]] == [kata.id] == [row["id"] for row in tab.get("overview")["broken"]]


def test_a_kata_in_use_whose_examples_were_changed_outside_hides_no_other(tab: Tab) -> None:
    """T42"""
    kata = tab.desk.approved("todo_notes")
    with tab.desk.store._using("IMMEDIATE") as db:
        db.execute("UPDATE versions SET exhibits = x'4A00'")
    told = tab.get("overview")
    assert [row["id"] for row in told["active"]] == [kata.id] == [row["id"] for row in told["broken"]]
    assert told["savings"]["katas"] == [] and tab.desk.service.active() == ()
    assert all(tab.get(path) for path in ("katas", "near", "audit", "runs")) and "packed JSON" in tab.get(f"katas/{kata.id}", 503)["error"]


def test_the_overview_shows_the_first_page_of_each_list_and_counts_the_rest(tab: Tab) -> None:
    """K106"""
    kata = tab.proposed()
    more = [replace(kata.version.spec, help=f"Number {number}.") for number in range(24)]
    for number, spec in enumerate(more):
        assert tab.desk.store.propose(proposal_of(kata, spec=spec, fingerprint=f"f{number}"), NOW)
    lefts = [tab.get("overview")["savings"]["left"] for _ in range(3)]
    told = tab.get("overview")
    assert lefts == sorted(lefts, reverse=True) and lefts[0] > lefts[-1] == 0
    assert len(told["waiting"]) == 20 and told["waiting"] == tab.get("katas")["katas"]
    assert told["counts"] == {"waiting": 25, "active": 0, "attention": 0}
    assert len({row["id"] for page in (1, 2) for row in tab.get(f"katas?page={page}")["katas"]}) == 25


def test_accounts_are_reckoned_a_few_at_a_time_until_none_is_due(tab: Tab) -> None:
    """K106: what one costs grows with what was done."""
    first = tab.desk.approved("todo_notes")
    second = tab.desk.learn(make=destroying)
    tab.approve(second, name="clear_build", confirm="kata_clear_build")
    found = [tab.get("overview")["savings"] for _ in range(3)]
    assert [(len(one["katas"]), one["left"]) for one in found] == [(1, 1), (2, 0), (2, 0)]
    whole = [one.to_json() for one in savings.all_worth(tab.desk.service)]
    assert [(one["kata"], one["tool"]) for one in found[2]["katas"]] == [(one["kata"], one["tool"]) for one in whole]
    ran(tab.desk, tab.desk.service.find(str(first.id)))
    assert [tab.get("overview")["savings"]["left"] for _ in range(3)] == [1, 0, 0]


def test_katas_are_listed_by_state_by_words_and_page_by_page(tab: Tab) -> None:
    """K107"""
    first = tab.proposed()
    tab.desk.learn(make=destroying)
    told = tab.get("katas")
    assert set(told) == {"katas", "total", "page", "pages", "size", "state"} and told["total"] == 2 and set(told["katas"][0]) == BRIEF
    assert [row["id"] for row in tab.get("katas?q=GIT%20checkout")["katas"]] == [first.id]
    assert tab.get("katas?q=nothing-such")["katas"] == []
    second = tab.get("katas?size=1&page=2")
    assert (second["pages"], second["page"], len(second["katas"])) == (2, 2, 1) and tab.get("katas?size=1&page=3")["katas"] == []
    tab.post(f"katas/{first.id}/reject")
    assert [row["state"] for row in tab.get("katas?state=rejected")["katas"]] == ["rejected"] and tab.get("katas")["total"] == 1
    assert tab.get("katas?state=proposal")["total"] == tab.get("katas?state=candidate,active")["total"] == 1


@pytest.mark.parametrize(
    "path", ["katas?state=odd", "katas?page=0", "katas?page=x", "katas?size=101", "katas?size=²", "audit?limit=501", "runs?limit=-1"]
)
def test_a_question_that_is_not_understood_is_one_sentence(tab: Tab, path: str) -> None:
    assert tab.get(path, 422)["error"].startswith("Expected")


def test_one_kata_is_told_whole(tab: Tab) -> None:
    """K108, K18: spec, versions, examples side by side, validation, effects, runs."""
    kata = tab.proposed()
    told = tab.get(f"katas/{kata.id}")
    assert set(told) == WHOLE and told["digest"] == kata.version.spec.digest and told["spec"] == kata.version.spec.to_json()
    assert len(told["checks"]) == 12 and told["savings"] is None and told["verbs"] == [*"approve reject snooze".split()]
    assert told["permissions"]["asks"] is kata.version.spec.asks and told["schema"]["type"] == "object"
    assert [set(row) for row in told["exhibits"]] == [{"conversation", "at", "fits", "steps"}] * 3


def test_what_is_expected_of_each_step_is_told_and_what_was_relaxed(tab: Tab) -> None:
    """T50: as the review in a chat tells it, by the names under which a person relaxes it."""
    kata = tab.proposed()
    expected = tab.get(f"katas/{kata.id}")["expected"]
    assert {row["step"] for row in expected} <= set(range(1, 6)) and {row["relaxed"] for row in expected} == {False}
    name, text = expected[0]["check"], expected[0]["expected"]
    tab.approve(kata)
    tab.desk.service.relax(str(kata.id), name, "cli")
    told = tab.get(f"katas/{kata.id}")
    assert told["expected"][0] == {"step": expected[0]["step"], "check": name, "expected": text, "relaxed": True}
    assert len(told["versions"]) == 2 and told["standing"] is None


def test_the_flow_names_every_source_with_its_recorded_values_and_every_use(tab: Tab) -> None:
    kata = tab.proposed()
    flow = tab.get(f"katas/{kata.id}")["flow"]
    assert [step["step"] for step in flow["steps"]] == [1, 2, 3, 4, 5]
    given = next(one for one in flow["sources"] if one["kind"] == "input")
    taken = next(one for one in flow["sources"] if one["kind"] == "step")
    assert given["source"] == "input:branch" and len(given["values"]) == 3 and taken["label"] == "matches.0.path" and taken["step"] == 2
    assert {use["source"] for use in flow["uses"]} == {one["source"] for one in flow["sources"]}
    assert all(taken["step"] < use["step"] for use in flow["uses"] if use["source"] == taken["source"])


def test_examples_are_word_for_word_what_was_recorded_with_the_varying_parts_marked(tab: Tab) -> None:
    kata = tab.proposed()
    for shown, kept in zip(tab.get(f"katas/{kata.id}")["exhibits"], kata.version.exhibits, strict=True):
        assert shown["fits"]
        for row, call in zip(shown["steps"], kept.calls, strict=True):
            texts = {one["name"]: "".join(piece["text"] for piece in one["pieces"]) for one in row["arguments"]}
            assert texts == dict(call.arguments)
        assert any("source" in piece for row in shown["steps"] for one in row["arguments"] for piece in one["pieces"])


def test_a_later_version_says_what_it_changed(tab: Tab) -> None:
    """K89: every version with readable differences."""
    tab.proposed()
    kata = tab.desk.revised()
    rows = tab.get(f"katas/{kata.id}")["versions"]
    assert rows[0]["current"] and rows[-1]["changes"] is None
    words = [(one["what"], one["before"], one["after"]) for one in rows[0]["changes"]]
    assert any(what.startswith("Input") and "is new" in what for what, _, _ in words), words
    assert any(what == "Step 2 changed" and "src" in before and "‹" in after for what, before, after in words), words


def test_a_whole_number_arrives_whole_and_odd_text_arrives(tab: Tab) -> None:
    """B46: half characters, and numbers that a browser would round."""
    odd = "\ud835 \x1b[31m \u202egpj"

    def make(number: int) -> tuple[Did, ...]:
        return tool("look", {"id": 2**60 + number}, q=f"{odd}{'abc'[number]}xyz"), tool("use", None, id=2**60 + number, q=odd)

    kata = tab.desk.learn(make=make)
    told = json.dumps(tab.get(f"katas/{kata.id}"))
    assert {f'"{2**60 + n}"' in told for n in range(3)} == {True} and "\\ud835" in told


def test_runs_are_listed_and_one_is_told_with_times_retries_and_what_the_agent_was_told(tab: Tab) -> None:
    kata = tab.desk.approved("todo_notes")
    ran(tab.desk, kata)
    ran(tab.desk, kata, Status.ERROR, "run-2")
    rows = tab.get("runs")["runs"]
    assert [row["run"] for row in rows] == ["run-2", "run-1"] and set(rows[0]) == TRACE
    assert tab.get("runs?kata=todo_notes&limit=1")["runs"][0]["run"] == "run-2"
    told = tab.get("runs/run-2")
    assert set(told) == TRACE | {"answer", "next", "effects", "left", "may_be_wrong"}
    assert [step["seconds"] for step in told["steps"]] == [0.5, 0.5]
    first, second = told["steps"]
    assert second["attempts"] == 2 and first["began"] == NOW and first["result"] == '{"n":1152921504606846976}'
    assert json.loads(told["answer"])["error"] and told["next"].startswith("search_files")
    assert tab.get("runs/run-1")["next"] == ""


def test_near_misses_say_which_rule_failed_and_what_it_needs(tab: Tab) -> None:
    keys = ("terminal(command): git pull | make", "read_file(path)", "terminal(command): =0123456789abcdef")
    tab.desk.store.misses({7: NearMiss(keys, "loop", "one step repeats 2 to 5 times", 4, "f")})
    (near,) = tab.get("near")["near"]
    assert set(near) == {"id", "steps", "names", "rule", "detail", "support", "needs", "barred"}
    assert near["names"] == ["git pull | make", "read_file", "terminal"]
    assert near["needs"].startswith("a later version")


def test_a_near_miss_is_put_into_review_and_taken_back(tab: Tab) -> None:
    """T20, T68: marked with the rule that it fails and its odd example; what protects a run is refused with the reason."""
    for number in range(3):
        first, second, *rest = routine(number)
        hit = {"total": 1, "matches": [{"path": str(rest[0].arguments["path"]), "line": 3}]}
        tab.desk.turn(f"c{number}", first, tool("search_files", hit, pattern="FIXME", path="lib") if number == 2 else second, *rest)
        tab.desk.service.mine(None)
    miss = next(one for one in tab.get("near")["near"] if len(one["steps"]) == 5)
    made = tab.post(f"near/{miss['id']}/review")
    told = tab.get(f"katas/{made['id']}")
    assert (told["forced"], told["forced_past"]["odd"]["step"]) == (miss["rule"], 2)
    assert miss["id"] not in [one["id"] for one in tab.get("near")["near"]]
    last = tab.get("audit")["last"]
    assert tab.post("undo", at=last["at"], kata=made["id"])["undone"] == "force"
    assert miss in tab.get("near")["near"]
    tab.desk.store.misses({7: NearMiss(("a()", "b()"), "opaque", "", 4, "0123abcd")})
    assert "is not known before it runs" in tab.post("near/0123abcd/review", 409)["error"]
    tab.post("near/99999999/review", 409)


def test_the_audit_log_names_who_did_what(tab: Tab) -> None:
    """K109, K92"""
    kata = tab.proposed()
    tab.approve(kata)
    told = tab.get("audit?limit=1")
    assert set(told) == {"audit", "more", "decisions", "broken", "last"} and told["more"] and (told["decisions"], told["broken"]) == (2, 0)
    (row,) = told["audit"]
    assert (row["actor"], row["verb"], row["tool"], row["after"]) == ("dashboard", "approve", "kata_todo_notes", "active")


# ── Deciding ─────────────────────────────────────────────────────────────────────────────────────


def test_an_approval_makes_the_tool_that_was_shown(tab: Tab) -> None:
    """K110, K4"""
    kata = tab.proposed()
    told = tab.approve(kata)
    assert set(told) == BRIEF and (told["state"], told["tool"], told["digest"]) == ("active", "kata_todo_notes", kata.version.spec.digest)
    assert "active by now" in tab.approve(kata, 409)["error"], "twice is once"


def test_an_approval_of_what_was_not_shown_is_refused_with_what_changed(tab: Tab) -> None:
    shown = tab.proposed()
    now = tab.desk.revised()
    told = tab.approve(shown, 409)
    assert told["digest"] == now.version.spec.digest and told["version"] == now.version.number
    assert any("is new" in one["what"] for one in told["changed"]), told
    assert tab.desk.service.active() == () and tab.approve(now)["state"] == "active"


@pytest.mark.parametrize("digest", [None, "", "abcd1234", 7, ["x"], "0" * 63])
def test_an_approval_without_the_whole_digest_is_refused(tab: Tab, digest: Json) -> None:
    kata = tab.proposed()
    assert "digest" in tab.approve(kata, 422, digest=digest)["error"] and tab.desk.service.active() == ()


@pytest.mark.parametrize("revision", [None, "1", True, 1.5])
def test_an_approval_without_the_revision_is_refused(tab: Tab, revision: Json) -> None:
    assert "revision" in tab.approve(tab.proposed(), 422, revision=revision)["error"]


@pytest.mark.parametrize("name", ["", "Not a name", "9x", "a" * 60, "<img>", None, 7, *sorted(RESERVED)[:2]])
def test_a_name_that_is_none_is_refused(tab: Tab, name: Json) -> None:
    assert tab.approve(tab.proposed(), 422, name=name) and tab.desk.service.active() == ()


def test_a_name_that_is_taken_is_refused(tab: Tab) -> None:
    tab.desk.approved("todo_notes")
    other = tab.desk.learn(make=destroying)
    assert "taken" in tab.approve(other, 422)["error"]


def test_what_destroys_is_approved_only_with_its_name_typed_again(tab: Tab) -> None:
    """T44"""
    kata = tab.desk.learn(make=destroying)
    assert tab.get(f"katas/{kata.id}")["destructive"]
    for typed in (None, "", "yes", 7, ["kata_todo_notes"]):
        assert "type kata_todo_notes" in tab.approve(kata, 422, confirm=typed)["error"]
    assert tab.approve(kata, confirm="kata_todo_notes")["state"] == "active"


def test_what_is_enabled_is_what_was_on_the_screen(tab: Tab) -> None:
    kata = tab.proposed()
    tab.approve(kata)
    tab.post(f"katas/{kata.id}/disable")
    assert "nothing was changed" in tab.post(f"katas/{kata.id}/enable", 409, revision=1, digest="0" * 64)["error"]
    assert tab.post(f"katas/{kata.id}/enable", revision=1, digest=kata.version.spec.digest)["state"] == "active"


def test_reject_disable_and_enable_do_what_they_say_and_refuse_what_they_cannot(tab: Tab) -> None:
    """K111, K112, K113"""
    kata = tab.proposed()
    assert tab.post(f"katas/{kata.id}/disable", 409) and tab.post(f"katas/{kata.id}/enable", 409)
    tab.approve(kata)
    assert "active" in tab.post(f"katas/{kata.id}/reject", 409)["error"]
    assert tab.post(f"katas/{kata.id}/disable")["state"] == "disabled" and tab.post("katas/todo_notes/enable")["state"] == "active"
    other = tab.desk.learn(make=destroying)
    assert tab.post(f"katas/{other.id}/reject")["state"] == "rejected" and tab.approve(other, 409)
    decided = [row for row in tab.desk.store.audit(9) if row.actor != "system"]
    assert [row.verb for row in decided] == ["reject", "enable", "disable", "approve"] and {row.actor for row in decided} == {"dashboard"}


def test_rollback_takes_an_approved_version_and_no_other(tab: Tab) -> None:
    """K114, K91"""
    first = tab.proposed()
    assert "proposal" in tab.post(f"katas/{first.id}/rollback", 409, version=1)["error"]
    tab.approve(first)
    for version, code in ((None, 422), ("1", 422), (True, 422), (99, 409), (1, 409)):
        assert tab.post(f"katas/{first.id}/rollback", code, version=version)["error"]
    assert tab.get(f"katas/{first.id}")["verbs"] == ["disable", "trust"]
    other = replace(first.version.spec, inputs=(*first.version.spec.inputs, InputField("unused", "string", default="x")))
    told = {"digest": first.version.spec.digest, "actor": "system", "verb": "drift", "now": NOW}
    tab.desk.store.transition(first.id, before=(State.ACTIVE,), after=State.STALE, **told)
    kata = tab.desk.store.prepare(proposal_of(first, spec=other), NOW)
    assert kata is not None
    told = tab.get(f"katas/{kata.id}")
    assert told["standing"]["version"] == 1 and told["standing"]["changes"][0]["what"] == "Input unused is new"
    assert told["verbs"] == ["approve", "disable", "rollback"]
    back = tab.post(f"katas/{kata.id}/rollback", version=1)
    assert (back["version"], back["digest"], back["state"]) == (1, first.version.spec.digest, "active")


def test_a_rejection_can_be_lifted(tab: Tab) -> None:
    kata = tab.proposed()
    tab.post(f"katas/{kata.id}/reject")
    assert tab.get(f"katas/{kata.id}")["verbs"] == ["forget"]
    assert tab.post(f"katas/{kata.id}/forget")["state"] == "candidate"


def test_mining_tells_what_it_found_and_whether_more_waits(tab: Tab) -> None:
    """K115"""
    for number in range(3):
        tab.desk.turn(f"c{number}", *routine(number))
    told = tab.post("mine")
    assert set(told) == {"turns", "looked", "waiting", "left", "busy", "proposed", "near"}
    assert told["turns"] == 3 and len(told["proposed"]) == 1
    left = [tab.post("mine")["left"] for _ in range(9)]
    assert not left[-1], "a few at a time, until nothing waits"


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["", "nothing", "katas/1/approve", "overview/x", "katas/1/2/3", "plugin_api.py"])
def test_an_address_that_is_not_there_is_a_plain_404(tab: Tab, path: str) -> None:
    assert tab.get(path, 404)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST"])
def test_a_method_that_is_not_there_is_a_plain_404(tab: Tab, method: str) -> None:
    assert tab.client.request(method, "/api/plugins/kata/overview", json={}).status_code == 404


@pytest.mark.parametrize("word", ["99", "nothing", "0", "1e5", "%00", "a" * 500, "<script>"])
def test_a_kata_that_is_not_there_is_a_404_for_every_verb(tab: Tab, word: str) -> None:
    assert tab.get(f"katas/{word}", 404)
    for verb in ("approve", "reject", "disable", "enable", "rollback", "forget"):
        assert tab.post(f"katas/{word}/{verb}", 404)
    assert tab.get(f"runs/{word}", 404) and tab.get(f"runs?kata={word}", 404)


def test_a_decision_is_taken_only_from_json(tab: Tab) -> None:
    """A form on another page cannot send JSON."""
    kata, path = tab.proposed(), "/api/plugins/kata/katas/1/reject"
    for content, kind, code in ((b"{}", "text/plain", 415), (b"{", "application/json", 422), (b"[]", "application/json", 422)):
        answer = tab.client.post(path, content=content, headers={"content-type": kind})
        assert answer.status_code == code and answer.json()["error"].startswith("Expected")
    large = tab.client.post(path, content=b"{" + b" " * 70_000, headers={"content-type": "application/json"})
    assert large.status_code == 413 and tab.desk.service.find(str(kata.id)).state is State.CANDIDATE


def test_looking_changes_nothing(tab: Tab) -> None:
    kata = tab.proposed()
    before = tab.desk.store.generation(), tab.desk.store.shown("dashboard", kata.id), len(tab.desk.store.audit(9))
    for path in ("overview", "katas", f"katas/{kata.id}", "near", "audit", "runs"):
        tab.get(path)
    assert (tab.desk.store.generation(), tab.desk.store.shown("dashboard", kata.id), len(tab.desk.store.audit(9))) == before


def test_a_file_that_another_process_holds_is_a_sentence_and_a_503(tab: Tab) -> None:
    tab.proposed()
    tab.desk.close()
    with locked(tab.file):
        assert tab.get("overview", 503)["error"]
    assert tab.get("overview")["waiting"]


def test_a_newer_file_is_a_sentence_and_a_503(tab: Tab) -> None:
    tab.proposed()
    with tab.desk.store._using("IMMEDIATE") as db:
        db.execute("PRAGMA user_version = 9999")
    assert "newer" in tab.get("katas", 503)["error"]


def test_an_example_that_does_not_fit_is_shown_as_it_was_and_says_so(tab: Tab) -> None:
    """A13: an odd example is shown."""
    kata = tab.proposed()
    first = kata.version.exhibits[0]
    odd = replace(first, events=(replace(first.events[0], call=Call("terminal", {"command": "<b>odd</b>"})), *first.events[1:]))
    found = proposal_of(kata, exhibits=(odd, *kata.version.exhibits[1:]))
    tab.desk.store.propose(found, NOW)
    shown = tab.get(f"katas/{kata.id}")["exhibits"][0]
    assert not shown["fits"] and shown["steps"][0]["arguments"] == [{"name": "command", "pieces": [{"text": "<b>odd</b>"}]}]


def test_a_run_that_nobody_saw_end_has_no_answer_yet(tab: Tab) -> None:
    kata = tab.desk.approved("todo_notes")
    told = ("run-9", kata.id, kata.tool, 1, kata.version.spec.digest, NOW, None, Status.UNKNOWN, "It may still be running.")
    tab.desk.store.begin_run(RunRow(*told, (), {}, ""))
    tab.desk.store.begin_step("run-9", StepTrace(0, "terminal", Status.UNKNOWN, Call("terminal", {"command": "x"}), attempts=1))
    shown = tab.get("runs/run-9")
    assert shown["answer"] == "" and shown["finished"] is None and shown["steps"][0]["may_be_running"]


# ── Secrets ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["ghp_{w36}", "sk-ant-api03-{u93}AA", "AKIA{A16}", "hvs.{w90}", "beside a name"])
def test_no_secret_is_in_an_answer_a_page_a_log_or_the_bytes_of_the_file(tab: Tab, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    """T7: in arguments, results, errors, the user's words, keys and the values of a run; asked of every address and of every command."""
    caplog.set_level("DEBUG")
    secret = published.secret("{w24}" if kind == "beside a name" else kind, 7)
    said = f"API_TOKEN={secret}" if kind == "beside a name" else secret
    for number in range(3):
        leaky = (
            sh(f"curl -H 'Authorization: Bearer {secret}' https://example.org/{number}", f"got {said}"),
            Did("mcp_box_put", {"env": {"API_TOKEN": secret}, "n": number}, json.dumps({"password": secret, "rows": [{"token": secret}]})),
            Did("fetch", {"where": said}, json.dumps({"error": f"denied: {said}"})),
        )
        tab.desk.turn(f"c{number}", *leaky, *routine(number), message=f"please use {said}")
        tab.desk.service.mine()
    for kata in tab.desk.service.katas():
        ran(tab.desk, kata, Status.ERROR, f"run-{kata.id}")
    told = [tab.client.get(f"/api/plugins/kata/{path}").text for path in ("katas", "runs", "near", "audit", "status")]
    told += [tab.client.get(f"/api/plugins/kata/katas/{kata.id}").text for kata in tab.desk.service.katas()]
    verbs = (["list"], ["near"], ["runs"], ["status"], ["audit"], *(["review", str(kata.id)] for kata in tab.desk.service.katas()))
    answers = [commands.run(tab.desk.service, words, "cli") for words in verbs]
    told += [text for answer in answers for text in (answer.text, json.dumps(answer.json, default=str))]
    assert tab.desk.service.katas() and len("".join(told)) > 5_000
    everything = "\n".join((*told, caplog.text)).encode() + raw(tab.file) + opened(tab.file)
    assert traces_of(secret, everything) == []


# ── Beyond the first decisions ───────────────────────────────────────────────────────────────────


def shown(kata: Kata) -> dict[str, Json]:
    """What says which revision was on the screen."""
    return {"revision": kata.version.number, "digest": kata.version.spec.digest}


def in_use(tab: Tab, name: str, make: Callable[[int], tuple[Did, ...]]) -> Kata:
    kata = tab.desk.learn(make=make)
    tab.desk.service.review(str(kata.id), "cli")
    return tab.desk.service.approve(str(kata.id), name, "cli", confirm=name)


def test_a_proposal_is_put_away_and_the_last_decision_taken_back(tab: Tab) -> None:
    """T68: what is taken back is the decision that was shown, and no other."""
    kata = tab.proposed()
    told = tab.post(f"katas/{kata.id}/snooze")
    assert told["until"] > NOW and tab.get("overview")["waiting"] == []
    last = tab.get("audit")["last"]
    assert (last["verb"], last["kata"]) == ("snooze", kata.id)
    assert "is another by now" in tab.post("undo", 409, at=last["at"] - 1, kata=kata.id)["error"]
    assert tab.post("undo", at=last["at"], kata=kata.id)["undone"] == "snooze"
    assert len(tab.get("overview")["waiting"]) == 1 and tab.get("audit")["last"] is None
    assert "cannot be taken back" in tab.post("undo", 409)["error"]


def test_what_is_edited_and_relaxed_is_the_revision_that_was_shown(tab: Tab) -> None:
    """T69, T50"""
    kata = tab.proposed()
    done = tab.post(f"katas/{kata.id}/edit", words=["input", "branch", "name", "topic"], **shown(kata))
    assert done["inputs"] == ["topic"] and any("topic" in one["after"] for one in done["changes"])
    assert "changed while you looked" in tab.post(f"katas/{kata.id}/edit", 409, words=["drop", "5"], **shown(kata))["error"]
    now = tab.desk.service.find(str(kata.id))
    for words in (None, [], ["approve"], ["help", ""], ["drop", 5], ["help", "x" * 3_000]):
        tab.post(f"katas/{kata.id}/edit", 422, words=words, **shown(now))
    check = tab.get(f"katas/{kata.id}")["expected"][0]["check"]
    tab.post(f"katas/{kata.id}/relax", check=check, **shown(now))
    assert tab.get(f"katas/{kata.id}")["expected"][0]["relaxed"] is True
    tab.post(f"katas/{kata.id}/relax", 422, check=1, **shown(tab.desk.service.find(str(kata.id))))


def test_trust_is_given_and_taken_back_and_never_to_what_acts_outside(tab: Tab) -> None:
    """T40"""
    kata = tab.desk.approved("todo_notes")
    tab.post(f"katas/{kata.id}/trust", **shown(kata))
    told = tab.get(f"katas/{kata.id}")
    assert told["trusted"] and "untrust" in told["verbs"] and "trust" not in told["verbs"]
    tab.post(f"katas/{kata.id}/untrust")
    assert not tab.get(f"katas/{kata.id}")["trusted"]
    grave = in_use(tab, "clear_it", destroying)
    assert "trust" not in tab.get(f"katas/{grave.id}")["verbs"]
    assert "no trust changes that" in tab.post(f"katas/{grave.id}/trust", 409, **shown(grave))["error"]


def test_a_run_that_did_wrong_makes_a_proposal_of_its_kata(tab: Tab) -> None:
    """T68"""
    kata = tab.desk.approved("todo_notes")
    ran(tab.desk, kata)
    assert tab.get("runs/run-1")["may_be_wrong"] is True and tab.get("runs/run-1")["left"] is None
    assert tab.post("runs/run-1/wrong")["state"] == "candidate"
    assert tab.get("runs/run-1")["may_be_wrong"] is False
    assert "There is no run" in tab.post("runs/other/wrong", 404)["error"]


def test_a_dry_run_shows_what_would_be_called_and_calls_nothing(tab: Tab) -> None:
    """T54"""
    kata = tab.desk.approved("todo_notes")
    told = tab.post(f"katas/{kata.id}/plan", inputs={"branch": "topic-9"})
    assert told["dry_run"] and told["steps"][0]["line"] == "git checkout topic-9" and tab.desk.store.runs() == ()
    assert told["folder"] == str(tab.home / "project")
    assert "Expected" in tab.post(f"katas/{kata.id}/plan", 422, inputs={"branch": 3})["error"]
    tab.post(f"katas/{kata.id}/plan", 422, inputs={"other": "x"})
    assert tab.get(f"katas/{kata.id}")["offers"]["refused"].startswith("it does more than read")


def test_only_what_reads_runs_here_and_as_it_was_shown(tab: Tab) -> None:
    """T78: the rule of `/kata run`; the tools are the host's, and nothing is asked."""
    host, calls = sys.modules["tools.registry"].registry, list[tuple[str, Json]]()

    def dispatch(name: str, given: Json, **ids: Json) -> str:
        calls.append((name, given))
        return '{"content": "x"}' if name == "read_file" else '{"output": "1 x.txt", "exit_code": 0, "error": null}'

    host.dispatch = dispatch
    host.schemas = {name: {"parameters": {"type": "object"}} for name in ("terminal", "read_file")}
    kata = approve(tab.file, reader("path"), "peek_at")
    assert tab.get(f"katas/{kata.id}")["offers"]["refused"] == ""
    told = tab.post(f"katas/{kata.id}/run", inputs={"path": "x.txt"}, **shown(kata))
    assert "error" not in told and [name for name, _ in calls] == ["read_file", "terminal"]
    assert tab.get("runs")["runs"][0]["status"] == "ok"
    tab.post(f"katas/{kata.id}/run", 409, inputs={"path": "x.txt"}, revision=1, digest="0" * 64)
    writer = tab.desk.approved("todo_notes")
    refused = tab.post(f"katas/{writer.id}/run", 409, inputs={"branch": "b"}, **shown(writer))
    assert "ask the agent" in refused["error"] and len(calls) == 2


def at_home(number: int) -> tuple[Did, ...]:
    """The usual routine, whose answers tell where it was done."""
    return tuple(replace(one, result=str(one.result).replace("text of", "/home/ann")) for one in routine(number))


def test_a_kata_leaves_with_what_is_personal_named_first_and_comes_back_as_a_proposal(tab: Tab) -> None:
    """T70, T71"""
    kata = tab.desk.learn(make=at_home)
    held = tab.post(f"katas/{kata.id}/export", format="json")
    assert held["text"] is None and {"kind": "folder", "text": "/home/ann"} in held["personal"]
    sent = tab.post(f"katas/{kata.id}/export", format="json", yes=True)["text"]
    assert tab.post(f"katas/{kata.id}/export", format="skill", yes=True)["file"].endswith("/SKILL.md")
    assert "Expected a format" in tab.post(f"katas/{kata.id}/export", 409, format="pdf")["error"]
    assert "--bind" in tab.post("import", 409, text=sent)["error"]
    assert "already" in tab.post("import", 409, text=sent, bind={"/home/ann": "/home/ben"})["error"]
    tab.post("import", 422, text="")
    tab.post("import", 422, text=sent, bind=[1])
    tab.desk.service.purge("tool", "read_file", "cli")
    told = tab.post("import", text=sent, bind={"/home/ann": "/home/ben"})
    assert (told["state"], told["called"]) == ("candidate", "") and "/home/ann" not in json.dumps(tab.get(f"katas/{told['id']}"))


def test_two_with_steps_in_common_become_one_here_or_are_kept_apart(tab: Tab) -> None:
    """T15, T65: as in chat and shell, and nothing is in use by it."""


    def whole(word: str) -> list[Did]:
        rest = sh("npm ci", "added"), sh("npm test", "passed"), sh(f"git push origin {word}", "ok")
        return [sh(f"git checkout {word}", "Switched"), *rest]

    for number, word in enumerate(("login", "crash", "deps", "docs", "perf", "scan")):
        tab.desk.turn(word, *(whole(word)[:3] if number < 3 else whole(word)[1:]))
        tab.desk.service.mine()
    (one,) = tab.get("katas/1")["overlaps"]
    assert (one["kata"], one["way"]) == (2, "merge")
    assert "in one go" in tab.post("katas/1/merge", 409, other=2)["error"]
    tab.post("katas/1/separate", other=2)
    last = tab.get("audit")["last"]
    assert tab.get("katas/1")["overlaps"] == [] and last["verb"] == "separate"
    tab.post("undo", at=last["at"], kata=1)
    tab.desk.turn("fresh", *whole("fresh"))
    tab.desk.service.mine()
    assert tab.post("katas/1/merge", other=2)["id"] == 3
    told = tab.get("katas/1")
    assert (told["merged_into"], told["state"]) == (3, "candidate") and [row["id"] for row in tab.get("katas")["katas"]] == [3]
    tab.post("katas/1/merge", 404, other=99)
    tab.desk.service.undo("cli")
    tab.approve(tab.desk.service.find("1"), name="go")
    assert tab.get("katas/2")["overlaps"][0]["way"] == "extend"
    assert tab.post("katas/1/extend", other=2)["id"] == 3 and tab.get("katas/3")["extends"] == 1
