"""The HTML form of a widget as the ui_response that every other client sends.

Nothing is decided here: the gate judges the answer. Line ends are the browser's business, so CRLF
becomes LF before a text is compared or hashed.
"""

from __future__ import annotations

from django.http import QueryDict
from django.utils.translation import gettext as _

from sessions_app.pages.widget_view import Draft
from sessions_app.widgets.request import KNOWN_KINDS, Option, UiRequest
from thoth.lib.errors import Invalid

Json = dict[str, object]
_PREFIX = "child-"


def answer_of_form(request: UiRequest, form: QueryDict) -> Json:
    """The answer to `request` that the posted form means.

    Raises: Invalid `answer_choice_missing` when a choice of one has none.
    """
    body: Json = {"type": "ui_response", "id": request.id}
    if request.widget == "multiselect":
        return body | _multiselect(request, form)
    if request.widget in {"select", "artifact_gate"}:
        return body | _single(request, form)
    kind = "freetext" if request.widget in KNOWN_KINDS else "unknown"
    return body | {"kind": kind, "text": text_of(form, "text")}


def other_of_form(request: UiRequest, form: QueryDict) -> Json:
    """The reviewer's own words, with what they had ticked."""
    known = {option.id for option in request.options}
    return {
        "type": "ui_response",
        "id": request.id,
        "control": "other",
        "text": text_of(form, "other_text"),
        "choices": [choice for choice in form.getlist("choices") if choice in known],
    }


def draft_of_form(form: QueryDict) -> Draft:
    """What was filled in, to be shown again beside the reason of a refusal."""
    children = {
        name.removeprefix(_PREFIX): tuple(_lf(value) for value in form.getlist(name))
        for name in form
        if name.startswith(_PREFIX)
    }
    return Draft(
        choices=frozenset(form.getlist("choices")),
        children=children,
        text=text_of(form, "text"),
        other_text=text_of(form, "other_text"),
    )


def text_of(form: QueryDict, name: str) -> str:
    """A field's text with LF line ends; empty when it is missing."""
    return _lf(form.get(name, ""))


def _single(request: UiRequest, form: QueryDict) -> Json:
    choice = form.get("choices", "")
    if not choice:
        raise Invalid("answer_choice_missing", _("Choose an option first."))
    body: Json = {"kind": request.widget, "choice": choice}
    option = request.option(choice)
    child = _child(option, form) if option else None
    return body | ({"child": child} if child else {})


def _multiselect(request: UiRequest, form: QueryDict) -> Json:
    choices = list(dict.fromkeys(form.getlist("choices")))
    children = {}
    for choice in choices:
        option = request.option(choice)
        child = _child(option, form) if option else None
        if child:
            children[choice] = child
    displayed = list(dict.fromkeys(form.getlist("displayed")))
    return {"kind": "multiselect", "choices": choices, "displayed": displayed, "children": children}


def _child(option: Option, form: QueryDict) -> Json | None:
    """The answer to the widget that the option opens; None when it was left empty."""
    if option.opens is None:
        return None
    name = _PREFIX + option.id
    kind = option.opens.widget
    if kind == "multiselect":
        return {"kind": kind, "choices": form.getlist(name)}
    value = text_of(form, name)
    if not value.strip():
        return None
    return {"kind": kind, "choice": value} if kind == "select" else {"kind": kind, "text": value}


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
