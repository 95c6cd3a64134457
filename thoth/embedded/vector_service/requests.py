"""Bodies into the client's own models: unknown fields, wrong types and infinite numbers refused."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from thoth.embedded.vector_service.errors import Refused

BODY_BYTES_MAX = 32 * 2**20  # Qdrant's own default
NESTING_MAX = 64
Model = TypeVar("Model", bound=BaseModel)


async def read_body(request: Request) -> bytes:
    """The whole body, never more than BODY_BYTES_MAX. Raises: Refused 413."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > BODY_BYTES_MAX:
                raise Refused(413, f"Payload larger than {BODY_BYTES_MAX} bytes")
            parts.append(part)
    except ClientDisconnect:
        raise Refused(400, "The client went away") from None
    return b"".join(parts)


def parse(model: type[Model], body: bytes) -> Model:
    """The body as this model. Raises: Refused 400."""
    try:
        document = json.loads(body, parse_constant=_no_constant)
        _finite(document, 0)
        return cast(Model, _adapter(model).validate_python(document))
    except ValidationError as error:
        raise Refused(400, f"Format error in JSON body: {_first(error)}") from None
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"Format error in JSON body: {error}") from None


@cache
def _adapter(model: type[BaseModel]) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _finite(value: object, depth: int) -> None:
    # 1e400 is valid JSON and infinite; a lone surrogate is a string that UTF-8 cannot hold.
    if depth > NESTING_MAX:
        raise ValueError(f"nested deeper than {NESTING_MAX}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is not finite")
    if isinstance(value, str):
        value.encode()
    if isinstance(value, dict):
        for key, item in value.items():
            _finite(key, depth)
            _finite(item, depth + 1)
    elif isinstance(value, list):
        _finite_items(value, depth)


def _finite_items(values: list[object], depth: int) -> None:
    if values and all(type(item) is float for item in values):
        # Vectors are long: one sum finds infinity and NaN.
        if not math.isfinite(math.fsum(map(abs, cast("list[float]", values)))):
            raise ValueError("a number is not finite")
        return
    for item in values:
        _finite(item, depth + 1)


def _first(error: ValidationError) -> str:
    # Not the input: it may be a patient's text, and messages are logged.
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
