"""The part of an index that lives in this process, reloaded when its version moved."""

from __future__ import annotations

import datetime as dt
import threading
from dataclasses import dataclass
from functools import cached_property

from thoth.contracts.schema import Catalog
from thoth.warehouse.valueindex import store
from thoth.warehouse.valueindex.store import Head, StoredColumn
from thoth.warehouse.valueindex.vocabulary import Vocabulary


@dataclass
class Loaded:
    """Vocabulary and columns of one version of one index."""

    index_id: int
    version: int
    vocabulary: Vocabulary
    columns: tuple[StoredColumn, ...]

    @cached_property
    def indexed_at(self) -> dict[int, dt.datetime | None]:
        """Column id → when its values were read."""
        return {column.id: column.refreshed_at for column in self.columns}

    def allowed(self, catalog: Catalog) -> dict[int, str]:
        """Column id → full name of those whose values this catalog lets out."""
        known = self.__dict__.setdefault("_allowed", {})
        if catalog.version not in known:
            known.clear()
            known[catalog.version] = _allowed(self.columns, catalog)
        found: dict[int, str] = known[catalog.version]
        return found


def _allowed(columns: tuple[StoredColumn, ...], catalog: Catalog) -> dict[int, str]:
    found = {}
    for stored in columns:
        column = catalog.column(stored.full_name)
        if column and not column.hidden and not column.identifying:
            found[stored.id] = stored.full_name
    return found


_loaded: dict[str, Loaded] = {}
_loading = threading.Lock()


class StaleError(Exception):
    """The index moved on since it was loaded."""


def loaded_before(workspace: str) -> Loaded | None:
    """What this process holds of the workspace's index: the first postings that a search reads
    say whether it still holds, so asking the database beforehand would only cost time."""
    return _loaded.get(workspace)


def load(workspace: str) -> Loaded | None:
    """The workspace's index as of now; None when it was never built.

    One thread reads a new version while the others wait: two copies would double the memory.
    """
    with _loading:
        head = store.head(workspace)
        if head is None:
            _loaded.pop(workspace, None)
            return None
        current = _loaded.get(workspace)
        if current is None or not _is(current, head):
            current = _loaded[workspace] = _read(head)
    return current


def _is(loaded: Loaded, head: Head) -> bool:
    return loaded.index_id == head.index_id and loaded.version == head.version


def _read(head: Head) -> Loaded:
    words, nos, df = store.words(head.index_id)
    vocabulary = Vocabulary(words, nos, df, head.next_item)
    return Loaded(head.index_id, head.version, vocabulary, tuple(store.columns(head.index_id)))
