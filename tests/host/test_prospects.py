"""What a proposal would bring on the real Hermes: what it saves in a week, from the requests that were recorded; when its routine happens;
and the words that asked for it, which only a person reads."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import pytest
from lessons import COUNT, SHELVE, UNLOCK, opened, proposed
from published import secret
from skeleton import by_hand, sources

from harness import CHECKOUT, NO_HOST, Answer, Host, executable
from model_server import CallKata, Say, Script, ToolCalls, by_length, serving

NAME, FRESH, LAST = "note_todo", "omega", "4"
LEARNT = ("alpha", "beta", "gamma")
KEYS = {word: secret("ghp_{w36}", at) for at, word in enumerate(LEARNT)}
"""A token in each of the messages that ask for the routine."""


@dataclass(frozen=True)
class Seen:
    """The conversations in which the routine was done by hand, what the shell said of it, and the one in which its kata was called."""

    host: Host
    chats: tuple[Answer, ...]
    listed: Any
    told: Any
    page: str
    quiet: str | None
    """What would be announced while three that were told wait."""
    called: Answer

    def saved(self) -> list[int]:
        """The tokens of the requests of each conversation between the one that asked for the first step and the one that read the last."""
        prices = [[by_length(request)["total_tokens"] for request in answer.asked] for answer in self.chats]
        assert [len(one) for one in prices] == [6, 6, 6]
        return [sum(one[1:5]) for one in prices]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """Three proposals that wait, a fourth learnt in three conversations, and one more in which it is a kata."""
    hermes, script = executable(), Script()
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(script) as server:
        server.price = by_length
        host = Host(tmp_path_factory.mktemp("prospects"), server, hermes)
        host.install(CHECKOUT, "kata")
        sources(host.work)
        proposed(host, (UNLOCK, COUNT, SHELVE))
        chats = tuple(host.chat(f"{by_hand(script, word)} The key is {KEYS[word]}.") for word in LEARNT)
        listed, told = (json.loads(host.kata(*words, "--json").out) for words in (("list",), ("review", LAST)))
        page = " ".join(host.kata("review", LAST).out.split())
        with opened(host) as service:
            quiet = service.announcement("cli")
        approved = host.kata("approve", LAST, "as", NAME)
        assert approved.code == 0, str(approved)
        script.turn("WORD", [ToolCalls([("tool_search", {"queries": [NAME]})]), CallKata(NAME, (FRESH,)), Say("done well")])
        called = host.chat(f"WORD {FRESH}")
        assert server.complaints == []
        yield Seen(host, chats, listed, told, page, quiet, called)


def test_a_week_is_reckoned_from_the_requests_that_were_recorded(seen: Seen) -> None:
    """T18: the median of three times by hand, less what its line costs in every prompt, with its ends, on the page and in JSON."""
    value = seen.told["would_save"]
    tokens = median(seen.saved())
    assert (value["each"]["requests"], value["measured"], value["times"], value["weeks"]) == (4, 3, 3, 1)
    assert value["each"]["tokens"] == pytest.approx(tokens, abs=1) and value["each"]["seconds"] >= 0
    week = {name: value[name]["tokens"] for name in ("low", "a_week", "high")}
    assert week["a_week"] == pytest.approx(3 * tokens - value["carried_a_week"]["tokens"], abs=3)
    assert week["low"] < week["a_week"] < week["high"] and value["a_week"]["requests"] == 12
    assert "Would save a week 12 requests (" in seen.page and "each time 4 requests, " in seen.page
    assert "(median of 3); done 3 times in a week less at most " in seen.page


def test_what_saves_most_is_listed_first_and_no_more_than_three_are_announced(seen: Seen) -> None:
    """T18, A40: of those that waited two have a step more than the first; the best is told as soon as it is there, and the last when one
    of three that were told was decided."""
    assert [one["id"] for one in seen.listed["katas"]] == [4, 2, 3, 1] and seen.quiet is None
    told = [" ".join((answer.out + answer.err).split()) for answer in (*seen.chats, seen.called)]
    assert [re.findall(r"could be one tool\. Look: hermes kata review (\d+)", one) for one in told] == [["2"], ["3"], ["4"], ["1"]]


def test_the_review_says_when_it_happens_and_in_which_masked_words_it_was_asked_for(seen: Seen) -> None:
    """T7, T16, T17: the latest first; the keys in them are on no page and in no byte of what is kept."""
    (moment,) = [one for one in seen.told["moments"] if one["kind"] == "first"]
    assert (moment["held"], moment["times"]) == (3, 3) and "usually as the first thing in a conversation: 3 of 3 times" in seen.page
    said = seen.told["asked_for"]
    assert [text.partition(" The key is ")[0] for text in said] == [f"Please note the todo of {word}." for word in reversed(LEARNT)]
    assert all("KATASECRET" in text for text in said) and "Asked for “Please note the todo of gamma. The key is KATASECRET" in seen.page
    assert not [key for key in KEYS.values() if key in seen.page or key in json.dumps(seen.told)]


def test_no_model_reads_those_words(seen: Seen) -> None:
    """T8, T16: not in a prompt, not in the catalogue of tools, not in what the search for tools or the kata answers."""
    assert "done well" in seen.called.out and len(seen.called.asked) == 3
    asked, found = json.dumps(seen.called.requests), seen.called.results[0]
    assert f"kata_{NAME}" in found, "the search was made"
    assert NAME in asked and "todo of" not in asked and "The key is" not in asked
