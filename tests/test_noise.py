"""The script that tells what of a noisy log is found whole, on a log of a few conversations whose right figures are counted by hand."""

import json
import subprocess
import sys
from pathlib import Path

from kata.model import Json

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "noise.py"
STEPS = ("git fetch origin", "make build-release", "npm run lint-all")
LOOK = "ls -a"


def written(folder: Path) -> tuple[Path, Path]:
    """Eight conversations that hold three commands, six of them with a look around in a gap; and what is expected."""
    rows = []
    for chat in range(8):
        commands = [*STEPS[:1], *([LOOK] if chat < 3 else []), *STEPS[1:2], *([LOOK] if 3 <= chat < 6 else []), *STEPS[2:]]
        for seq, command in enumerate(commands):
            result = json.dumps({"output": "x", "exit_code": 0, "error": None})
            place = {"corpus": "planted", "conversation_id": f"c{chat}", "turn_index": 0, "user_message": "", "seq": seq}
            call = {"tool_name": "terminal", "args": {"command": command}, "result": result, "status": "ok", "ts": 1000.0 * chat + seq}
            rows.append(json.dumps(place | call))
    log, expected = folder / "log.jsonl", folder / "expected.json"
    log.write_text("\n".join(rows), encoding="utf-8")
    window = ["terminal: git fetch", "terminal: make", "terminal: npm run"]
    entry = {"id": "release", "corpora": ["planted"], "window": window, "conversations": [f"c{chat}" for chat in range(8)]}
    expected.write_text(json.dumps({"positives": [entry], "negatives": []}), encoding="utf-8")
    return log, expected


def ran(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, words)], capture_output=True, text=True, check=False)


def test_what_is_found_whole_is_counted_beside_a_miner_that_passes_over_nothing(tmp_path: Path) -> None:
    """T5: with the gaps all eight conversations count, without them two, which is too few; what is left are pieces."""
    log, expected = written(tmp_path)
    found: Json = json.loads(ran(log, expected).stdout)
    assert (found["routines"], found["found_whole"], found["proposals"], found["planted"]) == (1, 1, 1, 1)
    assert (found["occurrences"], found["in_support"], found["proposals_a_routine"], found["other"]) == (8, 8, 1.0, [])
    assert json.loads(ran("--at-once", log, expected).stdout) == found
    control: Json = json.loads(ran("--contiguous", log, expected).stdout)
    assert (control["found_whole"], control["missed"], control["planted"]) == (0, ["release"], 0)


def test_a_file_that_is_no_log_is_named(tmp_path: Path) -> None:
    found = ran(tmp_path / "none.jsonl", tmp_path / "none.json")
    assert found.returncode == 2 and "none.jsonl cannot be read" in found.stderr
