"""Numbers of widgets, texts and events, and the recording of free texts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from django.db.models import F

from sessions_app.models import FreeText, Session, Widget
from thoth.lib.limits import FREE_TEXT_MAX_CHARS
from thoth.lib.text import clean_text

Counter = Literal["event_count", "widget_count", "text_count"]


def take_number(session: Session, counter: Counter) -> int:
    """The next number of the session's counter; also set on `session`.

    The UPDATE takes the session's row lock until the transaction ends, so numbers are gapless and
    become visible in their order.
    """
    row = Session.objects.filter(pk=session.pk)
    row.update(**{counter: F(counter) + 1})
    number = row.values_list(counter, flat=True).get()
    setattr(session, counter, number)
    return int(number)


@dataclass(frozen=True, slots=True)
class Written:
    """A text as the reviewer wrote it; `about` says in words what it answers."""

    text: str
    kind: FreeText.Kind
    author: str
    about: str = ""


def text_record(
    session: Session,
    written: Written,
    *,
    now: dt.datetime,
    widget: Widget | None = None,
    place: tuple[str, str] | None = None,
) -> FreeText:
    """The reviewer's text is stored under the next id `tN`, unaddressed.

    `place` is (phase, stage); without it those of the widget that it answers, else the session's.
    Call it with the session locked. Raises: Invalid `text_empty`, `text_too_long`, `text_nul`,
    `text_surrogate`.
    """
    cleaned = clean_text(written.text, what="text", max_chars=FREE_TEXT_MAX_CHARS)
    number = take_number(session, "text_count")
    at = widget or session
    phase, stage = place or (at.phase, at.stage)
    return FreeText.objects.create(
        session=session,
        uid=f"t{number}",
        number=number,
        kind=written.kind,
        text=cleaned,
        about=written.about,
        author=written.author,
        phase=phase,
        stage=stage,
        widget=widget,
        created_at=now,
    )
