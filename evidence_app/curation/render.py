"""Documents, diffs and excerpts as HTML that is safe to show: nothing in a file is trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

DIFF_MAX_LINES = 4_000
_CLASSES = (("+++", "file"), ("---", "file"), ("@@", "hunk"), ("diff ", "file"), ("+", "add"))


def markdown(text: str) -> SafeString:
    """Markdown as HTML; raw HTML, scripts and pictures from elsewhere do not survive."""
    import nh3  # noqa: PLC0415 - only these pages need it

    html = nh3.clean(
        _renderer().render(text), tags=nh3.ALLOWED_TAGS - {"img"}, link_rel="noopener noreferrer"
    )
    return mark_safe(html)  # noqa: S308 - nh3 cleaned it


def preview(document: Mapping[str, Any], body: str) -> SafeString:
    """What a reader sees of the unit: its kind's own rendering."""
    payload = document.get("payload") or {}
    parts = [f"# {document.get('title', '')}"]
    parts += [part for key, value in payload.items() if (part := _part(key, value))]
    if body:
        parts.append(body)
    if document.get("limitations"):
        parts.append(f"*{document['limitations']}*")
    return markdown("\n\n".join(parts))


def diff(text: str) -> SafeString:
    """A unified diff, line by line."""
    lines = text.splitlines()
    shown = lines[:DIFF_MAX_LINES]
    html = format_html_join("", '<span class="{}">{}</span>', ((_class(x), x) for x in shown))
    if len(lines) > DIFF_MAX_LINES:
        rest = _("… %(count)s more lines") % {"count": len(lines) - DIFF_MAX_LINES}
        html += format_html_join("", '<span class="hunk">{}</span>', [(rest,)])
    return html


def marked(source: str, excerpts: Iterable[str]) -> SafeString:
    """The source's text with the excerpts marked where they stand."""
    spans = sorted(
        (at, at + len(excerpt))
        for excerpt in excerpts
        if excerpt and (at := source.find(excerpt)) >= 0
    )
    html, done = [], 0
    for start, end in spans:
        if start >= done:
            html += [escape(source[done:start]), f"<mark>{escape(source[start:end])}</mark>"]
            done = end
    return mark_safe("".join([*html, escape(source[done:])]))  # noqa: S308 - all escaped above


def _part(key: str, value: object) -> str:
    if key == "sql":
        return f"```sql\n{value}\n```"
    if key == "entries" and isinstance(value, list | tuple):
        rows = [f"| {_cell(row['value'])} | {_cell(row['meaning'])} |" for row in value]
        return "\n".join([f"| {_('Value')} | {_('Meaning')} |", "|---|---|", *rows])
    if isinstance(value, list | tuple):
        return " · ".join(f"`{item}`" for item in value)
    if key == "url":
        return f"<{value}>"
    return f"**{value}**" if key in ("term", "concept", "canonical", "label") else str(value)


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def _class(line: str) -> str:
    found = next((name for prefix, name in _CLASSES if line.startswith(prefix)), "")
    return found or ("del" if line.startswith("-") else "")


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only these pages need it

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
