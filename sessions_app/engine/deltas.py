"""What a running model says, shown while it is said: kept in the Run, pushed to whoever watches."""

from __future__ import annotations

import time

from sessions_app import events
from sessions_app.models import Run
from thoth.runtime.port import RunEvent

PUSH_EVERY_S = 0.3
TEXT_MAX_CHARS = 100_000


class DeltaWriter:
    """Collects pieces of text and passes them on a few times a second."""

    def __init__(self, public_id: str, run_id: int) -> None:
        self._public_id = public_id
        self._run_id = run_id
        self._text = ""
        self._unsent = ""
        self._sent_at = 0.0

    def receive(self, event: RunEvent) -> None:
        """One event of the runtime."""
        if event.kind != "text_delta" or len(self._text) >= TEXT_MAX_CHARS:
            return
        self._text += event.text
        self._unsent += event.text
        if time.monotonic() - self._sent_at >= PUSH_EVERY_S:
            self._send()

    def _send(self) -> None:
        Run.objects.filter(pk=self._run_id).update(text_so_far=self._text[:TEXT_MAX_CHARS])
        events.push_text_delta(self._public_id, self._run_id, self._unsent)
        self._unsent = ""
        self._sent_at = time.monotonic()
