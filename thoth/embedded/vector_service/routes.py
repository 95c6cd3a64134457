"""Paths, keys and bodies: Qdrant's REST interface as far as Thoth uses it."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from qdrant_client import models
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from thoth.embedded.vector_service import answers, points, schema
from thoth.embedded.vector_service.auth import Access
from thoth.embedded.vector_service.engine import Collection
from thoth.embedded.vector_service.errors import Refused, wrong
from thoth.embedded.vector_service.requests import parse, read_body
from thoth.embedded.vector_service.storage import Collections

LOG = logging.getLogger(__name__)
VERSION = "1.20.0"  # of the interface: the client accepts one minor version up or down
Work = Callable[[Request, bytes], Any]
Endpoint = Callable[[Request], Awaitable[Response]]


def routes() -> list[Route]:
    """All of them."""
    name = "/collections/{name}"
    return [
        Route("/", _version),
        *(Route(f"/{word}", _health) for word in ("healthz", "livez", "readyz")),
        _route("GET", "/collections", "read", _list),
        _route("GET", name, "read", _info),
        _route("PUT", name, "manage", _create),
        _route("DELETE", name, "manage", _delete),
        _route("GET", f"{name}/exists", "read", _exists),
        _route("PUT", f"{name}/vectors/{{vector}}", "write", _add_vector),
        _route("PUT", f"{name}/index", "write", _add_index),
        _route("PUT", f"{name}/points", "write", _write(models.PointsList, points.upsert)),
        _route(
            "PUT",
            f"{name}/points/vectors",
            "write",
            _write(models.UpdateVectors, points.update_vectors),
        ),
        _route("POST", f"{name}/points/delete", "write", _delete_points),
        _route(
            "POST",
            f"{name}/points/payload",
            "write",
            _write(models.SetPayload, points.set_payload),
        ),
        _route("POST", f"{name}/points", "read", _read(models.PointRequest, points.retrieve)),
        _route("POST", f"{name}/points/count", "read", _read(models.CountRequest, points.count)),
        _route("POST", f"{name}/points/scroll", "read", _read(models.ScrollRequest, points.scroll)),
        _route("POST", f"{name}/points/query", "read", _read(models.QueryRequest, points.query)),
    ]


def _route(method: str, path: str, access: Access, work: Work) -> Route:
    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        try:
            request.app.state.keys.check(request, access)
            body = await read_body(request)
            result = await run_in_threadpool(work, request, body)
        except Refused as error:
            return error.response(time.perf_counter() - began)
        except Exception:
            LOG.exception("%s %s failed", method, path)
            return Refused(500, "Service internal error").response()
        seconds = time.perf_counter() - began
        return JSONResponse({"result": result, "status": "ok", "time": seconds})

    return Route(path, endpoint, methods=[method])


async def _version(_request: Request) -> Response:
    return JSONResponse({"title": "Thoth vector service", "version": VERSION})


async def _health(request: Request) -> Response:
    word = "all shards are ready" if request.url.path == "/readyz" else "healthz check passed"
    return PlainTextResponse(word)


def _collections(request: Request) -> Collections:
    found: Collections = request.app.state.collections
    return found


def _collection(request: Request) -> Collection:
    return _collections(request).get(request.path_params["name"])


def _wait(request: Request) -> bool:
    return request.query_params.get("wait", "false") == "true"


def _list(request: Request, _body: bytes) -> Any:
    return {"collections": [{"name": name} for name in _collections(request).names()]}


def _exists(request: Request, _body: bytes) -> Any:
    return {"exists": request.path_params["name"] in _collections(request).names()}


def _info(request: Request, _body: bytes) -> Any:
    collection = _collection(request)
    info = collection.read(lambda shard: shard.info())
    return answers.collection_info(collection.config, info)


def _create(request: Request, body: bytes) -> Any:
    config = schema.config_of(parse(models.CreateCollection, body))
    _collections(request).create(request.path_params["name"], config)
    return True


def _delete(request: Request, _body: bytes) -> Any:
    return _collections(request).delete(request.path_params["name"])


def _add_vector(request: Request, body: bytes) -> Any:
    collection, vector = _collection(request), request.path_params["vector"]
    operation = schema.vector_name(vector, parse(models.SparseVectorNameConfig, body))
    with collection.lock:
        if vector in collection.shape.dense or vector in collection.shape.sparse:
            raise wrong(f"Vector name {vector} already exists")
        collection.reshape(operation)
    return {"operation_id": 0, "status": "completed"}


def _add_index(request: Request, body: bytes) -> Any:
    operation = schema.field_index(parse(models.CreateFieldIndex, body))
    _collection(request).write([operation], wait=True)
    return {"operation_id": 0, "status": "completed"}


def _delete_points(request: Request, body: bytes) -> Any:
    try:
        given: Any = parse(models.PointIdsList, body)
    except Refused:
        given = parse(models.FilterSelector, body)
    return points.delete(_collection(request), given, wait=_wait(request))


def _read(model: Any, work: Callable[..., Any]) -> Work:
    return lambda request, body: work(_collection(request), parse(model, body))


def _write(model: Any, work: Callable[..., Any]) -> Work:
    def locked(request: Request, body: bytes) -> Any:
        collection, given = _collection(request), parse(model, body)
        with collection.lock:  # what was checked must still hold when it is written
            return work(collection, given, wait=_wait(request))

    return locked
