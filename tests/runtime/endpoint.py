"""A scripted model server on loopback: it speaks the OpenAI-compatible wire format and streams.

A script is a function from the request (its JSON body) to what is said in answer: a `Say`, a list
of those in turn by request, or one of the misbehaviours below.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A tool call; `raw` replaces the JSON of its arguments (cut, malformed)."""

    name: str
    args: object = None
    raw: str | None = None


@dataclass(frozen=True)
class Say:
    """One answer: text, tool calls, how it stops, or how the server fails."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    stop: str | None = None  # finish_reason; None: tool_calls or stop
    status: int = 200
    error: str = ""  # of a status
    cut: bool = False  # the connection closes in the middle
    silent: bool = False  # nothing is sent for as long as the client waits
    broken: bool = False  # an event that is not JSON
    flood_bytes: int = 0  # of text


def propose(value: object) -> Say:
    """A message that proposes `value`."""
    return Say(calls=(Call("propose", value),))


@dataclass
class Endpoint:
    """The running server: where it is and what it was asked."""

    url: str
    requests: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


Script = Callable[[Body], Say] | list[Say]


@contextmanager
def endpoint(script: Script) -> Iterator[Endpoint]:
    """Serve a script. A list answers request by request and repeats its last item."""
    stopped = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length))
            seen.requests.append(body)
            seen.headers.append(dict(self.headers))
            position = len(seen.requests) - 1
            say = (
                script[min(position, len(script) - 1)] if isinstance(script, list) else script(body)
            )
            try:
                self._answer(say)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def _answer(self, say: Say) -> None:
            if say.silent:
                stopped.wait(30)
                return
            if say.status != 200:
                data = json.dumps({"error": {"message": say.error, "type": "error"}}).encode()
                self.send_response(say.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for delta in _deltas(say):
                self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            if say.broken:
                self.wfile.write(b"data: {not json\n\n")
            if say.cut:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            stop = say.stop or ("tool_calls" if say.calls else "stop")
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
            usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
            self._event({"choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, value: Body) -> None:
            common = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            self.wfile.write(b"data: " + json.dumps({**common, **value}).encode() + b"\n\n")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that went away is part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    seen = Endpoint(url=f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield seen
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def wait_for(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Did the condition come true within the time?"""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def unused_url() -> str:
    """An address where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def _deltas(say: Say) -> Iterator[Body]:
    yield {"role": "assistant", "content": say.text}
    piece = "x" * 65_536
    for _ in range(say.flood_bytes // len(piece)):
        yield {"content": piece}
    for index, call in enumerate(say.calls):
        arguments = call.raw if call.raw is not None else json.dumps(call.args)
        function = {"name": call.name, "arguments": arguments}
        identifier = f"call_{index}_{time.monotonic_ns()}"
        yield {
            "tool_calls": [
                {"index": index, "id": identifier, "type": "function", "function": function}
            ]
        }
