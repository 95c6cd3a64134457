"""Vectors and texts of requests, checked to the last number before the engine sees them.

The engine writes an update to its log before it looks at it: what it then cannot bear makes the
collection unloadable for good. So nothing doubtful may reach it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import qdrant_edge as edge
from qdrant_client import models

from thoth.embedded.vector_service.errors import Refused, out_of_range, unsupported, wrong

MODELS = ("qdrant/bm25", "bm25")
# Beyond it squares overflow single precision, and with them every score.
MAGNITUDE_MAX = 1e18
INDEX_MAX = 2**32 - 1
ID_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Shape:
    """The vectors that a collection has: dimensions of dense ones, names of sparse ones."""

    dense: Mapping[str, int]
    sparse: frozenset[str]

    def require(self, name: str) -> None:
        """Raises: Refused 400 for a name that the collection does not have."""
        if name not in self.dense and name not in self.sparse:
            raise wrong(f"Not existing vector name error: {name}")


def point_id(value: object) -> int | str:
    """An unsigned number or a UUID in its usual form. Raises: Refused 400."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= ID_MAX:
        return value
    try:
        return str(uuid.UUID(str(value)))
    except ValueError:
        raise Refused(
            400, "Format error in JSON body: a point id is an unsigned integer or a UUID"
        ) from None


def stored(shape: Shape, value: Any) -> dict[str, Any]:
    """All vectors of one point, by name. Raises: Refused."""
    named = value if isinstance(value, dict) else {"": value}
    return {name: one(shape, name, item, query=False) for name, item in named.items()}


def one(shape: Shape, name: str, value: Any, *, query: bool) -> Any:
    """One vector as the engine takes it. Raises: Refused."""
    shape.require(name)
    if name in shape.dense:
        return _dense(shape.dense[name], value)
    if isinstance(value, models.Document):
        return _bm25(value, query=query)
    if isinstance(value, models.SparseVector):
        return _sparse(value)
    raise wrong(f"Vector {name} is sparse")


def _dense(size: int, value: Any) -> list[float]:
    if not isinstance(value, list) or (value and isinstance(value[0], list)):
        raise wrong("Expected a dense vector: a list of numbers")
    if len(value) != size:
        raise wrong(f"Vector dimension error: expected dim: {size}, got {len(value)}")
    return _bounded(value)


def _sparse(value: models.SparseVector) -> edge.SparseVector:
    indices = value.indices
    if len(indices) != len(value.values):
        raise out_of_range("indices: must be the same length as values")
    if len(set(indices)) != len(indices):
        raise out_of_range("indices: must be unique")
    if any(not 0 <= index <= INDEX_MAX for index in indices):
        raise out_of_range("indices: must be 32-bit unsigned")
    return edge.SparseVector(list(indices), _bounded(value.values))


def _bounded(values: list[float]) -> list[float]:
    # Written so that NaN fails, too.
    if not all(-MAGNITUDE_MAX <= item <= MAGNITUDE_MAX for item in values):
        raise out_of_range(f"vector: every number must be within ±{MAGNITUDE_MAX:g}")
    return [float(item) for item in values]


def _bm25(document: models.Document, *, query: bool) -> edge.SparseVector:
    if document.model.lower() not in MODELS:
        raise unsupported(f"Model {document.model}")
    embedder = _embedder(_options(document.options))
    return embedder.embed_query(document.text) if query else embedder.embed_document(document.text)


def _options(options: Any) -> tuple[tuple[str, Any], ...]:
    given = options.model_dump(exclude_none=True) if hasattr(options, "model_dump") else options
    given = dict(given or {})
    unknown = given.keys() - {"language", "ascii_folding", "lowercase", "k", "b", "avg_len"}
    if unknown:
        raise unsupported(f"BM25 option {min(unknown)}")
    if any(not isinstance(item, str | int | float | bool) for item in given.values()):
        raise wrong("BM25 options are texts, numbers and booleans")
    return tuple(sorted(given.items()))


@lru_cache(maxsize=64)
def _embedder(options: tuple[tuple[str, Any], ...]) -> edge.Bm25:
    try:
        return edge.Bm25(edge.Bm25Config(**dict(options)))
    except (ValueError, TypeError) as error:
        raise wrong(f"BM25: {error}") from None
