"""Which examples make one family, which one may be set aside, and what is judged of a step whose options come and go."""

import pytest
from strategies import DEFAULTS, family, mined, replay, sh, told, tool

from kata import miner, validator
from kata.miner import Family, judged, score
from kata.model import Class, NearMiss, Proposal
from kata.templating import settings

BRANCHES = ("amber", "birch", "cobalt", "delta", "ember", "fjord", "grove", "harbor")


def look(branch, flag=""):
    return sh(f"git fetch origin {branch}", ""), sh(f"git log{flag} --oneline {branch}", "abc")


def proposed(*conversations):
    found = mined(*told(*conversations))
    return next((one for one in found if isinstance(one, Proposal)), None)


def scored(*conversations):
    examples = family(*conversations)
    return score(Family(examples, len(examples), tuple(miner.key(call) for call in examples[0].calls)), DEFAULTS)


def names(found):
    return [one.name for one in found.spec.inputs]


# ── Options ──────────────────────────────────────────────────────────────────────────────────────


def test_variants_that_differ_by_an_optional_flag_are_one_proposal_with_a_choice():
    found = proposed(*(look(branch, " --stat" if n % 2 else "") for n, branch in enumerate(BRANCHES[:5])))
    assert names(found) == ["value", "stat"] and found.fit.support == 5 and found.fit.rate == 1


def test_a_flag_that_one_conversation_has_is_left_out_until_a_second_has_it():
    """A family may be split by flags (A13): out of one example a choice cannot be learnt."""
    found = proposed(*(look(branch, " --stat" if n == 1 else "") for n, branch in enumerate(BRANCHES[:4])))
    assert names(found) == ["value"] and found.fit.support == 3 and len(found.exhibits) == 3


def test_a_flag_that_one_conversation_lacks_stays_fixed():
    found = proposed(*(look(branch, "" if n == 1 else " --stat") for n, branch in enumerate(BRANCHES[:4])))
    assert names(found) == ["value"] and found.fit.support == 3


def test_three_conversations_of_which_one_has_a_flag_are_a_near_miss():
    found = mined(*told(*(look(branch, " --stat" if n == 1 else "") for n, branch in enumerate(BRANCHES[:3]))))
    assert [(one.rule, one.support) for one in found if isinstance(one, NearMiss)] == [("confidence", 3)]


def test_a_step_is_as_grave_as_its_gravest_setting():
    """A23: `--force` makes a push destructive, also where it is there only sometimes."""
    found = scored(
        *((sh(f"git fetch origin {b}"), sh(f"git push{' --force' if n % 2 else ''} origin {b}")) for n, b in enumerate(BRANCHES[:4]))
    )
    assert isinstance(found, Proposal)
    push = found.spec.steps[1]
    assert push.effect.kind is Class.EXTERNAL and push.effect.destructive
    assert [dict(one) for one in settings(push.arguments)] == [{"force": False}, {"force": True}]


def test_a_read_with_an_option_that_deletes_is_no_read():
    rows = [(sh(f"git fetch origin {b}"), sh(f"find src/old -name x.tmp{' -delete' if n % 2 else ''}")) for n, b in enumerate(BRANCHES[:4])]
    found = scored(*rows)
    assert isinstance(found, Proposal)
    step = found.spec.steps[1]
    assert step.effect == judged("terminal", step.arguments) and step.effect.asks and step.effect.destructive


# ── One odd example ──────────────────────────────────────────────────────────────────────────────


def put(word, mode="fast"):
    found = tool("mcp__tracker__find", {"id": f"id-{word}"}, query=word, project="operations")
    return found, tool("mcp__tracker__set", {"ok": 1}, id=f"id-{word}", mode=mode)


def test_from_six_conversations_on_one_odd_example_is_set_aside_and_counts_as_a_miss():
    """A13: 5 of 6 is a confidence of 0.79; the template is that of the other five."""
    found = scored(*(put(branch, "slow" if n == 2 else "fast") for n, branch in enumerate(BRANCHES[:6])))
    assert isinstance(found, Proposal)
    assert (found.fit.tried, found.fit.passed, round(found.fit.confidence, 2)) == (6, 5, 0.79)
    assert len(found.exhibits) == 6 and names(found) == ["query"]


def test_with_five_conversations_none_is_set_aside():
    found = scored(*(put(branch, "slow" if n == 2 else "fast") for n, branch in enumerate(BRANCHES[:5])))
    assert isinstance(found, NearMiss) and found.rule == "confidence"


def test_two_odd_examples_are_not_set_aside():
    rows = [put(b, "slow" if n == 2 else "slower" if n == 4 else "fast") for n, b in enumerate(BRANCHES)]
    found = scored(*rows)
    assert not isinstance(found, Proposal) or found.fit.passed == found.fit.tried


def test_the_odd_example_is_told_by_the_checks_and_asked_by_none_of_them():
    """A13: K57, K58 and K59 are computed without it, and it stays among the exhibits."""
    found = scored(*(put(branch, "slow" if n == 2 else "fast") for n, branch in enumerate(BRANCHES[:6])))
    assert isinstance(found, Proposal)
    checks = {one.name: one for one in validator.validate(found.spec, found.exhibits, {}, replay, 3)}
    assert checks["replay_matches_recorded"].reason == "all 5 examples are reproduced exactly; example 3 is odd and set aside"
    assert checks["holdout_fit"].passed and checks["executor_replay"].passed


@pytest.mark.parametrize("count", [6, 7, 8])
def test_without_an_odd_example_all_have_to_fit(count):
    found = scored(*(put(branch) for branch in BRANCHES[:count]))
    assert isinstance(found, Proposal) and found.fit.passed == found.fit.tried == count


def test_a_routine_that_asks_for_more_than_eight_values_is_a_near_miss():
    """A14: a template of nothing but inputs always fits; the number of inputs is told as the rule that failed."""
    fields = [f"field{n}" for n in range(9)]
    rows = [
        (
            tool("mcp__t__find", {"ticket": f"ticket-number-{b}"}, **{f: f"{f}{b}" for f in fields}),
            tool("mcp__t__close", ticket=f"ticket-number-{b}"),
        )
        for b in BRANCHES[:4]
    ]
    found = scored(*rows)
    assert isinstance(found, NearMiss) and (found.rule, found.detail) == ("inputs", "it would ask for 9 values; 8 are the most")


# ── What is judged ───────────────────────────────────────────────────────────────────────────────


def test_a_step_is_as_grave_as_its_gravest_example():
    """A23: a value that was seen and that throws work away makes the whole step destructive, also where a hole hides it."""
    rows = [(sh(f"git fetch origin {b}"), sh(f"git checkout {'main' if n < 4 else '.'}")) for n, b in enumerate(BRANCHES[:6])]
    found = scored(*rows)
    assert not isinstance(found, Proposal) or found.spec.steps[1].effect.destructive


def test_what_was_read_here_and_goes_to_the_web_leaves_the_machine():
    rows = [
        (tool("read_file", {"content": f"about {b} and more"}, path=f"notes/{b}.md"), tool("web_search", query=f"about {b} and more"))
        for b in BRANCHES[:4]
    ]
    found = scored(*rows)
    assert isinstance(found, Proposal)
    assert found.spec.steps[1].effect.kind is Class.EXTERNAL and "read_file" in found.spec.steps[1].effect.why


def test_what_the_web_said_may_be_asked_on_the_web_without_a_question():
    rows = [
        (
            tool("web_search", {"results": [{"url": f"https://{b}.example.org/x"}]}, query=f"{b} news"),
            tool("web_extract", urls=[f"https://{b}.example.org/x"]),
        )
        for b in BRANCHES[:4]
    ]
    found = scored(*rows)
    assert isinstance(found, Proposal) and not found.spec.asks
