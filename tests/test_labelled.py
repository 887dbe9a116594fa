"""The labelled cases: what breaks a law and what does not, on small files whose right answers are known."""

import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from kata.model import (
    Json,
)

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
CORPORA, CASES = SHARED / "corpora", SHARED / "cases"


def brought_in() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kata_evaluate", ROOT / "scripts" / "evaluate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kata_evaluate"] = module
    spec.loader.exec_module(module)
    return module


ev = brought_in()
labelled = sys.modules["labelled"]
cases = pytest.mark.skipif(not CASES.is_dir(), reason="the labelled cases are not beside this checkout")


def given_cases(path: Path, found: Json) -> str:
    path.write_text(json.dumps(found), encoding="utf-8")
    return str(path)


def effect_case(command: str, best: str, unsafe: Sequence[str] = ()) -> Json:
    return {"id": command, "command": command, "class": best, "acceptable": [best], "unsafe": list(unsafe)}


def test_an_unsafe_effect_breaks_the_law_and_a_wrong_one_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = [effect_case("ls", "read"), effect_case("rm -r x", "write", ["read"]), effect_case("ls -a", "external")]
    assert ev.main(["effects", given_cases(tmp_path / "cases.json", {"cases": good})]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["cases"], report["acceptable"], report["reads"]) == (3, 2, {"cases": 1, "read": 1})
    assert [one["id"] for one in report["unacceptable"]] == ["ls -a"] and report["unsafe"] == []
    assert ev.main(["effects", given_cases(tmp_path / "cases.json", {"cases": [*good, effect_case("pwd", "write", ["read"])]})]) == 1


def task(name: str, *pieces: str, text: str = "id: {}\n") -> Json:
    return {"task": name, "source": "s", "examples": [{"input": text.format(piece), "output": piece} for piece in pieces]}


def test_extraction_counts_tasks_solved_wrong_and_refused_by_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """T26: learnt from the first 1, 2, 3 and 5 examples, tested on the others; a wrong answer breaks the law."""
    good, bad = task("good", "11", "22", "33", "44"), task("refused", "11", "22", "33", "not a number")
    assert ev.main(["extract", given_cases(tmp_path / "cases.json", [good, bad])]) == 0
    counts = json.loads(capsys.readouterr().out)["sources"]["s"]
    assert counts["1"] == {"tasks": 2, "solved": 0, "wrong": 0, "refused": 2}
    assert counts["3"] == {"tasks": 2, "solved": 1, "wrong": 0, "refused": 1}
    assert counts["5"] == {"tasks": 0, "solved": 0, "wrong": 0, "refused": 0}
    good["examples"][3]["output"] = "45"
    assert ev.main(["extract", given_cases(tmp_path / "cases.json", [good])]) == 1
    assert json.loads(capsys.readouterr().out)["wrong"][0]["task"] == "good"


def secret_case(text: str, secret: str, **more: Json) -> Json:
    return {"id": "S", "kind": "k", "text": text[::-1], "secrets": [secret[::-1]], "keep": [], "hard": False, "json": False, **more}


def alike(text: str, name: str = "L") -> Json:
    return {"id": name, "kind": "k", "text": text[::-1], "debatable": False}


def test_a_secret_that_is_left_breaks_the_law_unless_it_is_hard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Strings are stored reversed, and none is shown."""
    secret = "".join(("gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"))
    path = tmp_path / "cases.json"
    fine = {"secrets": [secret_case(f"token={secret} now", secret, keep=["won"])], "look_alikes": [alike("a plain sentence")]}
    assert ev.main(["redact", given_cases(path, fine)]) == 0
    hard = {**fine, "secrets": [secret_case("the horse battery staple", "horse battery staple", hard=True)]}
    assert ev.main(["redact", given_cases(path, hard)]) == 0
    left = {**fine, "secrets": [secret_case("the horse battery staple", "horse battery staple")]}
    capsys.readouterr()
    assert ev.main(["redact", given_cases(path, left)]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["left"] == ["S"] and "horse" not in said.out + said.err


def test_more_than_one_changed_look_alike_is_the_easy_way_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "".join(("gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"))
    base = {"secrets": [secret_case(f"token={secret}", secret)]}
    spoilt = [alike(f"token={secret}", name) for name in ("L1", "L2")]
    assert ev.main(["redact", given_cases(tmp_path / "one.json", {**base, "look_alikes": spoilt[:1]})]) == 0
    assert ev.main(["redact", given_cases(tmp_path / "two.json", {**base, "look_alikes": spoilt})]) == 1
    assert json.loads(capsys.readouterr().out.split("\n}\n")[1] + "\n}")["changed"] == ["L1", "L2"]


def inject_case(template: str, value: str, good: str = "fine") -> Json:
    return {"id": template, "template": template, "value": value, "good_value": good}


def test_a_hostile_value_fires_nothing_and_good_values_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attacks = {"echo {{v}}": "x; touch PWNED", 'echo "{{v}}"': "$(touch PWNED)", "{{v}} -l": "touch PWNED;"}
    found = [inject_case(template, value) for template, value in attacks.items()]
    assert ev.main(["inject", given_cases(tmp_path / "cases.json", found)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["fired"], report["changed"], report["rendered"]) == ([], [], {"good": 2, "hostile": 2})
    assert sum(report["refused"]["good"].values()) == sum(report["refused"]["hostile"].values()) == 1


def test_refusing_more_than_a_third_of_the_good_values_is_the_easy_way_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [inject_case("echo {{v}}", "x"), inject_case("{{v}} -l", "x")]
    assert ev.main(["inject", given_cases(tmp_path / "cases.json", found)]) == 1


@pytest.mark.parametrize(("code", "wanted"), [("echo x; touch PWNED", True), ("echo 'x; touch PWNED'", False), ("unheard-of PWNED", False)])
def test_a_marker_fires_when_the_file_is_there(code: str, wanted: bool) -> None:
    assert labelled.fires(code) is wanted


@cases
@pytest.mark.parametrize(
    ("verb", "name"), [("effects", "effects"), ("extract", "extraction"), ("redact", "secret"), ("inject", "injection")]
)
def test_every_law_holds_on_the_labelled_cases(verb: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ev.main([verb, str(CASES / f"{name}_cases.json")]) == 0
