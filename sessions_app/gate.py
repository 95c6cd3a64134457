"""The gate: the only code that turns an answered widget into decisions. Pure.

Decisions come from the stored options, never from the answer. A text (Other, a rejection's reason,
"look further") becomes a NewText that a proposal must address; it never becomes a decision.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from django.utils.translation import gettext as _

from sessions_app.widgets.request import KNOWN_KINDS, Opens, Option, UiRequest
from sessions_app.widgets.response import (
    Answer,
    ArtifactChild,
    BackControl,
    Child,
    ExitControl,
    GateAnswer,
    MultiselectAnswer,
    MultiselectChild,
    OtherControl,
    SelectAnswer,
    SelectChild,
    TextAnswer,
    TextChild,
    free_text,
)
from thoth.contracts.decisions import Decision, ValueGrounded
from thoth.lib.errors import Invalid


@dataclass(frozen=True, slots=True)
class NewText:
    """A reviewer's text that a proposal must address."""

    kind: Literal["other", "rejection", "look_further"]
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A decision with the text (if any) that came with it."""

    decision: Decision
    text: NewText | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer amounts to.

    `written` in option order; `texts` that came without a decision; `sql` is the text of an artifact
    child, to be checked by the stage before it becomes a decision. `chosen` are the option ids.
    """

    written: tuple[Written, ...] = ()
    texts: tuple[NewText, ...] = ()
    chosen: tuple[str, ...] = ()
    sql: str | None = None
    control: Literal["other", "exit", "back"] | None = None
    target: str = ""

    @property
    def all_texts(self) -> tuple[NewText, ...]:
        return tuple(item.text for item in self.written if item.text) + self.texts


@dataclass(slots=True)
class _Collected:
    written: list[Written] = field(default_factory=list)
    texts: list[NewText] = field(default_factory=list)
    sql: str | None = None


def interpret(request: UiRequest, answer: Answer) -> Outcome:
    """What `answer` means for the widget it answers.

    Raises: Invalid `answer_other_widget`, `answer_wrong_kind`, `answer_unknown_option`,
    `answer_choice_missing`, `answer_not_displayed`, `answer_parent_missing`, `answer_alone`,
    `answer_child_missing`, `answer_child_unexpected`, `text_*`.
    """
    if answer.id != request.id:
        raise Invalid("answer_other_widget", "The answer is for another question.")
    if isinstance(answer, OtherControl | BackControl | ExitControl):
        return _control(request, answer)
    if isinstance(answer, TextAnswer):
        return _text_answer(request, answer)
    if answer.kind != request.widget:
        message = f"This question takes an answer of kind {request.widget}, not {answer.kind}."
        raise Invalid("answer_wrong_kind", message)
    if isinstance(answer, MultiselectAnswer):
        return _multiselect(request, answer)
    return _single(request, answer)


def merged(written: Iterable[Written]) -> tuple[Written, ...]:
    """Several groundings of one literal become one decision that any of them satisfies."""
    result: list[Written] = []
    places: dict[str, int] = {}
    for item in written:
        if item.decision.type == "value_grounded" and item.decision.subject in places:
            place = places[item.decision.subject]
            result[place] = _joined(result[place], item)
            continue
        if item.decision.type == "value_grounded":
            places[item.decision.subject] = len(result)
        result.append(item)
    return tuple(result)


def quoted(decision: Decision, texts: Mapping[str, str]) -> Decision:
    """The decision with the ids of the texts that influenced it and their words in its rationale."""
    if not texts:
        return decision
    words = "; ".join(f"{uid}: «{text}»" for uid, text in texts.items())
    rationale = f"{decision.rationale}\n{words}".strip()
    payload = {**decision.payload, "text_ids": list(texts)}
    return decision.model_copy(update={"rationale": rationale, "payload": payload})


def checked_at(decision: Decision, moment: dt.datetime) -> Decision:
    """A grounding with the moment its literal was looked up."""
    payload = {**decision.payload, "checked_at": moment.isoformat()}
    return decision.model_copy(update={"payload": payload})


def _control(request: UiRequest, answer: OtherControl | BackControl | ExitControl) -> Outcome:
    if answer.control not in request.reserved:
        raise Invalid("answer_wrong_kind", f"This question does not offer {answer.control!r}.")
    if isinstance(answer, BackControl):
        return Outcome(control="back", target=answer.target)
    if isinstance(answer, ExitControl):
        return Outcome(control="exit")
    known = tuple(_option(request, choice).id for choice in answer.choices)
    text = NewText("other", free_text(answer.text), about=request.title)
    return Outcome(control="other", texts=(text,), chosen=known)


def _text_answer(request: UiRequest, answer: TextAnswer) -> Outcome:
    """The answer to a free-text widget, and to any kind that the reviewer's client cannot show."""
    expected = "freetext" if request.widget == "freetext" else "unknown"
    if answer.kind != expected or (request.widget in KNOWN_KINDS and expected == "unknown"):
        raise Invalid(
            "answer_wrong_kind", f"This question is a {request.widget}: answer it as one."
        )
    return Outcome(texts=(NewText("other", free_text(answer.text), about=request.title),))


def _single(request: UiRequest, answer: SelectAnswer | GateAnswer) -> Outcome:
    option = _option(request, answer.choice)
    collected = _Collected()
    _take(option, answer.child, collected)
    return _outcome(collected, (option.id,))


def _multiselect(request: UiRequest, answer: MultiselectAnswer) -> Outcome:
    chosen = frozenset(answer.choices)
    displayed = frozenset(answer.displayed)
    _check_choices(request, answer, chosen, displayed)
    collected = _Collected()
    for option in request.options:
        if option.id in chosen:
            _take(option, answer.children.get(option.id), collected)
        elif option.id in displayed and option.decision_deselected:
            collected.written.append(Written(option.decision_deselected))
    return _outcome(collected, tuple(o.id for o in request.options if o.id in chosen))


def _check_choices(
    request: UiRequest, answer: MultiselectAnswer, chosen: frozenset[str], displayed: frozenset[str]
) -> None:
    options = [_option(request, choice) for choice in (*answer.choices, *answer.displayed)]
    if len(answer.choices) != len(chosen):
        raise Invalid("response_invalid", "An option is chosen twice.")
    if not chosen and not request.allow_empty:
        raise Invalid("answer_choice_missing", _("Choose at least one option."))
    if not chosen <= displayed:
        raise Invalid("answer_not_displayed", "An option was chosen that was not displayed.")
    if not answer.children.keys() <= chosen:
        raise Invalid("answer_child_unexpected", "There is an answer below an option not chosen.")
    for option in options:
        if option.id in chosen and option.parent and option.parent not in chosen:
            parent = _option(request, option.parent).label
            message = _("%(option)s needs %(parent)s, which is not chosen.") % {
                "option": option.label,
                "parent": parent,
            }
            raise Invalid("answer_parent_missing", message, option=option.id)
        if option.id in chosen and option.alone and len(chosen) > 1:
            message = _("“%s” cannot be combined with other choices.") % option.label
            raise Invalid("answer_alone", message)


def _option(request: UiRequest, option_id: str) -> Option:
    option = request.option(option_id)
    if option is None:
        raise Invalid("answer_unknown_option", "The question has no such option.", option=option_id)
    return option


def _take(option: Option, child: Child | None, into: _Collected) -> None:
    """Add what choosing the option with this child means."""
    opens = option.opens
    if opens is None:
        if child is not None:
            raise Invalid("answer_child_unexpected", f"“{option.label}” takes no further answer.")
        _decide(option.decision, None, into)
        return
    if child is None or (
        isinstance(child, TextChild) and opens.optional and not child.text.strip()
    ):
        if not opens.optional:
            message = _("“%(option)s” needs a further answer: %(question)s") % {
                "option": option.label,
                "question": opens.title or opens.widget,
            }
            raise Invalid("answer_child_missing", message, option=option.id)
        _decide(option.decision, None, into)
        return
    if child.kind != opens.widget:
        raise Invalid(
            "answer_wrong_kind", f"“{option.label}” takes a child of kind {opens.widget}."
        )
    _take_child(option, opens, child, into)


def _take_child(option: Option, opens: Opens, child: Child, into: _Collected) -> None:
    if isinstance(child, TextChild) and opens.into:
        _decide(_with_fields(option.decision, opens.into, free_text(child.text)), None, into)
    elif isinstance(child, TextChild):
        about = _about(option)
        _decide(option.decision, NewText(opens.text_kind, free_text(child.text), about), into)
    elif isinstance(child, SelectChild):
        replacement = _child_option(opens, child.choice).decision
        _decide(replacement or option.decision, None, into)
    elif isinstance(child, MultiselectChild):
        values = [_child_option(opens, choice).id for choice in child.choices]
        _decide(_with_fields(option.decision, opens.into, values), None, into)
    elif isinstance(child, ArtifactChild):
        if not child.text.strip():
            raise Invalid("text_empty", _("The SQL text is empty."))
        into.sql = child.text
        _decide(option.decision, None, into)


def _child_option(opens: Opens, option_id: str) -> Option:
    for option in opens.options or ():
        if option.id == option_id:
            return option
    raise Invalid("answer_unknown_option", "The question has no such option.", option=option_id)


def _decide(decision: Decision | None, text: NewText | None, into: _Collected) -> None:
    if decision is not None:
        into.written.append(Written(decision, text))
    elif text is not None:
        into.texts.append(text)


def _with_fields(
    decision: Decision | None, fields: tuple[str, ...], value: object
) -> Decision | None:
    """The decision with `value` in the named fields (`detail`, `rationale`, `payload.X`)."""
    if decision is None:
        return None
    payload = dict(decision.payload)
    update: dict[str, object] = {}
    for name in fields:
        head, _, tail = name.partition(".")
        if tail:
            payload[tail] = value
        else:
            update[head] = value
    return decision.model_copy(update={**update, "payload": payload})


def _about(option: Option) -> str:
    return f"{option.label}: {option.decision.subject}" if option.decision else option.label


def _joined(first: Written, second: Written) -> Written:
    one = ValueGrounded.model_validate(first.decision.payload)
    two = ValueGrounded.model_validate(second.decision.payload)
    payload = one.model_copy(
        update={
            "groundings": one.groundings + two.groundings,
            "combine": "any",
            "serves": tuple(dict.fromkeys(one.serves + two.serves)),
            "runners_up": tuple(r for r in one.runners_up if r not in two.groundings),
        }
    )
    decision = first.decision.model_copy(
        update={
            "payload": payload.model_dump(mode="json", exclude_defaults=True),
            "detail": f"{first.decision.detail} | {second.decision.detail}",
        }
    )
    return Written(decision, first.text or second.text)


def _outcome(collected: _Collected, chosen: tuple[str, ...]) -> Outcome:
    return Outcome(
        written=merged(collected.written),
        texts=tuple(collected.texts),
        chosen=chosen,
        sql=collected.sql,
    )
