"""The Kata tab in a real browser before the real `hermes dashboard`, over a file that the real recorder wrote: review, decide, and see the
tool live in a chat."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from browser import SIZES, THEMES, Dashboard, Eyes, absent, looking
from lessons import BUILD, CLEAR, PUBLISH, SEEN, SHELVE, Did, Lesson, conversation, matches, other, proposed, sh
from skeleton import by_hand, sources
from strategies import proposal_of, replay

from harness import CHECKOUT, NO_HOST, Host, executable
from kata.door import Door
from kata.model import State
from kata.service import Service
from kata.settings import Settings
from kata.store import Store
from model_server import Say, Script, ToolCalls, serving

if absent():
    pytest.skip(absent(), allow_module_level=True)
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

Json = Any
PICTURES = Path(os.environ.get("KATA_PICTURES", CHECKOUT / ".venv" / "pictures"))
EVIL = "<img src=x onerror=alert(1)>", "javascript:alert(2)", "</script><script>alert(3)</script>", "abc\u202edcba\u200f"
LONG = "x" * 10_000
VIEWS = ("", "katas", "runs", "near", "audit")


def hostile(word: str) -> Sequence[Did]:
    """A routine whose every text tries to be something else."""
    first = other("search_files", {"matches": [{"path": f"{EVIL[0]}/{word}"}], "note": EVIL[2]}, pattern=f"{EVIL[0]} {word}", path=EVIL[1])
    return first, other("read_file", {"content": "".join(EVIL)}, path=f"{EVIL[0]}/{word}", **{EVIL[0]: EVIL[3], "long": LONG})


HOSTILE = Lesson("hostile", hostile)
PEEK = Lesson(
    "peek",
    lambda word: [
        other("search_files", matches(word), pattern=f"TODO {word}", path="src"),
        other("read_file", {"content": f"1|TODO {word}", "total_lines": 1}, path=f"src/{word}.txt"),
        sh(f"head -1 src/{word}.txt", f"TODO {word}"),
    ],
)
"""Reads only."""


@dataclass
class Room:
    """A home with a running dashboard, and a browser before it."""

    host: Host
    script: Script
    dashboard: Dashboard
    eyes: Eyes
    numbers: dict[str, int]
    """The numbers of the proposals by the names of their lessons; "note" is the one that the real recorder saw."""

    def told(self, path: str) -> Json:
        code, told = self.dashboard.ask(path)
        assert code == 200, told
        return told

    def state(self, name: str) -> str:
        return str(self.told(f"katas/{self.numbers[name]}")["state"])

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The plugin's file, as another process of the plugin has it."""
        with closing(Store(lambda: sqlite3.connect(self.host.database, check_same_thread=False))) as store:
            yield store

    def outdate(self, name: str) -> None:
        """Make a kata stale that the agent may call, with a revision that waits: what happens when a tool changed."""
        with self.store() as store:
            kata = store.kata(self.numbers[name])
            assert kata is not None
            told = {"digest": kata.version.spec.digest, "actor": "system", "verb": "drift", "now": time.time()}
            store.transition(kata.id, before=(State.ACTIVE,), after=State.STALE, **told)
            first, *rest = kata.version.spec.steps
            spec = replace(kata.version.spec, steps=(replace(first, effect=replace(first.effect, why="only reads, as ever")), *rest))
            assert store.prepare(proposal_of(kata, spec=spec), time.time())

    def revise(self) -> None:
        """Two more conversations of PEEK in another folder: what was fixed varies now."""
        with self.store() as store:
            service = Service(store, Settings(), Door(time.time, replay, lambda tool: None, lambda name: False))
            for word in ("fjord", "heron"):
                _, *rest = PEEK.steps(word)
                first = other("search_files", matches(word), pattern=f"TODO {word}", path="lib")
                conversation(service, f"peek-{word}", [first, *rest], str(self.host.work))


def nearly(host: Host) -> None:
    """Three conversations of two steps that share nothing, and of a routine of which every text is new: seen, and not proposed."""
    with closing(Store(lambda: sqlite3.connect(host.database, check_same_thread=False))) as store:
        service = Service(store, Settings(), Door(time.time, replay, lambda tool: None, lambda name: False))
        for number, word in enumerate(SEEN):
            conversation(service, f"apart-{word}", [sh(f"du -s disk/{number * 7}", "4"), sh(f"ping -c 1 {word}.example", "ok")], "")
        assert store.near()


def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    found, script = executable(), Script()
    if found is None:
        pytest.skip(NO_HOST)
    with serving(script) as server:
        host = Host(tmp_path_factory.mktemp("tab"), server, found)
        host.install(CHECKOUT, "kata")
        sources(host.work)
        messages = [by_hand(script, word) for word in ("alpha", "beta", "gamma")]
        taught = proposed(host, (PEEK, CLEAR, PUBLISH, SHELVE, BUILD, HOSTILE))
        nearly(host)
        other_home = host.home / "profiles" / "alt"
        other_home.mkdir(parents=True)
        shutil.copy2(host.home / "config.yaml", other_home)
        dashboard = Dashboard(host, port())
        try:
            with ThreadPoolExecutor(3) as chats:
                answers = chats.map(host.chat, messages)
                dashboard.start()
                assert all(answer.code == 0 for answer in answers)
            with looking(dashboard, PICTURES) as eyes:
                whole = Room(host, script, dashboard, eyes, {lesson.name: kata.id for lesson, kata in taught})
                (whole.numbers["note"],) = {row["id"] for row in whole.told("overview")["waiting"]} - set(whole.numbers.values())
                yield whole
        finally:
            dashboard.stop()


@pytest.fixture(autouse=True)
def nothing_goes_wrong(room: Room) -> Iterator[None]:
    """No page asks for anything beyond this machine, and no exception stays uncaught; no text ever ran as a script."""
    yield
    ours = [line for line in room.host.far.read_text().splitlines() if not line.startswith("host ")]
    assert (room.eyes.far, room.eyes.faults, ours) == ([], [], [])


def settled(page: Page, heading: str | re.Pattern[str] = re.compile(".")) -> None:
    expect(page.locator(".kata h2").filter(has_text=heading)).to_be_visible()


def seen(page: Page, state: str) -> None:
    """Put the page into the background ("hidden"), or before somebody's eyes ("visible")."""
    change = "s => { Object.defineProperty(document, 'visibilityState', {value: s, configurable: true});"
    page.evaluate(change + " document.dispatchEvent(new Event('visibilitychange')); }", state)


def later(page: Page) -> None:
    """Let the time pass until it asks again."""
    page.clock.fast_forward(5_000)


def button(page: Page, name: str | re.Pattern[str]) -> Any:
    return page.locator(".kata").get_by_role("button", name=name, exact=isinstance(name, str))


def sure(page: Page) -> None:
    """The second yes."""
    button(page, re.compile("^Yes, ")).click()


# ── Getting in ───────────────────────────────────────────────────────────────────────────────────

LOOKS = ("overview", "katas", "katas/1", "near", "audit", "runs", "runs/x", "nothing-there")
VERBS = "approve reject disable enable rollback forget snooze merge extend separate trust untrust relax edit export plan run".split()
ACTS = ("mine", "undo", "import", "runs/x/wrong", *(f"katas/1/{verb}" for verb in VERBS))


def test_every_address_wants_the_token(room: Room) -> None:
    """K116, B42"""
    for token in ("", "wrong"):
        assert {room.dashboard.ask(path, token=token)[0] for path in LOOKS} == {401}
        assert {room.dashboard.ask(path, {}, token=token)[0] for path in ACTS} == {401}
    assert room.dashboard.ask("overview")[0] == 200 and room.dashboard.ask("nothing-there")[0] == 404
    assert room.dashboard.ask("a/b/c", {})[1]["error"].startswith("Kata has no page")


def test_every_profile_has_its_own_katas(room: Room) -> None:
    """B17"""
    code, told = room.dashboard.ask("overview?profile=alt")
    assert (code, told["profile"], told["waiting"]) == (200, "alt", [])
    assert room.told("overview")["profile"] == "default" and room.dashboard.ask("overview?profile=none")[0] == 404
    with room.eyes.page() as page:
        settled(page)
        page.goto(f"{room.dashboard.url}/kata?profile=alt")
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()
        expect(page.locator(".kata-profile")).to_have_text("profile alt")


def test_the_tab_opens_from_the_navigation_with_what_waits_first(room: Room) -> None:
    """K13"""
    with room.eyes.page() as page:
        page.goto(f"{room.dashboard.url}/sessions")
        page.get_by_role("link", name="Kata", exact=True).click()
        settled(page, "Overview")
        expect(page.locator(".kata h3").first).to_have_text("Waiting for you (7)")
        expect(page.get_by_text("not measured yet")).to_be_visible()
        page.get_by_role("link", name=f"Review proposal {room.numbers['peek']}").click()
        settled(page, "Proposal")


# ── Reviewing ────────────────────────────────────────────────────────────────────────────────────


def test_a_proposal_shows_all_that_a_decision_needs(room: Room) -> None:
    """K18 on one page: steps, data flow, permissions, schema, side effects, validation."""
    with room.eyes.page(path=f"kata/{room.numbers['note']}") as page:
        settled(page)
        titles = [text.lower() for text in page.locator(".kata h3").all_inner_texts()]
        wanted = ("what it does", "your decision", "what it may do", "every step, whole", "recorded", "checks: 12 of 12", "inputs and")
        assert all(any(title.startswith(want) for title in titles) for want in wanted), titles
        expect(page.get_by_role("group", name="Flow of 5 steps")).to_be_visible()
        assert page.locator(".kata-beside").first.locator(".kata-example").count() == 3
        first = page.locator("[aria-labelledby='kata-whole'] summary").first
        expect(first).to_have_text(re.compile(r"Its answer passes \d+ checks, or nothing more acts"))
        first.click()
        expect(page.locator(".kata-expected").first).to_contain_text("the answer has 'matches'")
        marked = page.locator(".kata-beside").first.locator("mark").all_inner_texts()
        assert sorted(marked) == ["alpha", "beta", "gamma"]


def test_an_arrow_that_is_reached_by_keyboard_names_the_path_and_the_recorded_values(room: Room) -> None:
    with room.eyes.page(path=f"kata/{room.numbers['peek']}") as page:
        settled(page)
        arrow = page.get_by_role("button", name=re.compile(r"^matches\.0\.path out of the result of step 1, goes into step 2: path"))
        arrow.focus()
        detail = page.locator(".kata-detail")
        expect(detail).to_contain_text("Path in the result: matches.0.path")
        assert set(detail.locator("li").all_inner_texts()) == {"src/amber.txt", "src/birch.txt", "src/cobalt.txt"}
        page.keyboard.press("Enter")
        expect(arrow).to_have_attribute("aria-pressed", "true")
        room.eyes.picture(page, "arrow-dark-wide")
        page.keyboard.press("Escape")
        expect(detail).to_contain_text("Point at an arrow")
        page.locator(".kata-tip").first.hover()
        expect(detail).to_contain_text("which the agent gives")


def test_hostile_text_stays_text(room: Room) -> None:
    """B49, B46: markup, addresses that run, 10,000 characters and marks that turn the reading direction."""
    for size in ("wide", "narrow"):
        with room.eyes.page(size, f"kata/{room.numbers['hostile']}") as page:
            settled(page)
            body = page.locator(".kata")
            shown = body.inner_text()
            assert EVIL[0] in shown and EVIL[1] in shown and "⟨U+202E⟩" in shown and "\u202e" not in shown and LONG in shown
            assert body.locator("img, script, iframe, a[href^='javascript']").count() == 0
            page.locator(".kata-example summary").first.click()
            expect(page.locator(".kata-example pre").first).to_contain_text(EVIL[2])
            wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide[0] <= wide[1], "nothing pushes the page wider than the window"
            room.eyes.picture(page, f"hostile-{size}")


# ── Deciding ─────────────────────────────────────────────────────────────────────────────────────


def test_what_is_approved_here_is_live_in_a_chat_that_runs_already(room: Room) -> None:
    """K4, K24, K110, and the run is drawn with its times."""
    number = room.numbers["note"]
    (given,) = room.told(f"katas/{number}")["inputs"]
    call = {"name": "kata_note_todo", "arguments": {given: "delta"}}
    room.script.turn("NOTED delta", [ToolCalls([("tool_call", {"calls": [call]})]), Say("Noted delta.")])
    room.script.turn("AGAIN delta", [ToolCalls([("tool_call", {"calls": [call]})]), Say("It was there.")])
    room.script.turn("WARM up", [Say("Warm.")])
    with room.host.terminal("chat") as chat, room.eyes.page(path=f"kata/{number}") as page:
        chat.type("WARM up", "Warm.")
        page.get_by_label("Name of the tool").fill("note_todo")
        button(page, "Approve").click()
        expect(page.get_by_role("group", name=re.compile("The agent can call kata_note_todo"))).to_be_visible()
        sure(page)
        expect(page.get_by_text("Approved: kata_note_todo")).to_be_visible()
        chat.type("NOTED delta", "Noted delta.")
        chat.type("AGAIN delta", "It was there.")
        chat.type("/exit", "--resume")
        assert room.host.tree()["notes/delta.md"].startswith("# delta")
        page.goto(f"{room.dashboard.url}/kata#runs")
        page.reload()
        page.get_by_role("link", name=re.compile("kata_note_todo")).last.click()
        fall = page.get_by_role("img", name=re.compile("Time of each step: step 1 search_files ✓ done · [0-9.]+ m?s"))
        expect(fall).to_be_visible()
        expect(page.get_by_text("What the agent was told")).to_be_visible()
        page.go_back()
        page.get_by_role("link", name=re.compile("kata_note_todo")).first.click()
        expect(page.locator(".kata-note")).to_contain_text("Refusing to overwrite")
        expect(page.get_by_role("group", name="The next call")).to_contain_text("write_file path=notes/delta.md")
    assert room.host.server.complaints == []
    again, run = room.told("runs")["runs"]
    assert run["status"] == "ok" and all(step["began"] > 0 for step in run["steps"])
    assert [step["status"] for step in again["steps"]] == ["ok", "ok", "ok", "error", "skipped"]


def test_rejecting_works_by_keyboard_alone_and_asks_first(room: Room) -> None:
    """K111"""
    with room.eyes.page(path=f"kata/{room.numbers['shelve']}") as page:
        settled(page)
        tab_to(page, "Reject")
        page.keyboard.press("Enter")
        expect(page.get_by_role("group", name="This routine is never proposed again.")).to_be_visible()
        page.keyboard.press("Escape")
        expect(button(page, "Reject")).to_be_focused()
        assert room.state("shelve") == "candidate"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Rejected. It is never proposed again.")).to_be_visible()
    assert room.state("shelve") == "rejected"


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the button of that name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement && document.activeElement.textContent") == name:
            return
    raise AssertionError(f"{name} cannot be reached by keyboard")


def test_what_destroys_needs_its_name_typed_and_can_be_disabled_and_enabled(room: Room) -> None:
    """K112, K113, T44"""
    with room.eyes.page(path=f"kata/{room.numbers['clear']}") as page:
        settled(page)
        expect(page.get_by_text(re.compile("Step 2 destroys: rm -rf"))).to_be_visible()
        page.get_by_label("Name of the tool").fill("tidy_build")
        button(page, "Approve").click()
        sure(page)
        expect(page.get_by_text("type kata_tidy_build to confirm", exact=False).first).to_be_visible()
        assert room.state("clear") == "candidate"
        page.get_by_label("Type kata_tidy_build to confirm").fill("kata_tidy_build")
        room.eyes.picture(page, "destructive-dark-wide")
        button(page, "Approve").click()
        sure(page)
        expect(page.get_by_text("Approved: kata_tidy_build")).to_be_visible()
        button(page, "Disable").click()
        expect(page.get_by_text(re.compile("cannot call kata_tidy_build any more, in running chats"))).to_be_visible()
        sure(page)
        expect(page.get_by_text("Disabled: the agent")).to_be_visible()
        assert room.state("clear") == "disabled"
        button(page, "Enable").click()
        sure(page)
        expect(page.get_by_text("Enabled: the agent")).to_be_visible()
    assert room.state("clear") == "active"


def test_of_two_pages_one_decides_and_the_other_is_told(room: Room) -> None:
    """Two cannot both win."""
    path = f"kata/{room.numbers['publish']}"
    with room.eyes.page(path=path) as one, room.eyes.page(path=path) as two:
        for page in (one, two):
            page.get_by_label("Name of the tool").fill("publish_it")
            button(page, "Approve").click()
        seen(two, "hidden")
        sure(one)
        expect(one.get_by_text("Approved: kata_publish_it")).to_be_visible()
        sure(two)
        expect(two.get_by_role("alert").filter(has_text="is active by now; nothing was changed")).to_be_visible()
    decided = [row for row in room.told("audit")["audit"] if row["kata"] == room.numbers["publish"] and row["verb"] == "approve"]
    assert len(decided) == 1 and decided[0]["actor"] == "dashboard"


def test_a_stale_kata_shows_what_its_revision_changes_and_can_go_back(room: Room) -> None:
    """K85, K114, K91"""
    number = room.numbers["publish"]
    shown = room.told(f"katas/{number}")
    if shown["state"] == "candidate":  # where this test runs alone
        sent = {"name": "publish_it", "revision": shown["version"], "digest": shown["digest"]}
        assert room.dashboard.ask(f"katas/{number}/approve", sent)[0] == 200
    room.outdate("publish")
    with room.eyes.page() as page:
        expect(page.locator("[aria-labelledby='kata-attention']")).to_contain_text("kata_publish_it")
        page.evaluate("view => { location.hash = view }", f"kata/{number}")
        expect(page.get_by_text("This version waits for your approval")).to_be_visible()
        expect(page.locator(".kata-note .kata-changes")).to_contain_text("only reads, as ever")
        room.eyes.picture(page, "stale-dark-wide")
        button(page, "Approve").click()
        sure(page)
        expect(page.get_by_text("Approved: kata_publish_it")).to_be_visible()
        page.get_by_label("Earlier approved version").select_option("1")
        button(page, "Go back").click()
        sure(page)
        expect(page.get_by_text("Done: kata_publish_it is version 1 now.")).to_be_visible()
    told = room.told(f"katas/{number}")
    assert (told["state"], told["version"], told["verbs"][:2]) == ("active", 1, ["disable", "rollback"])


def test_a_revision_that_comes_meanwhile_waits_until_it_is_asked_for_and_is_never_approved_unseen(room: Room) -> None:
    with room.eyes.page(path=f"kata/{room.numbers['peek']}") as page:
        settled(page)
        page.get_by_label("Name of the tool").fill("peek_at")
        before = page.locator(".kata-wrap").inner_text()
        room.revise()
        later(page)
        expect(page.get_by_text("This kata changed while you looked")).to_be_visible()
        expect(page.get_by_label("Name of the tool")).to_have_value("peek_at")
        assert page.locator(".kata-wrap").inner_text() == before, "what is read stays under the reader's eyes"
        button(page, "Approve").click()
        sure(page)
        expect(page.get_by_text("nothing was changed")).to_be_visible()
        expect(page.locator(".kata-decide .kata-changes")).to_contain_text("Input path is new")
        room.eyes.picture(page, "conflict-dark-wide")
        assert room.state("peek") == "candidate"
        button(page, "Show the new revision").click()
        expect(page.get_by_label("Name of the tool")).to_have_value("peek_at")
        assert page.locator(".kata-wrap").inner_text() != before


# ── Beside the first decisions ───────────────────────────────────────────────────────────────────


def test_a_kata_is_edited_trusted_planned_run_and_called_wrong_here(room: Room) -> None:
    """T54, T68, T69, T78, T40: each asks once more, and the run is the host's own tools in the process of the dashboard; it comes to its
    end."""
    number = room.numbers["peek"]
    (room.host.work / "src" / "alpha.txt").write_text("TODO alpha\n")
    with room.eyes.page(path=f"kata/{number}") as page:
        settled(page)
        page.get_by_text("Edit it").click()
        page.get_by_label("What to change").select_option("about")
        page.get_by_label("New text; none takes it away").fill("Looks at what is open")
        button(page, "Edit").click()
        expect(page.get_by_role("group", name=re.compile("It is for: Looks at what is open"))).to_be_visible()
        sure(page)
        expect(page.get_by_text("Edited: it is version")).to_be_visible()
        room.eyes.picture(page, "edited-dark-wide")
        button(page, "Show the new revision").click()
        page.get_by_label("Name of the tool").fill("peek_at")
        button(page, "Approve").click()
        sure(page)
        expect(page.get_by_text("Approved: kata_peek_at")).to_be_visible()
        button(page, "Trust").click()
        sure(page)
        expect(page.get_by_text("never: you trust it")).to_be_visible()
        first = page.locator("[aria-labelledby='kata-whole'] summary").first
        first.click()
        button(page, re.compile("^Relax check 1")).first.click()
        sure(page)
        expect(page.get_by_text("(relaxed)").first).to_be_visible()
        if page.get_by_text("This kata changed while you looked").count():
            button(page, "Show the new revision").click()
        for field in room.told(f"katas/{number}")["inputs"]:
            page.locator(f"#kata-in-{field}").fill("src" if field == "path" else "alpha")
        button(page, "Dry run").click()
        expect(page.get_by_role("group", name="What it would call")).to_contain_text("search_files pattern=TODO alpha")
        room.eyes.picture(page, "planned-dark-wide")
        button(page, "Run").click()
        expect(page.get_by_role("group", name=re.compile("Every step of kata_peek_at only reads"))).to_be_visible()
        sure(page)
        expect(page.get_by_text("kata_peek_at came to its end.")).to_be_visible()
        page.get_by_role("link", name=re.compile("^Look at run ")).click()
        expect(page.get_by_text("What the agent was told")).to_be_visible()
        room.eyes.picture(page, "ran-dark-wide")
        button(page, "It was wrong").click()
        sure(page)
        expect(page.get_by_text("Noted. kata_peek_at is a proposal again")).to_be_visible()
    ran = room.told("runs")["runs"][0]
    assert room.state("peek") == "candidate" and (ran["kata"], ran["status"]) == (number, "ok"), ran


def test_a_near_miss_is_put_into_review_from_its_row_and_taken_back(room: Room) -> None:
    """T20, T68: its page tells the rule that it fails; axe finds nothing."""
    miss = next(one for one in room.told("near")["near"] if one["rule"] == "coherence")
    with room.eyes.page("narrow", path="near") as page:
        settled(page, "Near misses")
        button(page, f"Review {miss['id']} all the same").click()
        sure(page)
        settled(page, re.compile("^Proposal"))
        expect(page.get_by_text("By you, although it fails the rule coherence")).to_be_visible()
        assert not flaws(page)
        page.evaluate("location.hash = 'audit'")
        button(page, re.compile("^Undo: force of kata ")).click()
        sure(page)
        expect(page.get_by_role("status").filter(has_text="Taken back")).to_be_visible()
    assert miss in room.told("near")["near"]


def test_the_last_decision_is_taken_back_and_a_kata_leaves_and_comes_in(room: Room) -> None:
    """T68, T70, T71: what is personal is named before it leaves; narrow, and axe finds nothing."""
    number = room.numbers["build"]
    with room.eyes.page("narrow", path=f"kata/{number}") as page:
        settled(page)
        button(page, "Snooze").click()
        sure(page)
        expect(page.get_by_text("Snoozed until")).to_be_visible()
        page.get_by_text("Export it").click()
        button(page, "Export").click()
        block = page.get_by_role("group", name="The exported text")
        warned = button(page, "Yes, that may leave")
        expect(block.or_(warned)).to_be_visible()
        room.eyes.picture(page, "export-dark-narrow")
        if warned.count():
            warned.click()
        text = block.inner_text()
        assert not flaws(page)
        page.evaluate("location.hash = 'audit'")
        button(page, "Undo: snooze of kata " + str(number)).click()
        room.eyes.picture(page, "undo-dark-narrow")
        sure(page)
        expect(page.get_by_text("Taken back: snooze")).to_be_visible()
        page.evaluate("location.hash = 'katas'")
        page.get_by_text("Import one").click()
        page.get_by_label("Or the exported text").fill(text)
        button(page, "Import").click()
        sure(page)
        expect(page.get_by_role("alert").filter(has_text=re.compile("already|--bind"))).to_be_visible()
        room.eyes.picture(page, "import-dark-narrow")
        assert not flaws(page)
    assert room.state("build") == "candidate"


def shipped(word: str) -> list[Did]:
    """Four steps, of which one proposal has the first three and another the last three."""
    return [sh(f"{program} {word}", f"{program} done") for program in ("lint", "pack", "sign", "send")]


def test_two_that_overlap_become_one_here_and_stay_apart_when_that_is_said(room: Room) -> None:
    """T15: each asks once more, tells what came of it with the way there, and is taken back by `undo`; nothing comes into use."""
    with room.store() as store:
        service = Service(store, Settings(), Door(time.time, replay, lambda tool: None, lambda name: False))
        words = ("amber", "birch", "cobalt", "dune", "ebony", "fjord", "grove")
        places = [slice(3)] * 3 + [slice(1, 4)] * 3 + [slice(4)]
        for word, part in zip(words, places, strict=True):
            conversation(service, f"ship-{word}", shipped(word)[part], "")
        one, other = [kata.id for kata in service.katas()][-2:]
    with room.eyes.page(path=f"kata/{one}") as page:
        settled(page)
        row = page.locator(".kata-note").filter(has_text=f"are steps 1–2 of proposal {other}")
        expect(row).to_be_visible()
        button(page, f"Keep apart from proposal {other}").click()
        sure(page)
        expect(page.get_by_text(f"It is kept apart from proposal {other}.")).to_be_visible()
        assert room.dashboard.ask("undo", {name: room.told("audit")["last"][name] for name in ("at", "kata")})[0] == 200
        later(page)
        button(page, f"Merge with proposal {other}").click()
        sure(page)
        page.get_by_role("link", name=re.compile("^Review proposal ")).click()
        settled(page, "Proposal")
        expect(page.locator(".kata h2").filter(has_text="lint, pack, sign, send")).to_be_visible()
        room.eyes.picture(page, "merged-dark-wide")
        assert not flaws(page)
    listed = {row["id"]: row["state"] for row in room.told("katas?state=candidate")["katas"]}
    assert not {one, other} & listed.keys() and room.told(f"katas/{one}")["merged_into"] in listed
    assert room.dashboard.ask("undo", {name: room.told("audit")["last"][name] for name in ("at", "kata")})[1]["undone"] == "merge"


def flaws(page: Page) -> list[Any]:
    """What axe finds in our part of the page."""
    found = Axe().run(page, context=".kata").response["violations"]
    return [(one["id"], one["nodes"][0]["target"], one["nodes"][0].get("failureSummary", "")[:200]) for one in found]


# ── When something is not as it should be ────────────────────────────────────────────────────────


def test_loading_and_errors_are_told_and_a_fault_of_ours_stays_ours(room: Room) -> None:
    with room.eyes.page() as page:
        settled(page)
        held: list[Any] = []
        page.route("**/api/plugins/kata/audit*", lambda route: held.append(route))
        page.locator(".kata-nav").get_by_role("link", name="Audit").click()
        expect(page.get_by_role("status").filter(has_text="Loading the audit log")).to_be_visible()
        held[0].fulfill(status=503, json={"error": "The file is busy; try again."})
        expect(page.get_by_role("alert")).to_contain_text("The file is busy; try again.")
        page.unroute("**/api/plugins/kata/audit*")
        button(page, "Try again").click()
        expect(page.get_by_role("alert")).to_have_count(0)
        page.route("**/api/plugins/kata/near*", lambda route: route.fulfill(json={"near": [{}]}))
        page.locator(".kata-nav").get_by_role("link", name="Near misses").click()
        expect(page.get_by_role("alert")).to_contain_text("The Kata tab has a fault")
        expect(page.get_by_role("link", name="Sessions", exact=True)).to_be_visible()


def test_it_asks_again_by_itself_only_while_it_can_be_seen(room: Room) -> None:
    with room.eyes.page() as page:
        settled(page)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/plugins/kata/" in request.url else None)
        with page.expect_response("**/kata/overview*"):
            later(page)
        seen(page, "hidden")
        asked.clear()
        later(page)
        later(page)
        page.wait_for_timeout(200)
        assert asked == []
        with page.expect_response("**/kata/overview*"):
            seen(page, "visible")


def test_a_restart_of_the_server_loses_nothing_that_was_typed(room: Room) -> None:
    """B42: what was shown stays, and the sentence says what to do."""
    with room.eyes.page(path=f"kata/{room.numbers['build']}") as page:
        settled(page)
        page.get_by_label("Name of the tool").fill("build_it")
        page.route("**/api/plugins/kata/katas/*", lambda route: route.fulfill(status=401, json={"detail": "Unauthorized"}))
        later(page)
        expect(page.get_by_text("You are not signed in any more")).to_be_visible()
        page.unroute("**/api/plugins/kata/katas/*")
        room.dashboard.stop()
        later(page)
        expect(page.get_by_text("The dashboard does not answer")).to_be_visible()
        expect(page.get_by_role("group", name="Flow of 4 steps")).to_be_visible()
        room.dashboard.start()
        later(page)
        expect(page.get_by_text("The dashboard does not answer")).to_have_count(0)
        expect(page.get_by_label("Name of the tool")).to_have_value("build_it")
        button(page, "Approve").click()
        sure(page)
        expect(page.get_by_text("Approved: kata_build_it")).to_be_visible()


def test_behind_a_prefix_everything_is_found(room: Room) -> None:
    """A proxy strips the prefix before the host sees it; here the browser's own routing does."""
    base = room.dashboard.url
    with room.eyes.page() as page:
        page.context.set_extra_http_headers({"X-Forwarded-Prefix": "/hermes"})
        page.context.route(f"{base}/hermes/**", lambda route: route.continue_(url=route.request.url.replace("/hermes/", "/")))
        page.goto(f"{base}/hermes/kata#katas")
        settled(page, "Katas")
        expect(page.get_by_role("link", name="Proposal").or_(page.locator(".kata-row")).first).to_be_visible()


# ── How it looks ─────────────────────────────────────────────────────────────────────────────────


def themed(page: Page, theme: str) -> None:
    page.evaluate("t => window.__HERMES_PLUGIN_SDK__.api.setTheme(t)", THEMES[theme])
    page.reload()
    settled(page)


def named(view: str) -> str:
    """What a picture of that view is called; numbers and ids are not the same in every run."""
    name, _, rest = view.partition("/")
    return "-".join((name or "overview", *(["one"] if rest else [])))


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_every_view_can_be_used_by_everybody(room: Room, theme: str) -> None:
    """axe finds nothing in our part of the page, in both widths; a picture of every view is kept."""
    run = room.told("runs")["runs"][:1]
    views = (*VIEWS, f"kata/{room.numbers['note']}", *(f"run/{one['run']}" for one in run))
    with room.eyes.page() as page:
        settled(page)
        themed(page, theme)
        for view in views:
            page.evaluate("view => { location.hash = view }", view)
            page.locator(f"[data-view='{view}'] h2").wait_for()
            page.locator(".kata-flow svg, .kata-rows, .kata-empty").first.wait_for()
            expect(page.locator(".kata-bone")).to_have_count(0)
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                room.eyes.picture(page, f"{named(view)}-{theme}-{size}")
                if size == "narrow" and not view.startswith("kata/"):
                    continue
                told = flaws(page)
                assert not told, f"{view} {theme} {size}: {json.dumps(told, indent=1)}"
