"""Two laws: nothing leaves the machine, and nothing runs that was not approved."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from conftest import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bench, routine, sh

from kata.commands import run
from kata.manual import VERBS
from kata.model import Outcome, Refused, State, Status

SEEN: list[str] = []
WATCHING = [False]
LEAVING = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "urllib.", "http.client.", "ftplib.", "smtplib.")


def _note(event: str, _: Any) -> None:
    if WATCHING[0] and event.startswith(LEAVING):
        SEEN.append(event)


sys.addaudithook(_note)


@contextmanager
def watched() -> Iterator[list[str]]:
    """What Python's own audit events tell of sockets and processes opened inside (library reference, "Audit events table")."""
    SEEN.clear()
    WATCHING[0] = True
    try:
        yield SEEN
    finally:
        WATCHING[0] = False


COMMANDS = st.sampled_from(["curl -s https://example.org", "git push origin main", "ssh host ls", "npm publish", "ls"])


@settings(max_examples=EXAMPLES // 5)
@given(st.lists(COMMANDS, min_size=2, max_size=4))
def test_recording_finding_and_running_open_no_socket_and_no_process(commands: list[str]) -> None:
    """Law 1 (T23): whatever was recorded, only the host's dispatch reaches out; here it answers instead of acting."""
    with closing(bench()) as desk, watched() as seen:
        for number in range(3):
            desk.turn(f"c{number}", *(sh(command) for command in commands), *routine(number))
            desk.service.mine()
        for kata in desk.service.katas():
            desk.service.review(str(kata.id), "cli")
            given = {one.name: "topic" for one in kata.version.spec.inputs}
            active = desk.service.approve(str(kata.id), f"k{kata.id}", "cli")
            desk.service.start(active, given, f"run-{kata.id}", "s1", lambda one: Outcome(Status.OK, {}))
        run(desk.service, ["status"], "cli")
        assert seen == []


WORDS = st.sampled_from([*VERBS, "1", "2", "as", "deploy", "kata_deploy", "on", "off", "--digest", "yes", "always"])


@settings(max_examples=EXAMPLES // 2)
@given(st.lists(st.lists(WORDS, max_size=4), max_size=12))
def test_nothing_becomes_a_tool_but_by_an_approval_of_what_was_shown(lines: list[list[str]]) -> None:
    """Law 2 (K4): whatever is typed in whatever order, an active kata was reviewed on that surface and approved there by name."""
    with closing(bench()) as desk:
        desk.learn()
        reviewed = approved = False
        for words in lines:
            answer = run(desk.service, words, "cli")
            named = [word for word in words[1:] if word != "as"]
            if words[:1] == ["approve"] and answer.code == 0:
                assert reviewed and len(named) == 2
                approved = True
            # An approval without a review shows the page instead, and that is a review.
            reviewed |= words[:1] in (["review"], ["approve"]) and named[:1] in (["1"], ["deploy"], ["kata_deploy"])
            assert approved or desk.service.active() == ()
            assert all(kata.state is State.ACTIVE for kata in desk.service.active())


@settings(max_examples=EXAMPLES // 3)
@given(st.sampled_from(["", "x", "1 ", "DEPLOY", "kata_", "../1"]), st.text(max_size=8))
def test_a_digest_that_was_not_shown_approves_nothing(word: str, digest: str) -> None:
    with closing(bench()) as desk:
        kata = desk.learn()
        if kata.version.spec.digest.startswith(digest.lower()) and len(digest) >= 8:
            return
        try:
            desk.service.approve("1", "deploy", "cli", digest)
        except Refused:
            assert desk.service.active() == ()
        else:
            raise AssertionError(f"{digest!r} approved something")
