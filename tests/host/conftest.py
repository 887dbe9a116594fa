"""Gives each host test a Hermes home of its own and a stand-in model; without Hermes every test here is skipped, with the reason."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lessons import School, teach
from witness import witness

from harness import CHECKOUT, NO_HOST, Host, executable
from model_server import ModelServer, Script, serving

LONGEST = ("thread", "savings", "learn", "served", "guards", "plugin", "running", "faults", "who", "gateway", "resume", "install")
"""Files that take longest. They begin first, or the last of them would run alone, with the other processes idle; so it needs xdist's
`--no-loadscope-reorder`, because xdist begins with the files of most tests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first; all others stay in their order."""
    ranks = {f"test_{name}.py": rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.name, len(ranks)))


@pytest.fixture
def hermes() -> Path:
    found = executable()
    if found is None:
        pytest.skip(NO_HOST)
    return found


@pytest.fixture
def script() -> Script:
    """The model's script; a test adds its turns before or between conversations."""
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[ModelServer]:
    with serving(script) as running:
        yield running


@pytest.fixture
def bare(tmp_path: Path, server: ModelServer, hermes: Path) -> Host:
    """A home without plugins."""
    host = Host(tmp_path, server, hermes)
    host.configure()
    return host


@pytest.fixture
def host(bare: Host) -> Host:
    """A home with kata, as a user would have it."""
    bare.install(CHECKOUT, "kata")
    return bare


@pytest.fixture
def bare_twin(tmp_path: Path, server: ModelServer, hermes: Path) -> Host:
    """A second home, without plugins, to do the same thing by hand."""
    host = Host(tmp_path / "twin", server, hermes)
    host.configure()
    return host


@pytest.fixture(scope="module")
def school(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    """One home for a file that runs katas, in which a person approved the `LESSONS` that it names; no conversation of one file changes
    what another finds. Each conversation has a message of its own."""
    found, script = executable(), Script()
    if found is None:
        pytest.skip(NO_HOST)
    with serving(script) as server:
        host = Host(tmp_path_factory.mktemp("school"), server, found)
        host.install(CHECKOUT, "kata")
        seen = witness(host)
        teach(host, *request.module.LESSONS)
        yield School(host, script, seen)
