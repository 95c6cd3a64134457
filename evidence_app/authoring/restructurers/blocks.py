"""A source cut into blocks: headings, tables, list items, fences and paragraphs, as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(.+)$")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_LINE_RULE = re.compile(r"([-=_*])\1{2,}\s*$")
_FENCE = re.compile(r"(```+|~~~+)\s*(\w*)")
# Lines that each stand for themselves although nobody made a list of them.
_OWN_LINE = re.compile(r"(->|→|=>|https?://|^[^.:]{1,60}:\s|\s=\s)")


@dataclass(frozen=True, slots=True)
class Block:
    """`raw` stands in the source exactly; `text` is what it says; `heading` is the one above.

    `rows` of a table have their cells stripped; the first is the header. `language`: of a fence.
    """

    kind: Literal["heading", "table", "item", "fence", "paragraph"]
    raw: str
    text: str
    heading: str = ""
    before: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    language: str = ""


def blocks_of(text: str) -> Iterator[Block]:
    """The blocks in the text's order."""
    heading = before = ""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        if not lines[at].strip() or _LINE_RULE.match(lines[at].strip()):
            at += 1
            continue
        end, block = _block(lines, at, heading, before)
        at = end
        if block.kind == "heading":
            heading, before = block.text, ""
        else:
            before = block.text if block.kind == "paragraph" else before
        yield block


def _block(lines: list[str], at: int, heading: str, before: str) -> tuple[int, Block]:
    line = lines[at]
    found = _HEADING.match(line)
    if found:
        return at + 1, Block("heading", line.strip(), found[2])
    if _FENCE.match(line.strip()):
        return _fence(lines, at, heading, before)
    if line.lstrip().startswith("|") or _delimited(lines, at):
        return _table(lines, at, heading, before)
    item = _ITEM.match(line)
    if item:
        end = _continuation(lines, at + 1)
        raw = "\n".join(lines[at:end]).strip()
        rest = " ".join(part.strip() for part in [item[1], *lines[at + 1 : end]])
        return end, Block("item", raw, rest, heading, before)
    return _paragraph(lines, at, heading, before)


def _fence(lines: list[str], at: int, heading: str, before: str) -> tuple[int, Block]:
    opened = _FENCE.match(lines[at].strip())
    assert opened
    end = at + 1
    while end < len(lines) and not lines[end].strip().startswith(opened[1]):
        end += 1
    inner = "\n".join(lines[at + 1 : end])
    block = Block("fence", inner.strip(), inner.strip(), heading, before, language=opened[2])
    return end + 1, block


def _delimited(lines: list[str], at: int) -> bool:
    """Do at least three lines have the same number of semicolons or tabs?"""
    for mark in (";", "\t"):
        counts = [line.count(mark) for line in lines[at : at + 3]]
        if len(counts) == 3 and counts[0] >= 1 and len(set(counts)) == 1:
            return True
    return False


def _table(lines: list[str], at: int, heading: str, before: str) -> tuple[int, Block]:
    piped = lines[at].lstrip().startswith("|")
    mark = "|" if piped else (";" if ";" in lines[at] else "\t")
    end = at
    while end < len(lines) and mark in lines[end] and lines[end].strip():
        end += 1
    rows = [
        tuple(cell.strip().strip("`*") for cell in _cells(line, piped=piped, mark=mark))
        for line in lines[at:end]
        if not (piped and _RULE.match(line))
    ]
    raw = "\n".join(lines[at:end]).strip()
    return end, Block("table", raw, raw, heading, before, tuple(rows))


def _cells(line: str, *, piped: bool, mark: str) -> list[str]:
    return line.strip().strip("|").split("|") if piped else line.split(mark)


def _continuation(lines: list[str], at: int) -> int:
    """The end of a list item whose later lines are indented."""
    while at < len(lines) and lines[at].startswith("  ") and lines[at].strip():
        if _ITEM.match(lines[at]):
            break
        at += 1
    return at


def _paragraph(lines: list[str], at: int, heading: str, before: str) -> tuple[int, Block]:
    end = at + 1
    while end < len(lines) and _goes_on(lines, end):
        if _OWN_LINE.search(lines[at]) and _OWN_LINE.search(lines[end]):
            break
        end += 1
    raw = "\n".join(lines[at:end]).strip()
    return end, Block("paragraph", raw, " ".join(raw.split()), heading, before)


def _goes_on(lines: list[str], at: int) -> bool:
    line = lines[at]
    starts = _HEADING.match(line) or _ITEM.match(line) or _FENCE.match(line.strip())
    return bool(line.strip()) and not starts and not line.lstrip().startswith("|")
