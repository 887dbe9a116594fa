"""A near miss on the real Hermes that a person wants: forced into review in a chat, taken back, forced in a shell, approved and called."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from lessons import Did, conversation, matches, number, opened, other, sh

from harness import CHECKOUT, NO_HOST, Answer, Host, executable
from model_server import CallKata, Say, Script, serving

WORDS, FRESH, NAME = ("amber", "birch", "cobalt"), "delta", "look"


def steps(word: str) -> list[Did]:
    """Three reads; in the last of the conversations the first of them looks elsewhere for something else."""
    asked = {"pattern": "FIXME", "path": "lib"} if word == WORDS[-1] else {"pattern": f"TODO {word}", "path": "src"}
    return [
        other("search_files", matches(word), **asked),
        other("read_file", {"content": f"1|TODO {word}", "total_lines": 1}, path=f"src/{word}.txt"),
        sh(f"wc -l src/{word}.txt", f"{number(word)} src/{word}.txt"),
    ]


@dataclass(frozen=True)
class Forced:
    """The home, what the chat showed, what the shell said, and the conversation in which the kata was called."""

    host: Host
    screen: str
    miss: Any
    review: Any
    approved: Answer
    called: Answer


@pytest.fixture(scope="module")
def forced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forced]:
    hermes, script = executable(), Script()
    if hermes is None:
        pytest.skip(NO_HOST)
    script.turn("WORD", [CallKata(NAME, (FRESH,)), Say("done well")])
    with serving(script) as server:
        host = Host(tmp_path_factory.mktemp("forced"), server, hermes)
        host.config["approvals"] = {"single_query_mode": "approve", "destructive_slash_confirm": False}
        host.install(CHECKOUT, "kata")
        (host.work / "src").mkdir()
        (host.work / "src" / f"{FRESH}.txt").write_text(f"TODO {FRESH}\n")
        with opened(host) as service:
            for word in WORDS:
                conversation(service, word, steps(word), str(host.work))
            assert not [kata for kata in service.katas() if len(kata.version.spec.steps) == 3], service.katas()
            miss = next(one for one in service.near() if len(one.keys) == 3)
        with host.terminal("chat") as terminal:
            terminal.type(f"/kata near {miss.short}", "all the same into review")
            terminal.type(f"/kata near {miss.short} review", "Forced")
            terminal.type("/kata undo", "It is a near miss again.")
            terminal.type("/exit", "")
            screen = terminal.shown
        review = json.loads(host.kata("near", miss.short, "review", "--json").out)
        approved = host.kata("approve", str(review["id"]), "as", NAME)
        called = host.chat(f"WORD {FRESH}")
        assert server.complaints == []
        yield Forced(host, screen, miss, review, approved, called)


def test_a_chat_puts_a_near_miss_into_review_and_takes_that_back(forced: Forced) -> None:
    """T20, T68: with the rule that it fails, and the odd example."""
    shown = " ".join(forced.screen.split())
    assert f"although it fails {forced.miss.rule}" in shown and "pattern=FIXME, path=lib" in shown
    rows = forced.host.rows("SELECT verb FROM audit WHERE actor <> 'system' ORDER BY number")
    verbs = [row["verb"] for row in rows]
    assert verbs == ["force", "undo", "force", "approve"]


def test_the_shell_says_what_was_passed_over(forced: Forced) -> None:
    """T20: learnt from the two that are alike, every check passed."""
    told = forced.review
    assert told["forced"] == forced.miss.rule and told["forced_past"]["odd"]["conversation"] == f"s-{WORDS[-1]}"
    assert all(check["passed"] for check in told["checks"]) and told["support"] == 3


def test_once_approved_the_agent_calls_it(forced: Forced) -> None:
    """T20, K5: the steps of those that were alike, for a new word."""
    assert forced.approved.code == 0 and "done well" in forced.called.out, str(forced.called)
    (run,) = forced.host.rows("SELECT status, tool FROM runs")
    assert (run["status"], run["tool"]) == ("ok", f"kata_{NAME}")
    asked = [row["trace"] for row in forced.host.rows("SELECT trace FROM run_steps ORDER BY step")]
    assert len(asked) == 3 and f"TODO {FRESH}" in json.dumps(asked[0]) and "FIXME" not in json.dumps(asked)
