"""Clients of the service under contract: the embedded one, or THOTH_TEST_QDRANT_URL's server."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from qdrant_client import QdrantClient, models

REAL = os.environ.get("THOTH_TEST_QDRANT_URL", "")
RECORD = os.environ.get("THOTH_TEST_QDRANT_RECORD", "")
SIZE = 4

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used")


@dataclass
class Target:
    """Where the contract is tried, with the two keys."""

    url: str
    writer: str
    reader: str
    exchanges: list[dict[str, object]] = field(default_factory=list)

    def client(self, key: str | None = None) -> QdrantClient:
        """A client with the writer's key unless told otherwise; its exchanges are recorded."""
        client = QdrantClient(
            url=self.url,
            api_key=self.writer if key is None else key,
            cloud_inference=True,
            check_compatibility=False,
            timeout=30,
        )
        # The client validates every answer by its own models; here both sides are kept as sent.
        hooks = client.http.client._client.event_hooks
        client.http.client._client.event_hooks = {**hooks, "response": [self._keep]}
        return client

    def send(
        self, method: str, path: str, body: object = None, key: str | None = None
    ) -> httpx.Response:
        """A request that the client itself would never send. `body`: text is sent as it is."""
        content = body if isinstance(body, str) else json.dumps(body)
        headers = {"api-key": self.writer if key is None else key}
        headers["content-type"] = "application/json"
        return httpx.request(method, self.url + path, content=content, headers=headers, timeout=30)

    def _keep(self, response: httpx.Response) -> None:
        response.read()
        request = response.request
        self.exchanges.append(
            {
                "method": request.method,
                "path": request.url.path,
                "request": json.loads(request.content or b"null"),
                "status": response.status_code,
                "answer": response.text,
            }
        )


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    if REAL:
        writer = os.environ.get("THOTH_TEST_QDRANT_KEY", "")
        reader = os.environ.get("THOTH_TEST_QDRANT_READ_KEY", "")
        found = Target(REAL, writer, reader)
    else:
        server = request.getfixturevalue("vector_service")
        found = Target(server.url, server.writer_key, server.reader_key)
    yield found
    if RECORD:
        Path(RECORD).write_text(json.dumps(found.exchanges), encoding="utf-8")


@pytest.fixture
def client(target: Target) -> Iterator[QdrantClient]:
    client = target.client()
    yield client
    client.close()


@pytest.fixture
def collection(client: QdrantClient) -> Iterator[str]:
    """An empty dense collection of four dimensions."""
    name = f"contract-{uuid.uuid4().hex[:8]}"
    vectors = models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
    client.create_collection(name, vectors_config=vectors)
    yield name
    client.delete_collection(name)


@pytest.fixture
def with_bm25(client: QdrantClient) -> Callable[[str], None]:
    """Add `bm25` to a collection, as publication does."""

    def add(name: str) -> None:
        modifier = models.SparseVectorConfig(modifier=models.Modifier.IDF)
        client.create_vector_name(name, "bm25", models.SparseVectorNameConfig(sparse=modifier))

    return add
