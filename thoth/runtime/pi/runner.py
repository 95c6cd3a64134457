"""One step of Pi, from an empty folder to an outcome. One process a step; nothing outlives it."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

from django.conf import settings

from thoth.runtime.pi.conversation import Conversation, Ended
from thoth.runtime.pi.folder import RunFolder, sweep
from thoth.runtime.pi.installation import Installation, NotInstalled, installed
from thoth.runtime.pi.launch import arguments, environment, write_files
from thoth.runtime.pi.lines import Lines, Malformed, TooMuch, decode
from thoth.runtime.pi.process import PiProcess
from thoth.runtime.pi.types import Handlers, Limits, Outcome, PiRequest

_TICK_S = 0.1  # how late the end of a process that left its output open is seen
_AFTER_PROPOSAL_S = 1.0
_MESSAGE_MAX_CHARS = 600
_ORDERLY = frozenset({"proposed", "no_proposal", "model_error", "rejected_prompt"})


def run_step(
    request: PiRequest,
    handlers: Handlers,
    limits: Limits | None = None,
    installation: Installation | None = None,
) -> Outcome:
    """Run Pi once, in the calling thread, until it proposes, fails or reaches a bound.

    Raises only what `handlers` raise (Pi is ended first).
    """
    limits = limits or Limits()
    started = time.monotonic()
    try:
        installation = installation or installed()
    except NotInstalled as error:
        return Outcome("not_installed", message=str(error))
    root = home() / "runs"
    sweep(root)
    folder = RunFolder.make(root)
    try:
        outcome = _run(request, handlers, limits, installation, folder)
    finally:
        folder.remove()
    outcome = _without_key(outcome, request.provider.key)
    return dataclasses.replace(outcome, duration_s=round(time.monotonic() - started, 3))


def home() -> Path:
    """Where runs and Node's cache are kept; only the account of the worker reads it."""
    return Path(settings.THOTH_HOME) / "pi"


def _run(
    request: PiRequest,
    handlers: Handlers,
    limits: Limits,
    installation: Installation,
    folder: RunFolder,
) -> Outcome:
    cache = home() / "cache"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    cache = cache.resolve()
    write_files(folder, request, limits)
    try:
        process = PiProcess(
            arguments(installation, folder, request, cache),
            environment(folder, request.provider, cache),
            folder.work,
        )
    except OSError as error:
        return Outcome("start_failed", message=f"Pi cannot be started ({error.strerror}).")
    try:
        folder.record(child=process.pid)
        run = _Run(request, handlers, limits, process)
        ended = run.to_its_end()
        code = process.close(orderly=ended.code in _ORDERLY)
    except BaseException:
        process.close()
        raise
    return run.outcome(ended, code)


class _Run:
    """The loop between the process and the conversation, with its clock."""

    def __init__(
        self, request: PiRequest, handlers: Handlers, limits: Limits, process: PiProcess
    ) -> None:
        self._process = process
        self._handlers = handlers
        self._limits = limits
        self._end = time.monotonic() + limits.deadline_s
        self._next_poll = 0.0
        self._lines = Lines(line_bytes=limits.line_bytes, total_bytes=limits.output_bytes)
        self._talk = Conversation(request, handlers, limits, process.send, self._left_s)

    def to_its_end(self) -> Ended:
        """How the run ended, never later than its deadline (and the handler that was at work)."""
        try:
            while True:
                self._step()
        except Ended as ended:
            return ended if self._talk.accepted is None else Ended("proposed")
        except TooMuch as error:
            return self._unless_accepted(Ended("output_limit", str(error)))
        except Malformed as error:
            return self._unless_accepted(Ended("protocol_error", str(error)))

    def outcome(self, ended: Ended, exit_code: int) -> Outcome:
        """Everything that is known of the ended run."""
        talk, tally = self._talk, self._talk.tally
        return Outcome(
            code=ended.code,
            value=talk.accepted.value if talk.accepted else None,
            message=ended.message[:_MESSAGE_MAX_CHARS],
            text=tally.text,
            status=tally.status if ended.code == "model_error" else None,
            refusals=tuple(talk.refusals),
            bad_arguments=talk.bad_arguments,
            model_requests=tally.model_requests,
            tool_calls=tally.tool_calls,
            usage=dict(tally.usage),
            exit_code=exit_code,
            stderr=self._process.stderr_tail,
        )

    def _step(self) -> None:
        self._look_up()
        data = self._process.receive(min(_TICK_S, max(0.0, self._left_s())))
        if data is None:
            raise self._gone()
        for line in self._lines.feed(data):
            self._talk.take(decode(line))
            self._check_clock()
        if self._talk.accepted is not None:  # it has a moment to settle, not the whole deadline
            self._end = min(self._end, time.monotonic() + _AFTER_PROPOSAL_S)

    def _look_up(self) -> None:
        """The deadline at every turn; cancelling and steering now and then: they cost a query."""
        self._check_clock()
        if time.monotonic() < self._next_poll:
            return
        self._next_poll = time.monotonic() + self._limits.poll_s
        if self._handlers.cancelled():
            raise Ended("cancelled", "The step was stopped.")
        if self._talk.is_ready:
            for text in self._handlers.steering():
                self._talk.steer(text)

    def _check_clock(self) -> None:
        if self._left_s() <= 0:
            raise Ended("timeout", f"No proposal within {self._limits.deadline_s:.0f} s.")

    def _left_s(self) -> float:
        return self._end - time.monotonic()

    def _gone(self) -> Ended:
        if self._talk.is_ready:
            return Ended("crashed", "Pi ended before its answer.")
        return Ended("start_failed", "Pi ended before it was ready.")

    def _unless_accepted(self, ended: Ended) -> Ended:
        return ended if self._talk.accepted is None else Ended("proposed")


def _without_key(outcome: Outcome, key: str) -> Outcome:
    """Servers like to repeat the key that they refuse."""
    if not key:
        return outcome
    texts = {
        name: getattr(outcome, name).replace(key, "***") for name in ("message", "text", "stderr")
    }
    return dataclasses.replace(outcome, **texts)
