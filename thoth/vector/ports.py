"""What Thoth asks of embeddings and of a vector database, whichever they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
TextKind = Literal["query", "passage"]
RecordKind = Literal["evidence", "memory", "schema"]


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """What makes two vectors comparable; a collection belongs to exactly one profile."""

    provider: str
    model: str
    dim: int
    query_prefix: str = ""
    passage_prefix: str = ""


class Embedder(Protocol):
    """Texts to vectors. Implementations batch, and are deterministic for a profile."""

    profile: EmbeddingProfile

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """One row per text, in order: float32, shape (len(texts), profile.dim), unit length.

        Raises: Upstream `embeddings_unavailable`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Point:
    """One record to store. `key` is its readable name (`memory:mem-0001`); `content_hash` decides
    whether it has to be embedded again."""

    key: str
    kind: RecordKind
    text: str
    content_hash: str
    payload: Mapping[str, str | int | float | bool | Sequence[str]]
    generation: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One stored record found by a search, best first; scores compare within one search only."""

    key: str
    score: float
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Filters:
    """What every hit must satisfy; an empty one of the optional parts restricts nothing."""

    workspace: str
    kind: RecordKind
    generation: str = ""
    purpose: str = ""
    kinds: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class VectorStore(Protocol):
    """One collection per workspace. Searching never changes it."""

    def search(
        self, *, text: str, vector: Vectors, filters: Filters, limit: int
    ) -> tuple[Hit, ...]:
        """Hybrid search: `vector` (float32, shape (dim,)) and the words of `text`.

        Raises: Upstream `vectors_unavailable`.
        """
        ...

    def upsert(self, *, workspace: str, points: Sequence[Point], vectors: Vectors) -> None:
        """The points exist with these vectors (float32, shape (len(points), dim)). Idempotent.

        Raises: Forbidden `vectors_read_only` without a writer key, Upstream `vectors_unavailable`.
        """
        ...

    def content_hashes(self, *, filters: Filters) -> Mapping[str, str]:
        """Content hash by key of every stored record that satisfies the filters."""
        ...
