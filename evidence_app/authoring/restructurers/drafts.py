"""What the analyst makes of one place of a source, before it is a candidate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext, gettext_noop

from evidence_app.authoring.port import RestructureCandidate
from evidence_app.authoring.restructurers.blocks import Block
from evidence_app.authoring.restructurers.shapes import columns_in, is_doubtful, tables_in
from evidence_app.units.model import EXCERPT_MAX_CHARS, EXCERPTS_MAX, CuratedEvidence

TITLE_MAX_CHARS = 120
PURPOSES: dict[str, tuple[str, ...]] = {
    "glossary": ("disambiguation", "rewriting"),
    "domain": ("disambiguation", "schema_linking"),
    "enum": ("schema_linking", "sql_generation"),
    "example": ("sql_generation",),
    "mapping": ("schema_linking", "sql_generation"),
    "normalization": ("disambiguation", "rewriting"),
    "formula": ("schema_linking", "sql_generation"),
    "reference": ("disambiguation",),
}
# In the language of the source: the file keeps them.
_ASKS = {
    "kind_unclear": gettext_noop(
        "It isn't plain what kind of statement this is. Check the kind and the wording."
    ),
    "source_uncertain": gettext_noop("The source itself isn't sure. Find out and edit the unit."),
    "column_unknown": gettext_noop(
        "The source doesn't name the column as schema.table.column. Add it."
    ),
    "table_unclear": gettext_noop("It isn't plain what this table lists. Choose a kind for it."),
    "structure_unclear": gettext_noop(
        "This place couldn't be read as a typed unit. Choose a kind for it."
    ),
    "question_missing": gettext_noop(
        "The source doesn't say which question this SQL answers. Write it."
    ),
    "sql_unclear": gettext_noop(
        "This isn't one complete query or expression with full column names."
    ),
    "description_missing": gettext_noop("The source doesn't say what is found at this address."),
    "excerpt_shortened": gettext_noop(
        "The place is longer than an excerpt may be; only its start is quoted."
    ),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A unit to be; `asks` are codes of review items."""

    kind: str
    title: str
    payload: dict[str, Any]
    excerpts: tuple[str, ...]
    asks: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    about: tuple[str, ...] = field(default=(), repr=False)
    body: str = ""

    def candidate(self, existing_id: str | None) -> RestructureCandidate:
        """The candidate, with a question for everything doubtful."""
        return RestructureCandidate.model_validate(
            {**self._plain(), "existing_id": existing_id, "body": self.body}, strict=False
        )

    def probe(self) -> None:
        """Raises: ValidationError where no unit can be made of it."""
        plain = self._plain()
        provenance = {
            "source_file": "source/x.md",
            "source_sha256": "sha256:" + "0" * 64,
            "supporting_excerpts": plain.pop("supporting_excerpts"),
        }
        document = {**plain, "id": "evidence:x", "language": "it", "provenance": provenance}
        CuratedEvidence.of(document, self.body)

    def as_prose(self) -> Draft:
        """The same place, told as it stands."""
        return replace(
            self,
            kind="domain",
            payload={"summary": one_line(self.excerpts[0], 300)},
            body="\n\n".join(self.excerpts),
            asks=(*self.asks, "structure_unclear"),
        )

    def _plain(self) -> dict[str, Any]:
        said = "\n".join((*self.excerpts, *self.about))
        asks = [*self.asks, *(["source_uncertain"] if is_doubtful(said) else [])]
        if any(len(excerpt) > EXCERPT_MAX_CHARS for excerpt in self.excerpts):
            asks.append("excerpt_shortened")
        return {
            "title": one_line(self.title, TITLE_MAX_CHARS) or "Senza titolo",
            "kind": self.kind,
            "purposes": list(PURPOSES[self.kind]),
            "scope": {
                "concepts": [one_line(x, TITLE_MAX_CHARS) for x in self.concepts if x.strip()],
                "tables": list(tables_in(said)[:100]),
                "columns": list(columns_in(said)[:200]),
            },
            "supporting_excerpts": [
                excerpt[:EXCERPT_MAX_CHARS].strip() for excerpt in self.excerpts[:EXCERPTS_MAX]
            ],
            "review_items": [
                {"code": code, "message": gettext(_ASKS[code])} for code in dict.fromkeys(asks)
            ],
            "payload": self.payload,
        }


def domain(blocks: Sequence[Block], *asks: str) -> Draft:
    """Prose of one heading. Without a heading, its first words name it."""
    first = blocks[0]
    title = first.heading or first.text
    said = "\n\n".join(block.raw for block in blocks)
    body = f"## {one_line(first.heading, 200)}\n{said}" if first.heading else said
    few = tuple(block.raw for block in blocks[:EXCERPTS_MAX])
    unsure = tuple(asks) if first.heading else (*asks, "kind_unclear")
    return Draft(
        "domain",
        title,
        {"summary": one_line(_sentence(first.text), 300)},
        few,
        unsure,
        (title,) if first.heading else (),
        tuple(block.raw for block in blocks),
        body,
    )


def one_line(text: str, max_chars: int) -> str:
    """On one line, without Markdown's emphasis, cut at a word."""
    plain = re.sub(r"[*`#|]+", "", " ".join(text.split())).strip(" -:;")
    if len(plain) <= max_chars:
        return plain
    return plain[:max_chars].rpartition(" ")[0] or plain[:max_chars]


def _sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
