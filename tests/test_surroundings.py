"""What a kata takes from where and when it runs: learnt from examples of several folders, branches, days, and never replayed as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from kata import learning, miner, pages, surroundings, templating
from kata.executor import drive, run
from kata.model import (
    Ambient,
    Call,
    Class,
    Command,
    Concat,
    Event,
    Example,
    Expression,
    Fit,
    Hole,
    Input,
    InputError,
    Json,
    Kata,
    Literal,
    NearMiss,
    Outcome,
    Reference,
    Spec,
    State,
    Status,
    StepCall,
    TemplateError,
    Version,
    canonical,
)
from kata.settings import Settings
from kata.surroundings import FORMS, cut, dated, said, shared, value
from kata.wording import origin

TODAY = "YYYY-MM-DD"
Told = tuple[str, Mapping[str, Json], Json]


def sh(command: str, output: str = "") -> Told:
    return "terminal", {"command": command}, {"output": output, "exit_code": 0, "error": None}


def day(text: str) -> dict[str, str]:
    """The surroundings of that day; the day before is told too."""
    year, month, date = text.split("-")
    return {"today": text, "yesterday": f"{year}-{month}-{int(date) - 1:02}"}


def example(number: int, told: Sequence[Told], folder: str = "/srv/work", **around: str) -> Example:
    events = tuple(
        Event(Call(tool, args), Outcome.read(json.dumps(result)), f"t{number}", f"c{n}", n, "", n, n, "ok", "", folder, around)
        for n, (tool, args, result) in enumerate(told)
    )
    return Example(f"c{number}", f"t{number}", events)


def learnt(*examples: Example) -> Spec:
    """The spec of the examples, which renders each of them from its inputs and its surroundings."""
    template = learning.infer(examples)
    spec = miner.specified(template, examples[0])
    assert all(templating.recovered(spec, one) is not None for one in examples)
    return spec


def argument(spec: Spec, step: int, key: str) -> Expression:
    return dict(spec.steps[step].arguments.fields)[key]


# ── Days ─────────────────────────────────────────────────────────────────────────────────────────

DAYS = ("2026-03-04", "2026-03-17", "2026-11-30")


@pytest.mark.parametrize("form", FORMS)
def test_a_date_that_is_that_of_the_day_in_every_example_is_todays_in_its_form(form: str) -> None:
    """T28: on three days, in fifteen forms; yesterday's likewise."""
    for what in ("today", "yesterday"):
        texts = [f"report of {dated(day(one)[what], form)} done" for one in DAYS]
        done = [example(n, [("note", {"text": text}, {})], **day(one)) for n, (text, one) in enumerate(zip(texts, DAYS, strict=True))]
        made = argument(learnt(*done), 0, "text")
        assert isinstance(made, Concat)
        (found,) = [part for part in made.parts if isinstance(part, Ambient)]
        assert found.what == what and all(dated(one, found.form) == dated(one, form) for one in DAYS)


def test_a_fixed_date_of_the_one_day_of_all_examples_is_todays_and_the_review_says_that_it_may_not_be() -> None:
    """T28: with examples of one day nobody can tell; what was that day's date is not replayed on another day."""
    paths = [f"notes/2026-03-04-{word}.md" for word in ("amber", "birch")]
    done = [example(n, [("note", {"path": path}, {})], **day("2026-03-04")) for n, path in enumerate(paths)]
    spec = learnt(*done)
    assert origin(argument(spec, 0, "path")) == "notes/‹today's date as YYYY-MM-DD›-‹value›.md"
    assert surroundings.one_day(done)


def test_a_date_of_another_day_stays_as_it_is_and_one_that_changes_otherwise_is_asked_for() -> None:
    fixed = [example(n, [("log", {"since": "2026-01-01"}, {})], **day(one)) for n, one in enumerate(DAYS)]
    assert argument(learnt(*fixed), 0, "since") == Literal("2026-01-01")
    texts = zip(("2026-01-05", *DAYS[1:]), DAYS, strict=True)
    odd = [example(n, [("log", {"since": text}, {})], **day(one)) for n, (text, one) in enumerate(texts)]
    assert argument(learnt(*odd), 0, "since") == Input("since")


def test_dates_in_a_command_are_holes_of_it_however_they_are_quoted() -> None:
    """T28, in a command that is otherwise the same every time."""
    texts = [f"""tar czf "backup {one}.tgz" src && cp '{one}.log' logs/{one.replace("-", "")}.log""" for one in DAYS]
    done = (example(n, [sh(text)], **day(one)) for n, (text, one) in enumerate(zip(texts, DAYS, strict=True)))
    made = argument(learnt(*done), 0, "command")
    assert isinstance(made, Command)
    assert [(piece.value, piece.place) for piece in made.parts if isinstance(piece, Hole)] == [
        (Ambient("today", TODAY), "double"),
        (Ambient("today", TODAY), "single"),
        (Ambient("today", "YYYYMMDD"), "bare"),
    ]


def test_a_fixed_command_of_one_day_has_holes_for_its_date() -> None:
    made = argument(learnt(*(example(n, [sh("touch notes/2026-03-04.md")], **day("2026-03-04")) for n in range(3))), 0, "command")
    assert made == Command(("touch notes/", Hole(Ambient("today", TODAY), "bare"), ".md"))


@pytest.mark.parametrize(
    "told",
    [
        sh("python3 - <<'EOF'\nopen('2026-03-04.txt')\nEOF"),
        ("execute_code", {"code": "print('2026-03-04')"}, {}),
    ],
)
def test_a_date_that_cannot_be_taken_out_of_code_keeps_a_routine_from_being_one(told: Told) -> None:
    """T28: it is told as a near miss, and never replayed as it was."""
    done = [example(n, [told], **day("2026-03-04")) for n in range(3)]
    with pytest.raises(TemplateError, match="the date of the day of its examples in a place where it cannot be told to mean today's"):
        learning.infer(done)
    found = miner.score(miner.Family(tuple(done), 3, ("a",)), Settings())
    assert isinstance(found, NearMiss) and found.rule == "template"


def test_a_value_of_a_result_comes_before_the_day() -> None:
    """Reference, then surroundings."""
    done = [example(n, [sh("date +%F", f"{one}\n"), sh(f"touch {one}.md")], **day(one)) for n, one in enumerate(DAYS)]
    made = argument(learnt(*done), 1, "command")
    assert isinstance(made, Command) and isinstance(made.parts[1], Hole) and isinstance(made.parts[1].value, Reference)


def test_a_number_that_holds_the_digits_of_a_day_is_no_date() -> None:
    known = shared([example(0, [sh("x")], **day("2026-03-04"))])
    assert cut("id 1202603041 of 20260304", known) == ["id 1202603041 of ", Ambient("today", "YYYYMMDD")]


# ── Folders and branches ─────────────────────────────────────────────────────────────────────────


def test_a_path_below_the_folder_of_each_example_is_a_path_below_the_session_folder() -> None:
    folders = ("/srv/ann/shop", "/srv/ann/docs", "/srv/bob/site")
    done = [example(n, [("read_file", {"path": f"{one}/package.json"}, {}), sh(f"ls {one}/src")], one) for n, one in enumerate(folders)]
    spec = learnt(*done)
    assert argument(spec, 0, "path") == Concat((Ambient("folder"), Literal("/package.json")))
    assert argument(spec, 1, "command") == Command(("ls ", Hole(Ambient("folder"), "bare"), "/src"))
    assert spec.inputs == ()


def test_a_fixed_path_in_the_folder_of_all_examples_means_the_folder_in_which_it_runs() -> None:
    """T28: constants are scoped to their project; run elsewhere the kata does not reach into the old one (B44)."""
    told = [("read_file", {"path": "/srv/shop/a.txt"}, {}), sh("cd /srv/shop && wc -l a.txt")]
    done = [example(n, told, "/srv/shop") for n in range(3)]
    spec = learnt(*done)
    assert origin(argument(spec, 0, "path")) == "‹the session folder›/a.txt"
    assert origin(argument(spec, 1, "command")) == "cd ‹the session folder› && wc -l a.txt"


def test_a_fixed_path_below_the_home_folder_or_the_repository_means_those_of_the_run() -> None:
    around = {"home": "/home/ann", "root": "/home/ann/shop"}
    told = [("read_file", {"path": path}, {}) for path in ("/home/ann/.config/x", "/home/ann/shop/go.mod", "/home/anna/x", "/etc/hosts")]
    spec = learnt(*(example(n, told, "/home/ann/shop/cmd", **around) for n in range(3)))
    shown = [origin(argument(spec, n, "path")) for n in range(4)]
    assert shown == ["‹the home folder›/.config/x", "‹the root of the repository›/go.mod", "/home/anna/x", "/etc/hosts"]


def test_the_branch_of_each_example_is_the_current_branch_and_one_that_all_have_is_a_name() -> None:
    """A name may be meant whatever is checked out: `git push origin main` from three main branches."""
    branches = ("topic/amber", "fix-birch", "topic/cobalt")
    spec = learnt(*(example(n, [sh(f"git push origin {one}")], branch=one) for n, one in enumerate(branches)))
    assert origin(argument(spec, 0, "command")) == "git push origin ‹the current branch›"
    same = learnt(*(example(n, [sh("git push origin main")], branch="main") for n in range(3)))
    assert argument(same, 0, "command") == Literal("git push origin main")


def test_what_is_not_known_of_every_example_is_taken_from_none() -> None:
    done = [example(n, [("note", {"path": f"notes/{one}.md"}, {})], **(day(one) if n else {})) for n, one in enumerate(DAYS)]
    assert shared([example(0, [sh("x")], "")]) == ()
    assert not any(isinstance(part, Ambient) for part in surroundings.needed(learnt(*done)))


# ── When it runs ─────────────────────────────────────────────────────────────────────────────────


def kata() -> Spec:
    """Writes a note of the day on the branch; its second step is made of the first one's answer."""
    return learnt(
        *(
            example(
                n,
                [
                    sh(f"git log -1 {branch}", f"abc{n} done"),
                    ("write_file", {"path": f"notes/{one}.md", "content": f"abc{n}\n"}, {"bytes": 5}),
                ],
                branch=branch,
                **day(one),
            )
            for n, (one, branch) in enumerate(zip(DAYS, ("topic/amber", "fix-birch", "main"), strict=True))
        )
    )


def ran(spec: Spec, around: Mapping[str, Json]) -> list[Call]:
    asked: list[Call] = []

    def tools(one: StepCall) -> Outcome:
        asked.append(one.call)
        return Outcome.read({"output": "abc9 done", "exit_code": 0, "error": None})

    assert drive(run(spec, {}, around=around), tools).status is Status.OK
    return asked


def test_what_is_around_a_run_is_used_and_not_what_was_around_the_examples() -> None:
    first, second = ran(kata(), {"@today": "2027-01-09", "@branch": "topic/delta", "@home": "/home/eve"})
    assert first.arguments == {"command": "git log -1 topic/delta"}
    assert second.arguments == {"path": "notes/2027-01-09.md", "content": "abc9\n"}


@pytest.mark.parametrize("around", [{}, {"@today": "2027-01-09"}, {"@today": "2027-01-09", "@branch": ""}])
def test_where_something_is_missing_around_a_run_it_stops_before_anything_runs_and_says_what(around: dict[str, str]) -> None:
    """T28: a detached head, or no repository; also where only a later step would need it."""
    with pytest.raises(InputError, match=r"Nothing was run: .*Expected the current branch, and no branch is checked out") as caught:
        run(kata(), {}, around=around)
    assert ("today's date" in caught.value.message) is (not around)


def test_a_caller_cannot_give_what_is_around() -> None:
    with pytest.raises(InputError, match="'@today' is not an argument of this kata"):
        run(kata(), {"@today": "2027-01-09", "@branch": "main"})


def test_a_spec_with_surroundings_survives_its_stored_form() -> None:
    spec = kata()
    assert Spec.from_json(json.loads(canonical(spec.to_json()))) == spec


def test_what_is_meant_is_said_in_words() -> None:
    told = [Ambient("folder"), Ambient("root"), Ambient("branch"), Ambient("home"), Ambient("yesterday", "DD.MM.YYYY")]
    assert [said(one) for one in told] == [
        "the session folder",
        "the root of the repository",
        "the current branch",
        "the home folder",
        "yesterday's date as DD.MM.YYYY",
    ]
    with pytest.raises(TemplateError, match="Expected a day as YYYY-MM-DD"):
        value(Ambient("today", TODAY), {"@today": "tomorrow"})


def test_a_local_name_that_is_asked_of_the_web_is_sent_out() -> None:
    """A23: the branch of somebody's work is nothing that a search engine knew."""
    branches = ("topic/amber", "fix-birch")
    done = [example(n, [("web_search", {"query": f"what is {one}"}, {"x": 1})], branch=one) for n, one in enumerate(branches)]
    spec = miner.witnessed(learnt(*done), done)
    assert spec.steps[0].effect.kind is Class.EXTERNAL




@pytest.mark.parametrize(("days", "remark"), [(DAYS, False), (DAYS[:1] * 3, True)])
def test_a_review_says_what_is_read_when_it_runs_and_whether_a_fixed_date_may_be_meant(days: Sequence[str], remark: bool) -> None:
    done = [example(n, [("note", {"path": f"notes/{one}.md"}, {}), sh("git gc")], **day(one)) for n, one in enumerate(days)]
    version = Version(1, learnt(*done), Fit(3, 3, 3, 0.9), tuple(done), (), 0.0)
    text = " ".join(pages.review(Kata(1, "", State.CANDIDATE, "f", version), "/kata").split())
    assert "‹today's date as YYYY-MM-DD› is read when it runs, and goes into step 1" in text
    assert f"it was {days[0]}, {days[1]}, {days[2]}" in text
    assert ("all examples are of one day, so a fixed date may be meant" in text) is remark
