"""A body that no request needs is refused before Django stores it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from thoth.lib.bodies import BodyLimit

LIMIT = 100


class Server:
    """Stands for the server below the application: what was sent to whom."""

    def __init__(self, *pieces: bytes, length: bytes | None = None) -> None:
        headers = [] if length is None else [(b"content-length", length)]
        self.scope: dict[str, Any] = {"type": "http", "headers": headers}
        self.sent: list[dict[str, Any]] = []
        self.read = b""
        self._pieces = list(pieces)

    async def receive(self) -> dict[str, Any]:
        body = self._pieces.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self._pieces)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def application(self, _scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "http.disconnect":
            self.read += message["body"]
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b"ok"})
                return

    def run(self) -> int:
        asyncio.run(BodyLimit(self.application, LIMIT)(self.scope, self.receive, self.send))
        return int(self.sent[0]["status"])


@pytest.mark.parametrize("length", [b"101", b"9" * 40, b"-1", b"x"])
def test_a_declared_length_beyond_the_limit_is_refused_unread(length: bytes) -> None:
    server = Server(b"x" * 101, length=length)
    assert server.run() == 413
    assert server.read == b""
    assert json.loads(server.sent[1]["body"])["code"] == "request_too_large"


def test_a_body_that_grows_beyond_the_limit_is_cut_off() -> None:
    server = Server(*[b"x" * 40] * 10)
    assert server.run() == 413
    assert len(server.read) == 80
    assert len(server.sent) == 2


def test_what_fits_passes_unchanged() -> None:
    server = Server(b"x" * 60, b"y" * 40, length=b"100")
    assert server.run() == 200
    assert server.read == b"x" * 60 + b"y" * 40


def test_the_product_is_served_behind_it() -> None:
    from thoth import asgi

    assert isinstance(asgi.application, BodyLimit)
