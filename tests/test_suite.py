"""What scripts/test.py does with its parts."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def suite() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kata_suite", CHECKOUT / "scripts" / "test.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["kata_suite"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_runs_beside_the_host_is_shown_after_it_and_all_come_back_in_order(
    suite: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parts of ASIDE are under way while `host` is, what each says stays in one piece, and a failure among them is one of the run."""
    begun = threading.Event()

    def host(bench: Any) -> Any:
        assert begun.wait(60), "the other part began meanwhile"
        return suite.run(bench, [sys.executable, "-c", "print('the host itself')"], tmp_path)

    def aside(bench: Any) -> Any:
        begun.set()
        return suite.run(bench, [sys.executable, "-c", "import sys; print('beside', file=sys.stderr); sys.exit(3)"], tmp_path)

    def first(bench: Any) -> Any:
        return suite.Verdict(True)

    bench = suite.Bench(tmp_path, tmp_path, "quick")
    said = suite.played((first, aside, host), bench, {host: (aside,)})
    assert [(name, verdict.ok) for name, verdict, _ in said] == [("first", True), ("aside", False), ("host", True)]
    shown = capsys.readouterr().out
    assert shown.index("━━ first") < shown.index("━━ host") < shown.index("── host: ok") < shown.index("━━ aside")
    assert "━━ aside: None\nbeside\n── aside: FAILED" in shown
    alone = suite.played((first, aside), dataclasses.replace(bench), {host: (aside,)})
    assert [name for name, _, _ in alone] == ["first", "aside"]
