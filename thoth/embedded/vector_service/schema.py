"""Collections and vector names of requests as the engine's configuration."""

from __future__ import annotations

from typing import Any

import qdrant_edge as edge
from qdrant_client import models

from thoth.embedded.vector_service.errors import out_of_range, unsupported, wrong

SIZE_MAX = 65_536
FIELD_TYPES = ("keyword", "integer", "float", "text", "bool", "datetime", "uuid")
# They tune a server; exact search in one process has nothing to tune.
IGNORED = {"shard_number", "replication_factor", "write_consistency_factor", "on_disk_payload"}
IGNORED |= {"hnsw_config", "optimizers_config", "wal_config"}


def config_of(given: models.CreateCollection) -> edge.EdgeConfig:
    """Raises: Refused for what the service does not do."""
    known = IGNORED | {"vectors", "sparse_vectors"}
    for name in given.model_dump(exclude_none=True).keys() - known:
        raise unsupported(name)
    dense = given.vectors if isinstance(given.vectors, dict) else {"": given.vectors}
    sparse = given.sparse_vectors or {}
    return edge.EdgeConfig(
        vectors={name: _dense(item) for name, item in dense.items() if item is not None},
        sparse_vectors={
            name: edge.EdgeSparseVectorParams(modifier=_modifier(item.modifier))
            for name, item in sparse.items()
        },
        # Indexing would hold the whole process for minutes; exact search is fast enough.
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=0),
    )


def vector_name(name: str, body: Any) -> edge.UpdateOperation:
    """Add one vector name to a collection. Raises: Refused."""
    if not isinstance(body, models.SparseVectorNameConfig):
        raise unsupported("Adding a dense vector")
    return edge.UpdateOperation.create_sparse_vector(name, _modifier(body.sparse.modifier))


def field_index(given: models.CreateFieldIndex) -> edge.UpdateOperation:
    """Raises: Refused."""
    schema = given.field_schema
    name = getattr(schema, "type", schema)
    text = str(getattr(name, "value", name))
    if text not in FIELD_TYPES:
        raise unsupported(f"An index of type {text}")
    kind = getattr(edge.PayloadSchemaType, text.capitalize())
    return edge.UpdateOperation.create_field_index(given.field_name, kind)


def _dense(given: models.VectorParams) -> edge.EdgeVectorParams:
    for name in given.model_dump(exclude_none=True).keys() - {"size", "distance", "on_disk"}:
        raise unsupported(f"vectors.{name}")
    if not 1 <= given.size <= SIZE_MAX:
        raise out_of_range(f"vectors.size: must be from 1 to {SIZE_MAX}")
    return edge.EdgeVectorParams(given.size, _distance(given.distance.value))


def _distance(name: str) -> edge.Distance:
    found: edge.Distance | None = getattr(edge.Distance, name, None)
    if found is None:
        raise wrong(f"distance {name}")
    return found


def _modifier(given: models.Modifier | None) -> edge.Modifier | None:
    return edge.Modifier.Idf if given == models.Modifier.IDF else None
