"""The conversation as a record of decisions: what was decided, over what, why, by whom, when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sessions_app.models import FreeText, Widget
from sessions_app.pages.labels import phase_label, sentence, text_kind_label
from sessions_app.types import Row
from sessions_app.view import EffectiveView, closed_stage

Kind = Literal["answer", "confirmed", "automatic", "went_back", "said"]
SHOWN_LINES = 3
LONG_LINE_CHARS = 400
_WENT_BACK = frozenset({"phase_reopened", "decision_retracted"})


@dataclass(frozen=True, slots=True)
class TextLine:
    """A reviewer's text and how it was understood. `refusable`: "not what I meant" applies."""

    uid: str
    text: str
    kind: str
    status: str
    reading: str
    refusable: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the conversation.

    `headline` and `lines` are sentences with names in backticks; `more` are those that do not fit.
    """

    kind: Kind
    at: dt.datetime
    order: tuple[int, int]
    tag: str
    headline: str
    lines: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    left_out: int = 0
    rationale: str = ""
    texts: tuple[TextLine, ...] = ()
    who: str = ""
    widget: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """What a conversation is made of; widgets and texts oldest first. Readings that `asking` (the
    pending widget, when the user may answer it) rests on can be refused."""

    view: EffectiveView
    rows: Sequence[Row]
    widgets: Sequence[Widget]
    texts: Sequence[FreeText]
    asking: Widget | None = None


def conversation(material: Material) -> tuple[Entry, ...]:
    """All entries that still count, oldest first; going back is an entry, what it undid is not."""
    phases = _phase_labels(material)
    by_widget = _texts_by_widget(material)
    entries = [*_answers(material, by_widget, phases)]
    entries += _automatic(material, phases)
    entries += _went_back(material, phases)
    entries += [
        _said(text, material)
        for text in material.texts
        if text.widget_id is None and text.status != FreeText.Status.DROPPED
    ]
    return tuple(sorted(entries, key=lambda entry: (entry.at, entry.order)))


def open_texts(material: Material) -> tuple[TextLine, ...]:
    """The texts that no proposal has addressed yet."""
    return tuple(
        _text_line(text, material) for text in material.texts if text.status == FreeText.Status.OPEN
    )


def readings_for(material: Material, widget: Widget | None) -> tuple[TextLine, ...]:
    """The texts whose reading the widget shows."""
    return tuple(
        _text_line(text, material)
        for text in material.texts
        if widget is not None and text.addressed_by_widget_id == widget.pk
    )


def _phase_labels(material: Material) -> dict[str, str]:
    return {phase.id: phase_label(phase) for phase in material.view.workflow.phases}


def _texts_by_widget(material: Material) -> dict[int, list[TextLine]]:
    found: dict[int, list[TextLine]] = {}
    for text in material.texts:
        if text.widget_id is not None and text.status != FreeText.Status.DROPPED:
            found.setdefault(text.widget_id, []).append(_text_line(text, material))
    return found


def _answers(
    material: Material, texts: Mapping[int, list[TextLine]], phases: dict[str, str]
) -> Iterable[Entry]:
    numbers: dict[str, int] = {}
    for widget in material.widgets:
        if widget.status != Widget.Status.ANSWERED or widget.answered_at is None:
            continue
        numbers[widget.phase] = numbers.get(widget.phase, 0) + 1
        rows = material.view.of_widget(widget.uid)
        tag = f"{widget.phase} · {numbers[widget.phase]}"
        yield _answer(widget, rows, tuple(texts.get(widget.pk, ())), tag, phases)


def _answer(
    widget: Widget,
    rows: tuple[Row, ...],
    texts: tuple[TextLine, ...],
    tag: str,
    phases: dict[str, str],
) -> Entry:
    decided = [row for row in rows if closed_stage(row) is None]
    said = [_short(sentence(row, phases)) for row in decided or rows]
    request: Mapping[str, Any] = widget.request
    headline = said[0] if len(said) == 1 else str(request.get("title", ""))
    lines = said if len(said) > 1 else []
    over, left_out = _not_chosen(widget)
    return Entry(
        kind="answer" if decided or not rows else "confirmed",
        at=widget.answered_at or widget.created_at,
        order=(0, widget.number),
        tag=tag,
        headline=headline,
        lines=tuple(lines[:SHOWN_LINES]),
        more=tuple(lines[SHOWN_LINES:]),
        over=over,
        left_out=left_out,
        rationale=_rationale(decided, headline),
        texts=texts,
        who=widget.answered_by,
        widget=widget.uid,
        title=str(request.get("title", "")),
    )


def _not_chosen(widget: Widget) -> tuple[tuple[str, ...], int]:
    """Labels of the readings that a choice of one passed over; or how many lines stayed unticked."""
    request: Mapping[str, Any] = widget.request
    answer: Mapping[str, Any] = widget.answer or {}
    options = [o for o in request.get("options", ()) if o.get("decision")]
    if widget.kind == "select" and answer.get("choice"):
        others = [o["label"] for o in options if o["id"] != answer["choice"] and not o.get("alone")]
        return tuple(others), 0
    if widget.kind == "multiselect" and "control" not in answer:
        chosen = set(answer.get("choices", ()))
        return (), sum(1 for option in options if option["id"] not in chosen)
    return (), 0


def _rationale(rows: list[Row], headline: str) -> str:
    """The reason of a single decision, without the quoted texts (they are shown themselves)."""
    if len(rows) != 1:
        return ""
    first = rows[0].rationale.partition("\n")[0]
    return "" if first in headline else _short(first)


def _automatic(material: Material, phases: dict[str, str]) -> Iterable[Entry]:
    for row in material.view.rows:
        if not row.widget and row.created_at is not None:
            yield Entry(
                kind="automatic",
                at=row.created_at,
                order=(1, row.seq),
                tag=row.phase,
                headline=_short(sentence(row, phases)),
                who=row.author,
            )


def _went_back(material: Material, phases: dict[str, str]) -> Iterable[Entry]:
    for row in material.rows:
        if row.type in _WENT_BACK and row.created_at is not None:
            yield Entry(
                kind="went_back",
                at=row.created_at,
                order=(1, row.seq),
                tag=row.phase,
                headline=_short(sentence(row, phases)),
                who=row.author,
            )


def _said(text: FreeText, material: Material) -> Entry:
    return Entry(
        kind="said",
        at=text.created_at,
        order=(2, text.number),
        tag=text.phase,
        headline=text_kind_label(text.kind),
        texts=(_text_line(text, material),),
        who=text.author,
    )


def _text_line(text: FreeText, material: Material) -> TextLine:
    return TextLine(
        uid=text.uid,
        text=text.text,
        kind=text_kind_label(text.kind),
        status=text.status,
        reading=text.reading,
        refusable=material.asking is not None
        and text.addressed_by_widget_id == material.asking.pk
        and text.status == FreeText.Status.ADDRESSED,
    )


def _short(text: str) -> str:
    return text if len(text) <= LONG_LINE_CHARS else text[: LONG_LINE_CHARS - 1] + "…"
