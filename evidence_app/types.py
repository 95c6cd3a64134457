"""Frozen types of the Evidence search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Purpose = Literal["disambiguation", "rewriting", "schema_linking", "sql_generation"]
PURPOSES: tuple[str, ...] = get_args(Purpose)


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What is known beside the question. The first three enrich the searched text; `required_*`
    are filters that every hit satisfies."""

    concepts: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    required_kinds: tuple[str, ...] = ()
    required_concepts: tuple[str, ...] = ()
    required_tables: tuple[str, ...] = ()
    required_columns: tuple[str, ...] = ()
