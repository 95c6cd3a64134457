"""Records on the wire: one JSON object a line, ended by LF and by nothing else."""

from __future__ import annotations

import json


class TooMuch(Exception):
    """A line or the whole output is longer than it may be."""


class Malformed(Exception):
    """A line is not a JSON object."""


class Lines:
    """Cuts a stream of bytes into lines. U+2028 and the like are ordinary characters in one."""

    def __init__(self, *, line_bytes: int, total_bytes: int) -> None:
        self._line_bytes = line_bytes
        self._left = total_bytes
        self._parts: list[bytes] = []
        self._pending = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their LF. Raises: TooMuch."""
        self._left -= len(data)
        if self._left < 0:
            raise TooMuch("The model's process wrote more than it may.")
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            lines.append(b"".join((*self._parts, piece)))
            self._parts, self._pending = [], 0
        if rest:
            self._parts.append(rest)
            self._pending += len(rest)
        if self._pending > self._line_bytes or any(len(x) > self._line_bytes for x in lines):
            raise TooMuch("The model's process wrote a line that is too long.")
        return lines


def decode(line: bytes) -> dict[str, object]:
    """The record of a line. Raises: Malformed."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Malformed("The model's process wrote something that is not JSON.") from None
    if not isinstance(value, dict):
        raise Malformed("The model's process wrote JSON that is not an object.")
    return value


def encode(record: dict[str, object]) -> bytes:
    """The line of a record, in ASCII: nothing in it can be taken for a line's end."""
    return json.dumps(record).encode() + b"\n"
