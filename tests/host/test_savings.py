"""What a kata saves on the real Hermes, with a model whose every request has a known price: beside the truth, where it loses too,
and what the agent does by hand although the kata is there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from skeleton import by_hand, routine, sources

from harness import CHECKOUT, NO_HOST, Answer, Host, executable
from model_server import CallKata, Say, Script, ToolCalls, by_length, serving

NAME = "note_todo"
LEARNT, GOOD, BAD, MISSED = ("alpha", "beta", "gamma"), "omega", ("sigma", "kappa"), "delta"


@dataclass
class Account:
    """The home, what every conversation cost in requests and tokens, and what `savings` said when."""

    host: Host
    cost: dict[str, tuple[int, int]] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    def held(self, word: str, message: str) -> None:
        answer = self.host.chat(message)
        prices = [by_length(request) for request in answer.asked]
        self.cost[word] = len(prices), sum(price["total_tokens"] for price in prices)

    def told(self, word: str) -> None:
        answer = self.host.kata("savings", NAME, "--json")
        self.said[word] = json.loads(answer.out)

    def truth(self, *words: str) -> tuple[float, float]:
        """What those conversations saved against the middle one of those by hand."""
        requests, tokens = (sorted(self.cost[word][part] for word in LEARNT)[1] for part in (0, 1))
        took = [sum(self.cost[word][part] for word in words) for part in (0, 1)]
        return len(words) * requests - took[0], len(words) * tokens - took[1]


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """Everything for the tests of this file; a start of the host costs seconds."""
    hermes, script = executable(), Script()
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(script) as server:
        server.price = by_length
        host = Host(tmp_path_factory.mktemp("savings"), server, hermes)
        host.install(CHECKOUT, "kata")
        sources(host.work)
        account = Account(host)
        for word in LEARNT:
            account.held(word, by_hand(script, word))
        host.kata("review", "1")
        approved: Answer = host.kata("approve", "1", "as", NAME)
        assert approved.code == 0, str(approved)
        used(account, script)
        assert server.complaints == []
        yield account


def used(account: Account, script: Script) -> None:
    """One use that is good; one time by hand although the kata is there; two uses for which the agent searches first, which fail, and
    after which it does the whole by hand, in another way."""
    script.turn("WORD good", [CallKata(NAME, (GOOD,)), Say("done good")])
    account.held(GOOD, "WORD good")
    account.told("good")
    account.held(MISSED, by_hand(script, MISSED))
    account.told("missed")
    account.text = " ".join(account.host.kata("savings", NAME).out.split())
    for word in BAD:
        (account.host.work / "notes" / f"{word}.md").mkdir(parents=True)
        *first, write, _ = routine(word)
        other = f"notes/{word}-todo.md"
        write = ToolCalls([("write_file", {"path": other, "content": "x\n"})])
        look = [ToolCalls([("tool_search", {"query": "note todo"})]), ToolCalls([("tool_search", {"query": NAME})])]
        steps = [*look, CallKata(NAME, (word,)), *first, write, ToolCalls([("terminal", {"command": f"cat {other}"})]), Say(f"done {word}")]
        script.turn(f"WORD {word}", steps)
        account.held(word, f"WORD {word}")
    account.told("bad")


def near(found: Any, truth: tuple[float, float]) -> None:
    """Requests as they were, tokens within a tenth of the truth."""
    assert found["requests"] == pytest.approx(truth[0], abs=0.1)
    assert found["tokens"] == pytest.approx(truth[1], rel=0.1)


def test_a_good_use_saves_what_it_saved(account: Account) -> None:
    """T72: within a tenth of the truth."""
    told = account.said["good"]
    assert (told["uses"], told["failed"], told["measured_by_hand"]) == (1, 0, 3)
    near(told["saved"], account.truth(GOOD))
    assert account.truth(GOOD)[0] == 4


def test_a_use_that_loses_loses_what_it_lost_and_the_sum_may_be_negative(account: Account) -> None:
    """T72: searches for the tool and failed runs are subtracted."""
    told, truth = account.said["bad"], account.truth(GOOD, *BAD)
    assert (told["uses"], told["failed"], told["bridge_requests"]) == (3, 2, 4)
    assert truth[0] < 0 and truth[1] < 0
    near(told["saved"], truth)
    assert told["break_even_uses"] is None


def test_what_was_done_by_hand_although_the_kata_was_there_is_a_missed_chance(account: Account) -> None:
    """T76: with the wording, and a sentence in the user's words."""
    (missed,) = account.said["missed"]["missed_chances"]
    assert missed["message"] == f"Please note the todo of {MISSED}." and missed["conversation_began_before"] is False
    assert "1 missed chance" in account.text and "Note the todo of" in account.said["missed"]["suggested_sentence"]


def test_the_verdict_has_its_numbers(account: Account) -> None:
    """T73."""
    assert account.said["good"]["verdict"] == "too early"
    assert account.said["bad"]["verdict"] == "not helping" and account.said["bad"]["rule"]
