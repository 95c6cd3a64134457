"""A pending question as lines of a terminal, and the answer that command options mean. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sessions_app.selectors import SessionState
from thoth.lib.errors import Conflict, Invalid

Body = dict[str, object]


def widget_text(state: SessionState) -> str:
    """Status, what failed, and the question with its options' ids."""
    line = state.line
    lines = [f"{line.id}  {line.status}  {line.phase} {line.stage}".rstrip(), line.question]
    if state.failure:
        lines.append(f"failed: {state.failure['message']} ({state.failure['code']})")
    lines += [
        f"  your «{r['text']}» ({r['id']}) was read as: {r['reading']}" for r in state.readings
    ]
    if state.widget:
        lines += ["", *_question_lines(state.widget)]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Said:
    """What the options of `tht session answer` say; `recommended` takes what is recommended."""

    choices: tuple[str, ...] = ()
    text: str = ""
    other: str = ""
    back: str = ""
    leave: bool = False
    recommended: bool = False


def answer_body(widget: dict[str, Any] | None, said: Said) -> Body:
    """The ui_response that the options mean.

    Raises: Conflict `no_pending_widget`; Invalid `answer_choice_missing`.
    """
    if widget is None:
        raise Conflict("no_pending_widget", "No question is waiting for an answer.")
    body: Body = {"type": "ui_response", "id": widget["id"]}
    control = _control(said)
    if control is not None:
        return body | control
    chosen = _recommended(widget) if said.recommended else list(said.choices)
    if widget["widget"] == "multiselect":
        return body | _multiselect(widget, chosen, said.text)
    if widget["widget"] in ("select", "artifact_gate"):
        return body | _single(widget, chosen, said.text)
    kind = "freetext" if widget["widget"] == "freetext" else "unknown"
    return body | {"kind": kind, "text": said.text}


def _control(said: Said) -> Body | None:
    if said.other:
        return {"control": "other", "text": said.other, "choices": list(said.choices)}
    if said.back:
        return {"control": "back", "target": said.back}
    return {"control": "exit"} if said.leave else None


def _recommended(widget: dict[str, Any]) -> list[str]:
    options = widget["options"]
    if widget["widget"] == "multiselect":
        return [option["id"] for option in options if option["selected"]]
    return [option["id"] for option in options if option["recommended"]][:1]


def _multiselect(widget: dict[str, Any], chosen: list[str], text: str) -> Body:
    options = {option["id"]: option for option in widget["options"]}
    children = {
        choice: child
        for choice in chosen
        if (child := _child(options.get(choice), text)) is not None
    }
    return {
        "kind": "multiselect",
        "choices": chosen,
        "displayed": list(options),
        "children": children,
    }


def _single(widget: dict[str, Any], chosen: list[str], text: str) -> Body:
    if len(chosen) != 1:
        raise Invalid("answer_choice_missing", "Choose exactly one option with --choose.")
    option = next((o for o in widget["options"] if o["id"] == chosen[0]), None)
    body: Body = {"kind": widget["widget"], "choice": chosen[0]}
    child = _child(option, text)
    return body | ({"child": child} if child else {})


def _child(option: dict[str, Any] | None, text: str) -> Body | None:
    """The text goes to the one option that asks for one."""
    opens = option.get("opens") if option else None
    if not opens or not text:
        return None
    if opens["widget"] in ("freetext", "artifact"):
        return {"kind": opens["widget"], "text": text}
    if opens["widget"] == "select":
        return {"kind": "select", "choice": text}
    return {"kind": "multiselect", "choices": [part for part in text.split(",") if part]}


def _question_lines(widget: dict[str, Any]) -> list[str]:
    lines = [f"{widget['id']}  {widget['title']}  [{widget['widget']}]"]
    if widget["intro"]:
        lines.append(widget["intro"])
    if widget["artifact"]:
        lines += ["", widget["artifact"]["text"].rstrip(), ""]
    return lines + [_option_line(option) for option in widget["options"]]


def _option_line(option: dict[str, Any]) -> str:
    mark = "*" if option["selected"] else ">" if option["recommended"] else " "
    indent = "  " if option["parent"] else ""
    count = option["meta"].get("count")
    parts = [
        f"{option['label']}",
        f"({count} rows)" if count is not None else "",
        option["description"],
    ]
    return f" {mark} {indent}{option['id']}: " + "  ".join(part for part in parts if part)
