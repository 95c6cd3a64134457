"""No request may send more than it could need.

Django stores a request's body on disk before any view or middleware sees it, so the limit has to
stand in front of Django.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class BodyLimit:
    """An ASGI application that answers 413 `request_too_large` instead of reading on."""

    def __init__(self, application: Application, max_bytes: int) -> None:
        self._application = application
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
        elif _declared(scope) > self._max_bytes:
            await _refuse(send, self._max_bytes)
        else:
            await self._application(scope, self._counting(receive, send), send)

    def _counting(self, receive: Receive, send: Send) -> Receive:
        """`receive` that hangs up on a body which is longer than was declared."""
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received <= self._max_bytes:
                return message
            await _refuse(send, self._max_bytes)
            return {"type": "http.disconnect"}

        return counted


def _declared(scope: Scope) -> int:
    text: bytes = dict(scope["headers"]).get(b"content-length", b"0")
    # A server refuses a length that is no number; a silly one is too long for us.
    return int(text) if text.isdigit() and len(text) <= len(str(2**63)) else 2**63


async def _refuse(send: Send, limit: int) -> None:
    problem = {
        "type": "urn:thoth:error:request_too_large",
        "title": "Content Too Large",
        "status": 413,
        "detail": f"A request may have at most {limit} bytes.",
        "code": "request_too_large",
        "extra": {"limit": limit},
    }
    headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(problem).encode()})
