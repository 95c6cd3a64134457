"""What the service keeps through kill -9, and what becomes of a collection it cannot open."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from qdrant_client import QdrantClient, models

from tests import services
from thoth.embedded.processes import give_to, service_user, stop_child
from thoth.embedded.vectors import VectorServer

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used")


@pytest.fixture
def server() -> VectorServer:
    given = services.vector_server()
    return VectorServer(
        Path(f"{given.root}-own"), given.port, given.reader_key, given.writer_key, given.user
    )


def connect(server: VectorServer) -> QdrantClient:
    return QdrantClient(url=server.url, api_key=server.writer_key, cloud_inference=True)


def test_kill_9_loses_nothing_acknowledged_and_a_broken_collection_stops_alone(
    server: VectorServer,
) -> None:
    process = server.start()
    try:
        client = connect(server)
        vectors = models.VectorParams(size=2, distance=models.Distance.COSINE)
        for name in ("kept", "broken"):
            client.create_collection(name, vectors_config=vectors)
        modifier = models.SparseVectorConfig(modifier=models.Modifier.IDF)
        client.create_vector_name("kept", "bm25", models.SparseVectorNameConfig(sparse=modifier))
        text = models.Document(text="infarto", model="qdrant/bm25")
        for number in range(40):
            vector = {"": [1.0, number / 9], "bm25": text}
            client.upsert("kept", [models.PointStruct(id=number, vector=vector)], wait=False)
        process.send_signal(signal.SIGKILL)
        process.wait()
        config = server.root / "collections" / "broken" / "edge_config.json"
        config.write_text("{")
        give_to(config, service_user())
        half = server.root / "collections" / ".half"
        half.mkdir()
        process = server.start()
        client = connect(server)
        assert client.count("kept").count == 40
        found = client.query_points("kept", query=text, using="bm25", limit=50)
        assert len(found.points) == 40
        with pytest.raises(Exception, match="stopped"):
            client.count("broken")
        assert not half.exists()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) in {0, -signal.SIGTERM}
    finally:
        stop_child(process, signals=())
