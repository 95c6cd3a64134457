"""Queries of requests as queries of the engine: dense, sparse, and both fused by rank."""

from __future__ import annotations

from typing import Any

import qdrant_edge as edge
from qdrant_client import models

from thoth.embedded.vector_service.errors import out_of_range, unsupported, wrong
from thoth.embedded.vector_service.filters import filter_of
from thoth.embedded.vector_service.vectors import Shape, one

LIMIT_DEFAULT, LIMIT_MAX = 10, 10_000
RRF_K_DEFAULT = 2  # the server's; the engine has no default


def limit_of(given: int | None, default: int = LIMIT_DEFAULT) -> int:
    """Raises: Refused 422 outside 1..LIMIT_MAX."""
    limit = default if given is None else given
    if not 1 <= limit <= LIMIT_MAX:
        raise out_of_range(f"limit: must be from 1 to {LIMIT_MAX}")
    return limit


def query_of(shape: Shape, given: models.QueryRequest) -> edge.QueryRequest:
    """The whole request. Raises: Refused."""
    offset = given.offset or 0
    if not 0 <= offset <= LIMIT_MAX:
        raise out_of_range(f"offset: must be from 0 to {LIMIT_MAX}")
    return edge.QueryRequest(
        limit_of(given.limit),
        offset=offset,
        with_vector=given.with_vector or False,
        with_payload=payload_of(given.with_payload, default=False),
        **_common(shape, given),
    )


def payload_of(given: Any, *, default: bool) -> Any:
    """Which payload is answered."""
    if isinstance(given, models.PayloadSelectorInclude):
        return edge.PayloadSelector.Include(given.include)
    if isinstance(given, models.PayloadSelectorExclude):
        return edge.PayloadSelector.Exclude(given.exclude)
    return default if given is None else given


def _common(shape: Shape, given: models.QueryRequest | models.Prefetch) -> dict[str, Any]:
    if given.lookup_from is not None:
        raise unsupported("lookup_from")
    legs = given.prefetch or []
    legs = legs if isinstance(legs, list) else [legs]
    return {
        "query": _scoring(shape, given, fused=len(legs)),
        "prefetches": [_prefetch(shape, leg) for leg in legs],
        "filter": filter_of(given.filter),
        "score_threshold": given.score_threshold,
        "params": _params(given.params),
    }


def _prefetch(shape: Shape, given: models.Prefetch) -> edge.Prefetch:
    return edge.Prefetch(limit_of(given.limit), **_common(shape, given))


def _scoring(shape: Shape, given: Any, *, fused: int) -> Any:
    query = given.query
    if query is None:
        return None
    if isinstance(query, models.FusionQuery | models.RrfQuery):
        if not fused:
            raise wrong("Fusion needs at least one prefetch")
        return _fusion(query)
    nearest = query.nearest if isinstance(query, models.NearestQuery) else query
    if not isinstance(nearest, list | models.SparseVector | models.Document):
        raise unsupported(f"Query {type(nearest).__name__}")
    name = given.using or ""
    return edge.Query.Nearest(one(shape, name, nearest, query=True), name)


def _fusion(query: models.FusionQuery | models.RrfQuery) -> Any:
    if isinstance(query, models.FusionQuery):
        if query.fusion != models.Fusion.RRF:
            raise unsupported(f"Fusion {query.fusion.value}")
        return edge.Fusion.Rrf(RRF_K_DEFAULT, None)
    if query.rrf.weights is not None:
        raise unsupported("rrf.weights")
    k = RRF_K_DEFAULT if query.rrf.k is None else query.rrf.k
    if not 1 <= k <= LIMIT_MAX:
        raise out_of_range(f"rrf.k: must be from 1 to {LIMIT_MAX}")
    return edge.Fusion.Rrf(k, None)


def _params(given: models.SearchParams | None) -> edge.SearchParams | None:
    # Search is always exact here: what tunes an index changes nothing.
    if given is None:
        return None
    corpus = None
    if isinstance(given.idf, models.IdfCorpusParams):
        corpus = edge.IdfParams(corpus=filter_of(given.idf.corpus))
    return edge.SearchParams(exact=True, idf=corpus)
