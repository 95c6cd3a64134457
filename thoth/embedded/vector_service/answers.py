"""What the engine returns as the JSON that Qdrant answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import qdrant_edge as edge

SCHEMA_NAMES = {
    getattr(edge.PayloadSchemaType, name.capitalize()): name
    for name in ("keyword", "integer", "float", "text", "bool", "datetime", "uuid")
}


def shortest(value: float) -> float:
    """The shortest decimal that is this single-precision number, as the server prints it."""
    return float(str(np.float32(value)))


def scored(point: edge.ScoredPoint) -> dict[str, Any]:
    """One hit."""
    return {**_record(point), "version": point.version, "score": shortest(point.score)}


def record(point: edge.Record) -> dict[str, Any]:
    """One stored point."""
    return _record(point)


def _record(point: Any) -> dict[str, Any]:
    found = {"id": point.id if isinstance(point.id, int) else str(point.id)}
    if point.payload is not None:
        found["payload"] = point.payload
    if point.vector is not None:
        found["vector"] = _vectors(point.vector)
    return found


def _vectors(vector: Any) -> Any:
    if not isinstance(vector, dict):
        return _vector(vector)
    named = {name: _vector(item) for name, item in vector.items()}
    return named[""] if set(named) == {""} else named


def _vector(vector: Any) -> Any:
    if isinstance(vector, edge.SparseVector):
        return {"indices": list(vector.indices), "values": _floats(vector.values)}
    return _floats(vector)


def _floats(values: Any) -> list[float]:
    return [float(str(item)) for item in np.asarray(values, np.float32)]


def collection_info(config: dict[str, Any], info: edge.ShardInfo) -> dict[str, Any]:
    """GET /collections/{name}. `config` is the engine's own record of the vectors."""
    dense = config["vectors"]
    params = {
        "vectors": dense[""] if set(dense) == {""} else dense,
        "shard_number": 1,
        "replication_factor": 1,
        "write_consistency_factor": 1,
        "on_disk_payload": True,
    }
    if config.get("sparse_vectors"):
        params["sparse_vectors"] = config["sparse_vectors"]
    return {
        "status": "green",
        "optimizer_status": "ok",
        "indexed_vectors_count": info.indexed_vectors_count,
        "points_count": info.points_count,
        "segments_count": info.segments_count,
        "config": {
            "params": params,
            "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {
                "default_segment_number": 1,
                "indexing_threshold": 0,
                "flush_interval_sec": 5,
            },
        },
        "payload_schema": {name: _index(item) for name, item in info.payload_schema.items()},
    }


def _index(found: edge.PayloadIndexInfo) -> dict[str, Any]:
    return {"data_type": SCHEMA_NAMES[found.data_type], "points": found.points}
