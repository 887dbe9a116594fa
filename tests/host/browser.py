"""Runs the real `hermes dashboard` for a test home, and a real browser before it; nothing but this machine is ever asked for anything."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import CHECKOUT, PATIENCE, Host

Json = Any
TOKEN = "a-token-for-these-tests-alone"
LAUNCH = (
    "import builtins, pathlib, sys; builtins.Path = pathlib.Path; sys.argv[0] = 'hermes'; "
    "from hermes_cli.main import main; sys.exit(main())"
)
"""The repackaged 0.22.2 names `Path` in an annotation without importing it, so its dashboard does not start on Python 3.11."""
ABSENT = "the tests in a browser need {}; `.ci/run` as root installs chromium (apt-get install chromium), `python scripts/test.py` all else"
THEMES = {"dark": "default", "light": "nous-blue"}
PATIENCE_MS = 60_000
"""What a test waits for in a page is there within a second; only where it never comes is it waited for so long."""
SIZES = {"wide": (1366, 900), "narrow": (390, 844)}


def chromium() -> str | None:
    """The browser that KATA_CHROMIUM names, else Debian's, else none."""
    return os.environ.get("KATA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def dist() -> Path | None:
    """The host's own web pages: in KATA_WEB_DIST, else where scripts/test.py put them. The wheel that we test with has none."""
    places = [Path(os.environ["KATA_WEB_DIST"])] if "KATA_WEB_DIST" in os.environ else [CHECKOUT / ".venv" / "hermes_cli" / "web_dist"]
    return next((place for place in places if (place / "index.html").is_file()), None)


def absent() -> str:
    """What is missing, with the way to get it; empty where all is there."""
    lacks = [] if chromium() else ["chromium"]
    lacks += [] if dist() else ["the host's web pages"]
    lacks += [] if importlib.util.find_spec("playwright") else ["playwright"]
    return ABSENT.format(" and ".join(lacks)) if lacks else ""


# ── The dashboard ────────────────────────────────────────────────────────────────────────────────


@dataclass
class Dashboard:
    """One running `hermes dashboard`."""

    host: Host
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers; AssertionError where it does not."""
        own = {
            "HERMES_WEB_DIST": str(dist()),
            "HERMES_DASHBOARD_SESSION_TOKEN": TOKEN,
            "HERMES_GATEWAY_LOCK_DIR": str(self.host.root / "locks"),
            "PLAYWRIGHT_BROWSERS_PATH": "0",
        }
        words = ["dashboard", "--host", "127.0.0.1", "--port", str(self.port), "--no-open", "--skip-build", "--isolated"]
        command = [str(self.host.hermes.parent / "python"), "-c", LAUNCH, *words]
        with (self.host.root / "dashboard.log").open("ab") as log:
            environment = self.host.environment() | own
            self.process = subprocess.Popen(
                command, cwd=self.host.work, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            with suppress(OSError):
                urllib.request.urlopen(f"{self.url}/api/status", timeout=2).close()
                return
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.1)
        raise AssertionError(f"the dashboard did not start:\n{self.said()[-3000:]}")

    def stop(self) -> None:
        """End it and what it started: it does not always heed a plain request while a page is open."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self) -> str:
        return (self.host.root / "dashboard.log").read_text(errors="replace")

    def ask(self, path: str, sent: Json = None, token: str = TOKEN) -> tuple[int, Json]:
        """One request without a browser: status and JSON."""
        headers = {"Content-Type": "application/json"} | ({"X-Hermes-Session-Token": token} if token else {})
        body = None if sent is None else json.dumps(sent).encode()
        request = urllib.request.Request(f"{self.url}/api/plugins/kata/{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


# ── The browser ──────────────────────────────────────────────────────────────────────────────────


@dataclass
class Eyes:
    """One browser for all tests, which notes what a page did wrong."""

    browser: Any
    dashboard: Dashboard
    pictures: Path
    far: list[str] = field(default_factory=list)
    """Addresses beyond this machine that a page asked for; all were refused."""
    faults: list[str] = field(default_factory=list)
    """Exceptions that no page caught."""

    @contextmanager
    def page(self, size: str = "wide", path: str = "") -> Iterator[Any]:
        """A page of its own on the tab; `path` is what stands after `#`."""
        width, height = SIZES[size]
        context = self.browser.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(PATIENCE_MS)
        context.route("**/*", self._near)
        page = context.new_page()
        page.clock.install()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        try:
            page.goto(f"{self.dashboard.url}/kata#{path}")
            yield page
        finally:
            context.close()

    def _near(self, route: Any) -> None:
        address = route.request.url
        if address.startswith((self.dashboard.url, "data:", "blob:")):
            route.continue_()
        else:
            self.far.append(address)
            route.abort()

    def picture(self, page: Any, name: str) -> None:
        """Keep the whole tab as a picture; the page itself scrolls inside the host's frame, so the window grows to hold it."""
        size = page.viewport_size
        page.evaluate("document.querySelector('.kata').scrollIntoView()")
        tall = page.evaluate("document.querySelector('.kata').getBoundingClientRect().bottom + 40")
        page.set_viewport_size({"width": size["width"], "height": max(size["height"], min(6_000, int(tall)))})
        page.screenshot(path=self.pictures / f"{name}.png")
        page.set_viewport_size(size)


@contextmanager
def looking(dashboard: Dashboard, pictures: Path) -> Iterator[Eyes]:
    """A browser before a running dashboard."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)

    pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        try:
            yield Eyes(browser, dashboard, pictures)
        finally:
            browser.close()
