"""Pure filters of the pages. All of them escape; none of them reads the database."""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import TYPE_CHECKING

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils import formats, timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from sessions_app.pages.labels import refusal_label, stage_label
from thoth.lib.errors import ThothError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

register = template.Library()
# What `make setup` fetches into static/vendor/, by library.
_VENDOR = {
    "mermaid": "vendor/mermaid/mermaid.min.js",
    "ag-grid": "vendor/ag-grid/ag-grid-community.min.js",
}
_CODE = re.compile(r"`([^`\n]+)`")
_FULL_NAME = re.compile(r"\b\w+\.(\w+\.\w+)\b(?!\.)")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{5,}\Z")
_FOUR_DECIMALS = Decimal("0.0001")
_EXACT = Context(prec=150_000)  # no number of PostgreSQL has more digits
_SQL_TOKEN = re.compile(
    r"(?P<c>--[^\n]*|/\*.*?\*/)|(?P<s>'(?:[^']|'')*')|(?P<q>\"(?:[^\"]|\"\")*\")|(?P<w>\b[a-z_]+\b)",
    re.IGNORECASE | re.DOTALL,
)
_SQL_KEYWORDS = frozenset(
    [
        "all",
        "and",
        "any",
        "as",
        "asc",
        "between",
        "by",
        "case",
        "cast",
        "cross",
        "current_date",
        "desc",
        "distinct",
        "else",
        "end",
        "except",
        "exists",
        "extract",
        "false",
        "fetch",
        "filter",
        "first",
        "following",
        "for",
        "from",
        "full",
        "group",
        "grouping",
        "having",
        "ilike",
        "in",
        "inner",
        "intersect",
        "interval",
        "is",
        "join",
        "last",
        "lateral",
        "left",
        "like",
        "limit",
        "natural",
        "not",
        "null",
        "nulls",
        "offset",
        "on",
        "or",
        "order",
        "outer",
        "over",
        "partition",
        "preceding",
        "range",
        "right",
        "row",
        "rows",
        "select",
        "sets",
        "similar",
        "some",
        "then",
        "to",
        "true",
        "union",
        "unbounded",
        "using",
        "values",
        "when",
        "where",
        "window",
        "with",
        "within",
    ]
)


@cache
def _markdown_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - costs 50 ms, only pages need it

    # Proposals put one part of the question on each line: a line stays a line.
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")


@register.filter
def markdown(text: str | None) -> SafeString:
    """Markdown as sanitised HTML; raw HTML in the text is shown, never interpreted."""
    import nh3  # noqa: PLC0415 - see above

    html = _markdown_parser().render(text or "")
    return mark_safe(nh3.clean(html, link_rel="noopener noreferrer"))  # noqa: S308 - nh3 cleaned it


@register.filter
def code_spans(text: str | None) -> SafeString:
    """Escape all, and set `backticked` parts as code; `schema.table.column` without its schema,
    which stays in the tooltip."""
    return mark_safe(_CODE.sub(_code, escape(text or "")))  # noqa: S308 - escaped first


def _code(match: re.Match[str]) -> str:
    full = match.group(1)
    short = _FULL_NAME.sub(r"\1", full)
    title = f' title="{full}"' if short != full else ""
    return f"<code{title}>{short}</code>"


@register.filter
def refusal(error: ThothError) -> str:
    """What an error says to the reader of the page."""
    return refusal_label(error)


@register.filter
def short_number(text: str | None) -> str | None:
    """A number as text, rounded half up to four decimals; the CSV keeps all of them.

    What would round to nothing keeps its digits. `shortNumber` in app.js is the same rule.
    """
    if text is None or not _LONG_NUMBER.match(text):
        return text
    rounded = Decimal(text).quantize(_FOUR_DECIMALS, ROUND_HALF_UP, _EXACT)
    return f"{rounded:f}" if rounded else text


@register.simple_tag
def grid_words() -> str:
    """The words of the result's grid, as JSON for its script."""
    words = {
        "page": _("Page"),
        "of": _("of"),
        "to": _("to"),
        "pageSizeSelectorLabel": _("Rows per page:"),
        "ariaPageSizeSelectorLabel": _("Rows per page"),
        "firstPage": _("First page"),
        "previousPage": _("Previous page"),
        "nextPage": _("Next page"),
        "lastPage": _("Last page"),
        "loadingOoo": _("Loading…"),
        "noRowsToShow": _("No rows"),
    }
    return json.dumps(words, ensure_ascii=False)


@register.filter
def highlight_sql(sql: str | None) -> SafeString:
    """SQL with keywords, strings and comments marked; every character of the text is kept."""
    parts: list[str] = []
    position = 0
    text = sql or ""
    for match in _SQL_TOKEN.finditer(text):
        parts.append(escape(text[position : match.start()]))
        parts.append(_sql_span(match))
        position = match.end()
    parts.append(escape(text[position:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part is escaped


def _sql_span(match: re.Match[str]) -> str:
    token = match.group()
    if (match.lastgroup == "w" and token.lower() not in _SQL_KEYWORDS) or match.lastgroup == "q":
        return escape(token)
    return format_html(
        '<span class="{}">{}</span>', "k" if match.lastgroup == "w" else match.lastgroup, token
    )


@register.filter
def pretty_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


@register.filter
def group_digits(number: object) -> str:
    """A whole number with thin spaces between thousands; anything else as it is."""
    text = str(number)
    return f"{int(text):,}".replace(",", "\u202f") if re.fullmatch(r"-?\d+", text) else text


@register.filter
def age(moment: dt.datetime | None) -> str:
    """How long ago, in one short word: `now`, `5 min`, `2 h`, a weekday, a date."""
    if moment is None:
        return ""
    minutes = int((timezone.now() - moment).total_seconds() // 60)
    if minutes < 1:
        return _("now")
    if minutes < 60:
        return _("%d min") % minutes
    if minutes < 24 * 60:
        return _("%d h") % (minutes // 60)
    local = timezone.localtime(moment)
    return formats.date_format(local, "D" if minutes < 6 * 24 * 60 else "j M")


@register.filter
def stage_name(stage: str) -> str:
    """A stage by the short name of the workflow bar."""
    return stage_label(stage)


@register.simple_tag
def vendor(library: str) -> str:
    """The address of a fetched browser library, or an empty text when it was not fetched."""
    path = _VENDOR[library]
    return static(path) if _is_there(path) else ""


@register.simple_tag
def new_key() -> str:
    """A fresh idempotency key."""
    return uuid.uuid4().hex


@cache
def _is_there(path: str) -> bool:
    return finders.find(path) is not None


@register.filter
def with_columns(
    row: tuple[object, ...], columns: tuple[object, ...]
) -> list[tuple[object, object]]:
    """Each cell of a row with its column."""
    return list(zip(row, columns, strict=True))
