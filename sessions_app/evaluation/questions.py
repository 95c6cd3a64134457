"""Files of questions: ours and third parties', one JSON object a line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from thoth.lib.errors import Invalid

_ORDERED = re.compile(r"\border(?:ed)?\b|\bsort(?:ed)?\b|\barrange|\bordin", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its accepted golds; `ordered`: the order of rows is part of the answer.

    Without golds it is one that cannot be answered from the data (`answerable` False).
    """

    id: str
    question: str
    golds: tuple[str, ...]
    category: str = ""
    ordered: bool = False
    answerable: bool = True
    db: str = ""


def questions_load(path: Path, *, db: str | None = None) -> list[Question]:
    """The questions of a file, those of one database when `db` is given and the lines have one.

    Fields: id, question, gold_sql (text or list), category, ordered, answerable, db; others are
    ignored. Raises: Invalid `file_unreadable`, `questions_invalid` (with the line).
    """
    try:
        # Not splitlines(): a question may contain what it takes for a line end.
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read ({type(error).__name__})."
        raise Invalid("file_unreadable", message) from None
    found = [_question(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    ids = [q.id for q in found]
    if len(set(ids)) != len(ids):
        raise Invalid("questions_invalid", f"{path}: two questions have the same id.")
    return [q for q in found if db is None or q.db in ("", db)]


def _question(path: Path, number: int, line: str) -> Question:
    try:
        value = json.loads(line)
        golds = value.get("gold_sql", [])
        category = str(value.get("category", ""))
        text = str(value["question"])
        return Question(
            id=str(value["id"]),
            question=text,
            golds=(golds,) if isinstance(golds, str) else tuple(str(g) for g in golds),
            category=category,
            ordered=bool(value.get("ordered", category == "order_by" or _ORDERED.search(text))),
            answerable=bool(value.get("answerable", True)),
            db=str(value.get("db", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        message = f"{path}, line {number}: needs a JSON object with id, question and gold_sql."
        raise Invalid("questions_invalid", message, line=number) from None
