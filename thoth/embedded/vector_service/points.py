"""What is done to the points of one collection. Every function returns the `result` of an answer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import qdrant_edge as edge
from qdrant_client import models

from thoth.embedded.vector_service import answers
from thoth.embedded.vector_service.engine import Collection
from thoth.embedded.vector_service.errors import Refused, unsupported, wrong
from thoth.embedded.vector_service.filters import filter_of
from thoth.embedded.vector_service.queries import limit_of, payload_of, query_of
from thoth.embedded.vector_service.vectors import point_id, stored

Update = edge.UpdateOperation
PointId = int | UUID | str


def upsert(collection: Collection, given: models.PointsList, *, wait: bool) -> dict[str, Any]:
    """Store whole points: what a point had before is replaced."""
    if given.update_mode is not None:
        raise unsupported("update_mode")
    points = [_point(collection, item) for item in given.points]
    operation = Update.upsert_points(points, condition=filter_of(given.update_filter))
    return _written(collection, operation, wait=wait)


def update_vectors(
    collection: Collection, given: models.UpdateVectors, *, wait: bool
) -> dict[str, Any]:
    """Store vectors of existing points; the others stay."""
    vectors = [
        edge.PointVectors(point_id(item.id), stored(collection.shape, item.vector))
        for item in given.points
    ]
    for item in vectors:
        _require(collection, item.id)
    operation = Update.update_vectors(vectors, condition=filter_of(given.update_filter))
    return _written(collection, operation, wait=wait)


def delete(collection: Collection, given: Any, *, wait: bool) -> dict[str, Any]:
    """Delete by ids or by filter."""
    if isinstance(given, models.FilterSelector):
        condition = filter_of(given.filter)
        assert condition is not None
        operation = Update.delete_points_by_filter(condition)
    else:
        operation = Update.delete_points([point_id(item) for item in given.points])
    return _written(collection, operation, wait=wait)


def set_payload(collection: Collection, given: models.SetPayload, *, wait: bool) -> dict[str, Any]:
    """Add to the payload of points."""
    condition = filter_of(given.filter)
    if (condition is None) == (given.points is None):
        raise wrong("Either list of point ids or filter must be provided")
    if condition is not None:
        operation = Update.set_payload_by_filter(condition, given.payload, given.key)
    else:
        ids: list[PointId] = [point_id(item) for item in given.points or []]
        for identifier in ids:
            _require(collection, identifier)
        operation = Update.set_payload(ids, given.payload, given.key)
    return _written(collection, operation, wait=wait)


def retrieve(collection: Collection, given: models.PointRequest) -> list[dict[str, Any]]:
    """Those of the points that exist."""
    ids: list[PointId] = [point_id(item) for item in given.ids]
    payload = payload_of(given.with_payload, default=True)
    found = collection.read(lambda shard: shard.retrieve(ids, payload, given.with_vector or False))
    return [answers.record(item) for item in found]


def count(collection: Collection, given: models.CountRequest) -> dict[str, Any]:
    """Always exact."""
    request = edge.CountRequest(exact=True, filter=filter_of(given.filter))
    return {"count": collection.read(lambda shard: shard.count(request))}


def scroll(collection: Collection, given: models.ScrollRequest) -> dict[str, Any]:
    """A page, by id."""
    if given.order_by is not None:
        raise unsupported("order_by")
    request = edge.ScrollRequest(
        offset=None if given.offset is None else point_id(given.offset),
        limit=limit_of(given.limit),
        filter=filter_of(given.filter),
        with_payload=payload_of(given.with_payload, default=True),
        with_vector=given.with_vector or False,
    )
    points, following = collection.read(lambda shard: shard.scroll(request))
    offset = following if following is None or isinstance(following, int) else str(following)
    return {"points": [answers.record(item) for item in points], "next_page_offset": offset}


def query(collection: Collection, given: models.QueryRequest) -> dict[str, Any]:
    """Dense, sparse or hybrid."""
    request = query_of(collection.shape, given)
    found = collection.read(lambda shard: shard.query(request))
    return {"points": [answers.scored(item) for item in found]}


def _point(collection: Collection, item: models.PointStruct) -> edge.Point:
    vectors = stored(collection.shape, item.vector)
    try:
        return edge.Point(point_id(item.id), vectors, item.payload or {})
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong(f"payload: {error}") from None


def _require(collection: Collection, identifier: Any) -> None:
    # Before the update: what the engine rejects is already in its log.
    if not collection.read(
        lambda shard: shard.retrieve([identifier], with_payload=False, with_vector=False)
    ):
        raise Refused(404, f"Not found: No point with id {identifier} found")


def _written(collection: Collection, operation: Update, *, wait: bool) -> dict[str, Any]:
    collection.write([operation], wait=wait)
    return {"operation_id": 0, "status": "completed" if wait else "acknowledged"}
