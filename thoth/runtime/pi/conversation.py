"""The protocol of one run: wait for the tools, send the prompt, answer calls, see how it ends."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

from thoth.runtime.pi.lines import encode
from thoth.runtime.pi.tally import Record, Tally, is_answer, text_delta
from thoth.runtime.pi.types import (
    PROTOCOL,
    Accept,
    Args,
    Handlers,
    Limits,
    OutcomeCode,
    PiRequest,
    ToolRefused,
)

# Requests of Pi's interface that want no answer.
_ONE_WAY = frozenset({"notify", "setStatus", "setWidget", "setTitle", "set_editor_text"})
_REASON_MAX_CHARS = 400
_TRUNCATED = "\n(cut: the result was too long)"


class Ended(Exception):
    """The run is over; `code` and `message` say how."""

    def __init__(self, code: OutcomeCode, message: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Conversation:
    """Takes records one by one; raises Ended at the end of the run."""

    def __init__(
        self,
        request: PiRequest,
        handlers: Handlers,
        limits: Limits,
        send: Callable[[bytes], None],
        left_s: Callable[[], float],
    ) -> None:
        self.tally = Tally()
        self.accepted: Accept | None = None
        self.refusals: list[str] = []
        self.bad_arguments = 0
        self.is_ready = False
        self._request = request
        self._handlers = handlers
        self._limits = limits
        self._send = send
        self._left_s = left_s
        self._terminal = {tool.name for tool in request.tools if tool.terminal}
        self._names = {tool.name for tool in request.tools}
        self._asked: set[str] = set()
        self._prompt_id = f"prompt-{uuid.uuid4().hex}"
        self._takes: dict[str, Callable[[Record], None]] = {
            "extension_ui_request": self._interface,
            "response": self._response,
            "message_start": self._message_start,
            "message_update": self._message_update,
            "message_end": self.tally.message,
            "tool_execution_start": self._tool_start,
            "tool_execution_end": self._tool_end,
            "extension_error": self._extension_error,
            "agent_settled": self._settled,
        }

    def take(self, record: Record) -> None:
        """One record. Kinds that we do not know mean nothing to us. Raises: Ended."""
        take = self._takes.get(str(record.get("type")))
        if take is not None:
            take(record)

    def steer(self, text: str) -> None:
        """A text of the reviewer while the model works; it reads it before its next request."""
        # Never as the first word: a line that begins with a slash is a command of Pi's.
        message = f"The reviewer adds: {text}"
        self._write({"id": f"steer-{uuid.uuid4().hex}", "type": "steer", "message": message})

    # --- what Pi's interface asks -----------------------------------------------------------------

    def _interface(self, record: Record) -> None:
        method = record.get("method")
        if method == "setStatus" and record.get("statusKey") == PROTOCOL:
            self._ready(_object(record.get("statusText")))
        elif method == "input" and record.get("title") == PROTOCOL:
            self._call(str(record.get("id")), _object(record.get("placeholder")))
        elif method not in _ONE_WAY:
            raise Ended("protocol_error", f"Pi asked for {method!r}, which no step needs.")

    def _ready(self, said: Record) -> None:
        if said.get("op") != "ready" or self.is_ready:
            raise Ended("protocol_error", "Pi began a second time.")
        for key in ("active", "all"):
            names = said.get(key)
            if not isinstance(names, list) or sorted(map(str, names)) != sorted(self._names):
                message = f"Pi offers the model other tools than this step has ({key})."
                raise Ended("protocol_error", message)
        self.is_ready = True
        message = f"Here is the task.\n\n{self._request.message}"
        self._write({"id": self._prompt_id, "type": "prompt", "message": message})

    def _call(self, request_id: str, call: Record) -> None:
        tool, args = str(call.get("tool")), call.get("args")
        if not self.is_ready or tool not in self._names or not isinstance(args, dict):
            raise Ended("protocol_error", "Pi passed on a call of a tool that it was not given.")
        if self.accepted is not None:
            answer: Record = {"ok": False, "error": "The step is over.", "final": True}
        elif tool in self._terminal:
            self._asked.add(str(call.get("call_id")))
            answer = self._proposed(args)
        else:
            answer = self._answered(tool, args)
        value = json.dumps(answer)
        self._write({"type": "extension_ui_response", "id": request_id, "value": value})

    def _proposed(self, args: Args) -> Record:
        verdict = self._handlers.propose(args)
        if isinstance(verdict, Accept):
            self.accepted = verdict
            return {"ok": True, "text": "Accepted.", "final": True}
        self.refusals.append(verdict.reason)
        return {"ok": False, "error": self._bounded(verdict.reason)}

    def _answered(self, tool: str, args: Args) -> Record:
        try:
            text = self._handlers.call(tool, args, self._left_s())
        except ToolRefused as refused:
            return {"ok": False, "error": self._bounded(str(refused))}
        return {"ok": True, "text": self._bounded(text)}

    def _bounded(self, text: str) -> str:
        data = text.encode("utf-8", "replace")
        if len(data) <= self._limits.answer_bytes:
            return data.decode()
        room = self._limits.answer_bytes - len(_TRUNCATED)
        return data[:room].decode("utf-8", "ignore") + _TRUNCATED

    # --- what Pi reports --------------------------------------------------------------------------

    def _response(self, record: Record) -> None:
        if record.get("success") is not False:
            return
        error = str(record.get("error") or "")
        if record.get("id") == self._prompt_id:
            raise Ended("rejected_prompt", error)
        if record.get("command") == "parse":
            raise Ended("protocol_error", "Pi did not understand us.")

    def _message_start(self, record: Record) -> None:
        if is_answer(record):
            self.tally.model_requests += 1
            if self.tally.model_requests > self._limits.model_requests:
                raise Ended("budget", f"More than {self._limits.model_requests} model requests.")

    def _message_update(self, record: Record) -> None:
        text = text_delta(record)
        if text:
            self._handlers.on_text(text)

    def _tool_start(self, _record: Record) -> None:
        self.tally.tool_calls += 1
        if self.tally.tool_calls > self._limits.tool_calls:
            raise Ended("budget", f"More than {self._limits.tool_calls} tool calls.")

    def _tool_end(self, record: Record) -> None:
        """Arguments that Pi could not read never reach us as a call, only as its error."""
        if not record.get("isError") or record.get("toolName") not in self._terminal:
            return
        if str(record.get("toolCallId")) not in self._asked and self.accepted is None:
            self.bad_arguments += 1
            self.refusals.append(_reason(record.get("result")))
        if len(self.refusals) > self._limits.proposals:  # the extension ends the run before
            raise Ended("no_proposal", "The model ended without a valid proposal.")

    def _extension_error(self, record: Record) -> None:
        raise Ended("protocol_error", f"The extension failed in {record.get('event')}.")

    def _settled(self, _record: Record) -> None:
        if self.tally.stop == "error":
            raise Ended("model_error", self.tally.error)
        if self.tally.stop == "toolUse" and not self.refusals:
            raise Ended("budget", "The model used up its requests without a proposal.")
        raise Ended("no_proposal", "The model ended without a proposal.")

    def _write(self, record: Record) -> None:
        self._send(encode(record))


def _reason(result: object) -> str:
    """Why Pi refused the arguments, without the arguments."""
    content = result.get("content") if isinstance(result, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    text = str(first.get("text") or "") if isinstance(first, dict) else ""
    said = text.partition("Received arguments")[0].partition(":")[2]
    return " ".join(said.split())[:_REASON_MAX_CHARS] or "not the JSON that was asked for"


def _object(text: object) -> Record:
    try:
        value = json.loads(str(text))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Ended("protocol_error", "The extension sent something that is not an object.")
    return value
