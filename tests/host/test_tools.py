"""The tools of the real host: each has its class by name (A23, B34)."""

import subprocess

from harness import PATIENCE, Host
from kata.programs import TOOLS

NAMES = "from tools.registry import discover_builtin_tools, registry; discover_builtin_tools(); print(*registry.get_all_tool_names())"


def test_every_built_in_tool_of_the_host_has_a_class(bare: Host) -> None:
    """A tool that a new version of the host brings is external until its class is written down; this test asks for that."""
    python = bare.hermes.parent / "python"
    done = subprocess.run(
        [str(python), "-c", NAMES], cwd=bare.work, env=bare.environment(), capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    names = done.stdout.splitlines()[-1].split()
    assert len(names) >= 50 and {"terminal", "read_file", "write_file", "patch"} <= set(names)
    assert sorted(set(names) - set(TOOLS)) == []
