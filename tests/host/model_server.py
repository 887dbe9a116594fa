"""A stand-in model on loopback that speaks the OpenAI chat interface and answers by a script; it never reaches the network."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = Any
Results = tuple[Json, ...]
"""The tool results of the turn so far, in order, parsed where they are JSON."""
Arguments = Mapping[str, Json] | Callable[[Results], Mapping[str, Json]]

MODEL = "stand-in"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 40, "total_tokens": 1040}
"""What every answer claims to have cost, so that sums in the tests are known."""
KATA_LINE = re.compile(r"^\W*kata_(?P<name>[a-z0-9_]+)\((?P<arguments>[^)\n]*)\)", re.MULTILINE)
"""The fixed matcher: how the prompt section announces one kata."""


# ── What the model may do next ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Say:
    """End the turn with this text."""

    text: str


@dataclass(frozen=True)
class ToolCalls:
    """Ask for these tool calls in one answer; a callable makes its arguments from the turn's results so far."""

    calls: Sequence[tuple[str, Arguments]]


@dataclass(frozen=True)
class CallKata:
    """Call a kata through the host's bridge, but only when the request announces it; `values` go to its arguments in order."""

    name: str
    values: tuple[Json, ...] = ()


Step = Say | ToolCalls | CallKata


@dataclass(frozen=True)
class Turn:
    """The answers to one user message that contains `words`, in order."""

    words: str
    steps: tuple[Step, ...]


@dataclass
class Script:
    """Decides each answer from the messages of the request alone, so that it needs no memory between processes."""

    turns: list[Turn] = field(default_factory=list)

    def turn(self, words: str, steps: Sequence[Step]) -> Script:
        """Add the answers to a user message that contains `words`."""
        self.turns.append(Turn(words, tuple(steps)))
        return self

    def answer(self, body: Mapping[str, Json]) -> Say | ToolCalls:
        """The next answer; text that begins with `SCRIPT:` where the script has none."""
        if not body.get("tools"):
            return Say("A short title")
        messages = body["messages"]
        start = max((i for i, message in enumerate(messages) if message["role"] == "user"), default=-1)
        asked = text_of(messages[start]) if start >= 0 else ""
        turn = next((turn for turn in self.turns if turn.words in asked), None)
        done = sum(message["role"] == "assistant" for message in messages[start + 1 :])
        if turn is None or done >= len(turn.steps):
            return Say(f"SCRIPT: no answer number {done + 1} to {asked[:200]!r}")
        return settled(turn.steps[done], messages, start)


def settled(step: Step, messages: Sequence[Mapping[str, Json]], start: int) -> Say | ToolCalls:
    """The step with its arguments filled in."""
    if isinstance(step, Say):
        return step
    if isinstance(step, CallKata):
        return bridge_call(step, announced(messages))
    results = results_of(messages[start + 1 :])
    return ToolCalls([(name, dict(made(results) if callable(made) else made)) for name, made in step.calls])


def bridge_call(step: CallKata, lines: Mapping[str, tuple[str, ...]]) -> Say | ToolCalls:
    """One `tool_call` for the kata with its announced argument names, or a sentence where it is not announced."""
    names = lines.get(step.name)
    if names is None:
        return Say(f"SCRIPT: kata_{step.name} is not announced; announced are {sorted(lines)}")
    if len(names) != len(step.values):
        return Say(f"SCRIPT: kata_{step.name} takes {names}, {len(step.values)} values were given")
    call = {"name": f"kata_{step.name}", "arguments": dict(zip(names, step.values, strict=True))}
    return ToolCalls([("tool_call", {"calls": [call]})])


def announced(messages: Sequence[Mapping[str, Json]]) -> dict[str, tuple[str, ...]]:
    """Every kata that the system prompt announces, with the names of its arguments."""
    prompt = "\n".join(text_of(message) for message in messages if message["role"] in ("system", "developer"))
    return {found["name"]: argument_names(found["arguments"]) for found in KATA_LINE.finditer(prompt)}


def argument_names(written: str) -> tuple[str, ...]:
    """The names in `word, path: string`."""
    return tuple(re.split(r"\W", part.strip(), maxsplit=1)[0] for part in written.split(",") if part.strip())


def text_of(message: Mapping[str, Json]) -> str:
    """The text of a message, whose content is a string or a list of parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def results_of(messages: Sequence[Mapping[str, Json]]) -> Results:
    """The tool results among these messages; text after a JSON value is a note of the host and is dropped."""
    return tuple(read_result(text_of(message)) for message in messages if message["role"] == "tool")


def read_result(text: str) -> Json:
    """The JSON value at the head of the text, else the text."""
    try:
        return json.JSONDecoder().raw_decode(text.lstrip())[0]
    except ValueError:
        return text


# ── The server ───────────────────────────────────────────────────────────────────────────────────


class ModelServer(ThreadingHTTPServer):
    """Answers by its script and keeps the body of every chat request, in order of arrival, and when it came (monotonic seconds)."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), ChatHandler)
        self.script = script
        self.requests: list[dict[str, Json]] = []
        self.arrived: list[float] = []
        self.complaints: list[str] = []
        self.lock = threading.Lock()
        self.price: Callable[[Mapping[str, Json]], Mapping[str, int]] = lambda body: USAGE

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A process that ends in the middle of an answer is no fault of ours; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reply(self, body: dict[str, Json]) -> dict[str, Json]:
        """Record the request and make the assistant message that answers it."""
        with self.lock:
            self.requests.append(body)
            self.arrived.append(time.monotonic())
            number = len(self.requests)
        answer = self.script.answer(body)
        if isinstance(answer, Say):
            if answer.text.startswith("SCRIPT:"):
                self.complaints.append(answer.text)
            return {"role": "assistant", "content": answer.text}
        calls = [tool_call(f"call_{number}_{index}", name, made) for index, (name, made) in enumerate(answer.calls)]
        return {"role": "assistant", "content": None, "tool_calls": calls}


def tool_call(ident: str, name: str, arguments: Arguments) -> dict[str, Json]:
    """One tool call in the interface's shape."""
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


@contextmanager
def serving(script: Script) -> Iterator[ModelServer]:
    """A server on a free loopback port for as long as the block runs."""
    with ModelServer(script) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class ChatHandler(BaseHTTPRequestHandler):
    """`GET …/models` and `POST …/chat/completions`, streamed or whole; everything else is 404."""

    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/v1/models"):
            self.send_json({"object": "list", "data": [{"id": MODEL, "object": "model", "context_length": 200000}]})
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            self.send_error(404)
            return
        message = self.server.reply(body)
        if body.get("stream"):
            self.send_stream(message, self.server.price(body))
        else:
            choice = {"index": 0, "message": message, "finish_reason": finish(message)}
            self.send_json(envelope("chat.completion", [choice], dict(self.server.price(body))))

    def send_json(self, value: Json) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def send_stream(self, message: Mapping[str, Json], usage: Mapping[str, int]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in chunks(message, usage):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def finish(message: Mapping[str, Json]) -> str:
    """Why the model stopped."""
    return "tool_calls" if message.get("tool_calls") else "stop"


def by_length(body: Mapping[str, Json]) -> dict[str, int]:
    """A price that grows with the request, as that of a real model does: a token for four characters."""
    asked = len(json.dumps(body)) // 4
    return {"prompt_tokens": asked, "completion_tokens": 40, "total_tokens": asked + 40}


def envelope(kind: str, choices: list[Json], usage: Json = None) -> dict[str, Json]:
    """The outer object of an answer."""
    frame = {"id": "answer", "object": kind, "created": 1, "model": MODEL, "choices": choices}
    return frame if usage is None else {**frame, "usage": usage}


def chunks(message: Mapping[str, Json], usage: Mapping[str, int]) -> Iterator[dict[str, Json]]:
    """The message as a stream: text or calls, then the reason to stop, then the usage."""
    delta = dict(message)
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(delta["tool_calls"])]
    yield envelope("chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": None}])
    yield envelope("chat.completion.chunk", [{"index": 0, "delta": {}, "finish_reason": finish(message)}])
    yield envelope("chat.completion.chunk", [], dict(usage))
