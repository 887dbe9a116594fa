"""The addresses of the tab below /api/plugins/kata/, as the host loads them: alone, by path, behind its authentication; nothing happens
here but HTTP, and every request opens the file of its own profile and lets it go."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.machinery
import importlib.util
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import fastapi

MOST_BYTES, MOST_IMPORTED = 65_536, 1_100_000
"""A request that sends more than this is no decision about a kata, and none that brings one."""
_mining = threading.Lock()
_kept: dict[str, dict[str, Any]] = {}
"""What was counted for each profile."""


def _part(name: str) -> Any:
    """A module of this plugin, out of a package that is made from this folder: the host loads this file without one."""
    root = Path(__file__).resolve().parent.parent
    package = f"_kata_dashboard_{hashlib.sha256(str(root).encode()).hexdigest()[:12]}"
    if package not in sys.modules:
        spec = importlib.machinery.ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(root)]
        sys.modules.setdefault(package, importlib.util.module_from_spec(spec))
    return importlib.import_module(f"{package}.{name}")


def _said(code: int, value: Any) -> fastapi.Response:
    """JSON in plain letters, so that half characters arrive (B46)."""
    return fastapi.Response(json.dumps(_part("dashboard.views").plain(value)), code, media_type="application/json")


def _answer(name: str, request: fastapi.Request, sent: dict[str, Any] | None = None) -> fastapi.Response:
    """Carry out one act of desk.py or acts.py on the file of the profile that the host chose for this request."""
    desk, runtime, host, model = (_part(name) for name in ("dashboard.desk", "runtime", "host", "model"))
    act = getattr(desk, name, None) or getattr(_part("dashboard.acts"), name)
    words = request.path_params.values()
    act = act(*words) if words else act
    try:
        profile = host.home()
        asked = desk.Asked(dict(request.query_params), sent or {}, profile, kept=_kept.setdefault(profile, {}))
        if name in ORDERS:
            with _part("errand").errand() as plugin:
                done = desk.reply(act, plugin.service, dataclasses.replace(asked, hand=plugin.hand()))
        else:
            with runtime.visited() as service:
                done = desk.reply(act, service, asked)
    except model.KataError as error:  # the file cannot even be opened
        return _said(503, {"error": error.message})
    return _said(done.code, done.json)


async def _sent(request: fastapi.Request) -> dict[str, Any] | fastapi.Response:
    """The JSON object that came with a request; what cannot be read is answered at once. Another page's form sends no JSON."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return _said(415, {"error": "Expected JSON with the content type application/json"})
    body = await request.body()
    most = MOST_IMPORTED if request.url.path.endswith("/kata/import") else MOST_BYTES
    if len(body) > most:
        return _said(413, {"error": f"Expected at most {most} bytes, got {len(body)}"})
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        return _said(422, {"error": "Expected a JSON object, got something that is no JSON"})
    return value if isinstance(value, dict) else _said(422, {"error": f"Expected a JSON object, got {type(value).__name__}"})


Sent = Annotated[Any, fastapi.Depends(_sent)]


# ── The addresses ────────────────────────────────────────────────────────────────────────────────

LOOKS = {
    "/overview": "overview",
    "/katas": "katas",
    "/katas/{kata}": "whole",
    "/near": "near",
    "/audit": "decisions",
    "/runs": "runs",
    "/runs/{run}": "ended",
}
"""GET: addresses, and the function of desk.py or acts.py that answers."""
ACTS = {
    "/katas/{kata}/approve": "approve",
    "/katas/{kata}/reject": "reject",
    "/katas/{kata}/disable": "disable",
    "/katas/{kata}/enable": "enable",
    "/katas/{kata}/rollback": "rollback",
    "/katas/{kata}/forget": "forget",
    "/katas/{kata}/snooze": "snooze",
    "/katas/{kata}/merge": "merge",
    "/katas/{kata}/extend": "extend",
    "/katas/{kata}/separate": "separate",
    "/katas/{kata}/trust": "trust",
    "/katas/{kata}/untrust": "untrust",
    "/katas/{kata}/relax": "relax",
    "/katas/{kata}/edit": "edit",
    "/katas/{kata}/export": "export",
    "/katas/{kata}/plan": "plan",
    "/katas/{kata}/run": "start",
    "/near/{miss}/review": "force",
    "/runs/{run}/wrong": "wrong",
    "/import": "take",
    "/undo": "undo",
    "/mine": "mine",
}
"""POST, with JSON."""
ORDERS = frozenset({"plan", "start", "export", "take"})
"""What needs to know where a run would be, or who asks."""


def _look(name: str) -> Callable[[fastapi.Request], fastapi.Response]:
    def look(request: fastapi.Request) -> fastapi.Response:
        return _answer(name, request)

    return look


def _act(name: str) -> Callable[[fastapi.Request, Any], fastapi.Response]:
    def act(request: fastapi.Request, sent: Sent) -> fastapi.Response:
        if isinstance(sent, fastapi.Response):
            return sent
        if name != "mine":
            return _answer(name, request, sent)
        if not _mining.acquire(blocking=False):
            return _said(409, {"error": "It is looking for routines already"})
        try:
            return _answer(name, request, sent)
        finally:
            _mining.release()

    return act


def _nowhere(rest: str) -> fastapi.Response:
    return _said(404, {"error": f"Kata has no page /{rest[:60]}"})


router = fastapi.APIRouter()
for path, name in LOOKS.items():
    router.add_api_route(path, _look(name), methods=["GET"], name=name)
for path, name in ACTS.items():
    router.add_api_route(path, _act(name), methods=["POST"], name=name)
# Without a last address for all else the host loads this plugin again and again for every one that is not there.
router.add_api_route("/{rest:path}", _nowhere, methods=["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])
