"""The recorded file: what is read of it, and that what is none is refused with its place."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


def brought_in() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kata_evaluate", ROOT / "scripts" / "evaluate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kata_evaluate"] = module
    spec.loader.exec_module(module)
    return module


ev = brought_in()


@pytest.mark.parametrize(
    ("corpus", "conversation", "wanted"),
    [
        ("tau_airline", "tau_airline/task000/trial0", "task000"),
        ("tau2_telecom", "tau2_telecom/x/task_[mms_issue]break[PERSONA:Easy]/t0_1", "task_[mms_issue]break"),
        ("intercode_bash", "intercode_bash/ic_bash_multiturn_gpt-3.5_10_turns_fs_1/0", "fs_1/0"),
        ("livemcp", "livemcp/office/0e3287cb", "livemcp/office/0e3287cb"),
    ],
)
def test_the_task_of_a_conversation_is_read_from_its_id(corpus: str, conversation: str, wanted: str) -> None:
    assert ev.task(corpus, conversation) == wanted
