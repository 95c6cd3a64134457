"""Two keys, as Qdrant has them: one reads, one also writes."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Literal

from starlette.requests import Request

from thoth.embedded.vector_service.errors import Refused

Access = Literal["read", "write", "manage"]


@dataclass(frozen=True, slots=True)
class Keys:
    """The reader's key and the writer's; neither appears in a repr."""

    reader: str = field(repr=False)
    writer: str = field(repr=False)

    def check(self, request: Request, access: Access) -> None:
        """Raises: Refused 401 without a known key, 403 when the key may only read."""
        given = _given(request)
        if not given:
            message = "Must provide an API key or an Authorization bearer token"
            raise Refused(401, message, plain=True)
        if _same(given, self.writer):
            return
        if not _same(given, self.reader):
            raise Refused(401, "Invalid API key or JWT", plain=True)
        if access != "read":
            raise Refused(403, f"Forbidden: {_needed(request, access)} is required")


def _given(request: Request) -> str:
    bearer = request.headers.get("authorization", "")
    token = bearer[7:] if bearer[:7].lower() == "bearer " else ""
    return request.headers.get("api-key", "") or token


def _same(given: str, key: str) -> bool:
    return bool(key) and hmac.compare_digest(given.encode(), key.encode())


def _needed(request: Request, access: Access) -> str:
    if access == "manage":
        return "Global manage access"
    return f"Write access to collection {request.path_params.get('name', '')}"
