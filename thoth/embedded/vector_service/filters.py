"""Filters of requests as filters of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import qdrant_edge as edge
from qdrant_client import models

from thoth.embedded.vector_service.errors import unsupported
from thoth.embedded.vector_service.vectors import point_id

FIELD_PARTS = {"key", "match", "range"}
MATCHES: dict[type, Callable[[Any], Any]] = {
    models.MatchValue: lambda match: edge.MatchValue(match.value),
    models.MatchAny: lambda match: edge.MatchAny(list(match.any)),
    models.MatchExcept: lambda match: edge.MatchExcept(list(match.except_)),
    models.MatchText: lambda match: edge.MatchText(match.text),
}


def filter_of(given: models.Filter | None) -> edge.Filter | None:
    """The engine's filter. Raises: Refused 400 for conditions that it is not given here."""
    if given is None:
        return None
    if given.min_should is not None:
        raise unsupported("min_should")
    return edge.Filter(
        must=_conditions(given.must),
        should=_conditions(given.should),
        must_not=_conditions(given.must_not),
    )


def _conditions(given: Any) -> list[Any] | None:
    if given is None:
        return None
    return [_condition(item) for item in (given if isinstance(given, list) else [given])]


def _condition(given: Any) -> Any:
    convert = CONDITIONS.get(type(given))
    if convert is None:
        raise unsupported(f"Condition {type(given).__name__}")
    return convert(given)


def _field(given: models.FieldCondition) -> edge.FieldCondition:
    asked = set(given.model_dump(exclude_none=True))
    if asked - FIELD_PARTS or len(asked) == 1:
        raise unsupported(f"A condition on {given.key} with {sorted(asked - {'key'})}")
    return edge.FieldCondition(given.key, match=_match(given.match), range=_range(given.range))


def _match(given: Any) -> Any:
    if given is None:
        return None
    if type(given) not in MATCHES:
        raise unsupported(type(given).__name__)
    return MATCHES[type(given)](given)


def _range(given: Any) -> Any:
    if given is None:
        return None
    if not isinstance(given, models.Range):
        raise unsupported(type(given).__name__)
    return edge.RangeFloat(gte=given.gte, gt=given.gt, lte=given.lte, lt=given.lt)


CONDITIONS: dict[type, Callable[[Any], Any]] = {
    models.Filter: filter_of,
    models.FieldCondition: _field,
    models.IsEmptyCondition: lambda given: edge.IsEmptyCondition(given.is_empty.key),
    models.IsNullCondition: lambda given: edge.IsNullCondition(given.is_null.key),
    models.HasVectorCondition: lambda given: edge.HasVectorCondition(given.has_vector),
    models.HasIdCondition: lambda given: edge.HasIdCondition(set(map(point_id, given.has_id))),
}
