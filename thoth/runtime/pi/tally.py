"""What a run has said and used so far, read from its records."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_TEXT_MAX_CHARS = 20_000
_STATUS = re.compile(r"\s*([1-5]\d\d)\b")
_TOKENS = ("input", "output", "cacheRead", "cacheWrite")

Record = dict[str, object]


@dataclass(slots=True)
class Tally:
    """Counts and the last message of the model."""

    model_requests: int = 0
    tool_calls: int = 0
    usage: Counter[str] = field(default_factory=Counter)
    text: str = ""
    stop: str = ""
    error: str = ""

    def message(self, record: Record) -> None:
        """The record of a finished message; only the model's own count."""
        message = record.get("message")
        if not isinstance(message, dict) or not is_answer(record):
            return
        self.stop = str(message.get("stopReason") or "")
        self.error = str(message.get("errorMessage") or "")
        self.text = _text_of(message.get("content"))
        usage = message.get("usage")
        if isinstance(usage, dict):
            for name in _TOKENS:
                value = usage.get(name)
                self.usage[name] += value if isinstance(value, int) and value > 0 else 0

    @property
    def status(self) -> int | None:
        """The HTTP status that the model's error begins with."""
        found = _STATUS.match(self.error)
        return int(found[1]) if found else None


def text_delta(record: Record) -> str:
    """The piece of text in a streaming record; "" when it holds another thing."""
    event = record.get("assistantMessageEvent")
    if not isinstance(event, dict) or event.get("type") != "text_delta":
        return ""
    return str(event.get("delta") or "")


def is_answer(record: Record) -> bool:
    """Is the record about a message of the model? An aborted request is none: it was never sent."""
    message = record.get("message")
    return (
        isinstance(message, dict)
        and message.get("role") == "assistant"
        and message.get("stopReason") != "aborted"
    )


def _text_of(content: object) -> str:
    parts = content if isinstance(content, list) else []
    texts = [str(p.get("text") or "") for p in parts if isinstance(p, dict) and "text" in p]
    return "".join(texts)[:_TEXT_MAX_CHARS]
