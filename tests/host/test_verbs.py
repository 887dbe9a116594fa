"""What a person does in a shell of the real Hermes: names a variable for a secret, puts a proposal away and takes that back, edits it, asks
what it would have done, sends it to another home, and says that a run was wrong. (K22, K23)"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from lessons import COUNT, Lesson, School, number, proposed, sh
from published import secret
from strategies import opened

from harness import CHECKOUT, Answer, Host
from kata.share import _digest

KEYS = {word: secret("ghp_{w36}", at) for at, word in enumerate(("amber", "birch", "cobalt"))} | {"fresh": "violet-harbour-lantern-meadow"}
"""Tokens, each made up for one conversation; the last, which looks like none, is in the environment of the run."""
CARRY = Lesson(
    "carry",
    lambda word: [
        sh(f"ls src/{word}.txt", f"src/{word}.txt"),
        sh(f"wc -l src/{word}.txt", f"{number(word)} src/{word}.txt"),
        sh(f"./carry --token {KEYS[word]} src/{word}.txt", f"carried src/{word}.txt with {KEYS[word]}"),
    ],
)
LESSONS = (CARRY,)
SCRIPT = '#!/bin/sh\nprintf %s "$2" > carried\necho "carried $3 with $2"\n'


@dataclass
class Done:
    """What each command said, the katas of both homes, and the text that went from one to the other."""

    school: School
    said: dict[str, Answer] = field(default_factory=dict)
    ran: tuple[int, str] = (1, "")
    sent: dict[str, Any] = field(default_factory=dict)
    here: list[dict[str, Any]] = field(default_factory=list)
    there: list[dict[str, Any]] = field(default_factory=list)
    skill: str = ""
    """The file of a skill that was written into a folder."""
    lies: list[str] = field(default_factory=list)
    """The kinds of effect that the text said its steps have, when it came in."""

    def say(self, *words: str) -> Answer:
        """One command in the shell, which must be done."""
        self.said[words[0]] = answer = self.school.host.kata(*words)
        assert answer.code == 0, (words, str(answer))
        return answer


@pytest.fixture(scope="module")
def done(school: School, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    host, done = school.host, Done(school)
    (host.work / "src").mkdir()
    (host.work / "src" / "delta.txt").write_text("delta\n")
    (host.work / "carry").write_text(SCRIPT)
    (host.work / "carry").chmod(0o755)
    host.variables["CARRY_TOKEN"] = KEYS["fresh"]
    names = {one["type"]: one["name"] for one in specs(host)[1]["inputs"]}
    done.say("bind", "carry", names.pop("secret"), "CARRY_TOKEN")
    done.ran = host.at_terminal("y\ny\ny\n", "kata", "run", "carry", *(f"{name}=src/delta.txt" for name in names.values()))
    proposed(host, (COUNT,))
    for line in ("list", "snooze 2", "undo", "separate 2 from carry", "edit 2 help counts and marks a file", "what-if 2 count-amber"):
        done.say(*line.split())
    done.say("export", "2", "--format", "skill", "--to", "shared", "--yes")
    done.skill = host.tree()["shared/kata-2/SKILL.md"]
    done.say("export", "2", "--yes")
    (run,) = host.rows("SELECT id FROM runs")
    done.say("wrong", run["id"])
    done.here = host.rows("SELECT id, state, name FROM katas ORDER BY id")
    done.sent = json.loads(done.said["export"].out)
    done.there = elsewhere(done, Host(tmp_path_factory.mktemp("other"), host.server, host.hermes))
    yield done
    host.variables.clear()


def elsewhere(done: Done, other_home: Host) -> list[dict[str, Any]]:
    """The katas of a second home after it took in what was sent, in which somebody made every effect a harmless one."""
    told = {name: value for name, value in done.sent.items() if name != "digest"}
    told["spec"] = json.loads(json.dumps(told["spec"]).replace('"write"', '"read"'))
    done.lies = effects(told["spec"])
    file = other_home.root / "sent.json"
    other_home.install(CHECKOUT, "kata")
    for name, whole in (("changed", done.sent | {"spec": told["spec"]}), ("import", told | {"digest": _digest(told)})):
        file.write_text(json.dumps(whole))
        done.said[name] = other_home.kata("import", str(file))
    return [row | {"spec": specs(other_home)[row["id"]]} for row in other_home.rows("SELECT id, state, name FROM katas")]


def specs(host: Host) -> dict[int, Any]:
    """Kata → the spec of its last version."""
    return {row["kata"]: json.loads(row["spec"]) for row in host.rows("SELECT kata, spec FROM versions ORDER BY number")}


def effects(spec: Any) -> list[str]:
    return [step["effect"]["kind"] for step in spec["steps"]]


def test_a_bound_secret_comes_out_of_the_environment(done: Done) -> None:
    """T43: nobody types it, and the tool gets it."""
    code, screen = done.ran
    assert code == 0, screen
    assert (done.school.host.work / "carried").read_text() == KEYS["fresh"]


def test_what_the_variable_holds_is_on_no_disk_and_no_screen(done: Done) -> None:
    """T7, T43: not in a byte of the plugin's folder, not in the host's log of warnings, not in what was asked and answered."""
    files = [path.read_bytes() for path in done.school.host.database.parent.rglob("*") if path.is_file()]
    files.append(opened(done.school.host.database))
    steps = json.dumps(done.school.host.rows("SELECT * FROM run_steps"), default=repr)
    told = [done.ran[1], done.school.host.log(), steps, *(answer.out + answer.err for answer in done.said.values())]
    for key in KEYS.values():
        assert key[4:24].encode() not in b"".join(files) and key[4:24] not in "".join(told)
    assert "carried src/delta.txt with" in steps


def test_a_proposal_is_put_away_taken_back_and_edited(done: Done) -> None:
    """T68, T69."""
    assert "Snoozed: 2, until" in done.said["snooze"].out and "Taken back: 'snooze'" in done.said["undo"].out
    assert "Edited: version 2 of kata 2" in done.said["edit"].out


def test_two_that_overlap_are_named_beside_each_other_until_a_person_says_that_they_are_two(done: Done) -> None:
    """T15"""
    assert "overlaps kata 1" in done.said["list"].out and "two things" in done.said["separate"].out
    assert [row["detail"] for row in done.school.host.rows("SELECT detail FROM audit WHERE verb = 'separate'")] == ["from kata 1"]


def test_a_skill_is_written_into_a_folder_of_its_own(done: Done) -> None:
    """T70: with what an agent needs that has no Kata."""
    head, _, body = done.skill.removeprefix("---\n").partition("\n---\n")
    assert "name: kata-2" in head and "description: " in head, done.skill
    assert all(f"{program} " in body for program in ("ls", "wc -l", "touch")), done.skill


def test_what_it_would_have_done_is_told_and_nothing_is_run(done: Done) -> None:
    """T55: in a conversation in which it was done by hand."""
    assert done.said["what-if"].out.rstrip().endswith(": the same calls"), str(done.said["what-if"])
    assert [tool for tool, _ in done.school.witness.calls()] == ["terminal"] * 3


def test_a_run_that_was_wrong_takes_its_kata_out_of_use(done: Done) -> None:
    """T68."""
    assert [(row["id"], row["state"]) for row in done.here] == [(1, "candidate"), (2, "candidate")]


def test_what_was_changed_on_its_way_is_refused(done: Done) -> None:
    """T71"""
    assert done.said["changed"].code == 1 and "its digest does not fit" in " ".join(done.said["changed"].out.split())


def test_what_comes_from_another_home_waits_and_its_effects_are_judged_anew(done: Done) -> None:
    """T71: whoever sent it said that it only reads; the agent there has no tool of it."""
    assert done.said["import"].code == 0, str(done.said["import"])
    (row,) = done.there
    assert row["state"] == "candidate" and not row["name"]
    assert effects(row["spec"]) == effects(done.sent["spec"]) == ["read", "read", "write"]
    assert done.lies == ["read"] * 3 and row["spec"]["help"] == "counts and marks a file"
