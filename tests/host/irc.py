"""A chat server on loopback that speaks as much IRC as the host's own adapter needs: one channel, one direct chat, no account; it never
reaches the network."""

from __future__ import annotations

import re
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from harness import PATIENCE

BOT, CHANNEL = "hermes-bot", "#work"
QUIET_S = 0.7
"""The adapter pauses 0.3 seconds between lines; a command that comes in between interrupts the answer."""


class Rooms(socketserver.ThreadingTCPServer):
    """Waits for the agent's gateway to come in, and keeps every line that it says, by the channel or person it says it to."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Line)
        self.said: list[tuple[str, str]] = []
        self.news = threading.Condition()
        self.line: Line | None = None

    def heard(self, to: str, text: str) -> None:
        with self.news:
            self.said.append((to, text))
            self.news.notify_all()

    def joined(self, line: Line) -> None:
        with self.news:
            self.line = line
            self.news.notify_all()

    def wait_for_agent(self) -> None:
        """Wait until the gateway has joined; AssertionError after `PATIENCE` seconds."""
        with self.news:
            assert self.news.wait_for(lambda: self.line is not None, PATIENCE), "the gateway never came in"

    def say(self, who: str, text: str, shows: str, where: str = "") -> str:
        """A person says something, to the agent alone or in the channel; gives what the agent says there until the words have come
        and it is quiet."""
        return self.hear(self.tell(who, text, where), shows, where or who)

    def tell(self, who: str, text: str, where: str = "") -> int:
        """A person says something, and does not wait; gives the number of lines that the agent had said before."""
        assert self.line is not None
        start = len(self.said)
        self.line.send(f":{who}!{who}@localhost PRIVMSG {where or BOT} :{f'{BOT}: ' * bool(where)}{text}")
        return start

    def hear(self, start: int, shows: str, room: str) -> str:
        """What the agent says in a room from that line on, until the words have come and it is quiet; AssertionError after `PATIENCE`."""
        until = time.monotonic() + PATIENCE
        with self.news:
            while True:
                told = "\n".join(line for to, line in self.said[start:] if to == room)
                found = shows in " ".join(told.split())
                more = self.news.wait(QUIET_S if found else max(0.0, until - time.monotonic()))
                if found and not more:
                    return told
                assert more, f"{shows!r} was never said to {room}:\n{told}\nin all: {self.said[-20:]}"


class Line(socketserver.StreamRequestHandler):
    """One connection: registration, and what is said over it."""

    server: Rooms

    def send(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
        self.wfile.flush()

    def handle(self) -> None:
        for raw in self.rfile:
            text = raw.decode("utf-8", "replace").rstrip("\r\n")
            command, _, rest = text.partition(" ")
            if command == "USER":
                self.send(f":localhost 001 {BOT} :Welcome")
            elif command == "JOIN":
                self.server.joined(self)
            elif found := re.fullmatch(r"(\S+) :?(.*)", rest) if command == "PRIVMSG" else None:
                self.server.heard(found[1], found[2])


@contextmanager
def rooms() -> Iterator[Rooms]:
    """A chat server on a free port for as long as the block runs."""
    with Rooms() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
