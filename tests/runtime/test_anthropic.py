"""The other wire format: where Pi sends the request and the key, and that its answer is read."""

from __future__ import annotations

import dataclasses
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.runtime import kit
from thoth.runtime.pi.installation import Installation
from thoth.runtime.pi.runner import run_step

_START: dict[str, object] = {
    "id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [],
    "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1},
}  # fmt: skip
_CALL = {"type": "tool_use", "id": "t1", "name": "propose", "input": {}}
_EVENTS = (
    {"type": "message_start", "message": _START},
    {"type": "content_block_start", "index": 0, "content_block": _CALL},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": '{"answer": "x"}'},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 9},
    },
    {"type": "message_stop"},
)


def test_anthropics_format(pi: Installation) -> None:
    seen: list[tuple[str, str | None, dict[str, object]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path.partition("?")[0], self.headers.get("x-api-key"), body))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in _EVENTS:
                line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                self.wfile.write(line.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        asked = kit.request(f"http://127.0.0.1:{server.server_port}")
        provider = dataclasses.replace(asked.provider, api="anthropic-messages")
        asked = dataclasses.replace(asked, provider=provider)
        outcome = run_step(asked, kit.Recorder(), kit.QUICK, pi)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert (outcome.code, outcome.value) == ("proposed", {"answer": "x"})
    assert outcome.usage["output"] == 9
    ((path, key, body),) = seen
    assert (path, key, body["model"]) == ("/v1/messages", "sk-secret-1", "model-1")
