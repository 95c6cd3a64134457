"""Hybrid search: the embedded service over HTTP, raw Edge, and the client's local mode (dense only).

`python -m benchmarks.vector_service --sizes 1000 20000 100000 --local`; random unit vectors of 384
dimensions, texts of 60 words, prefetch 2 x 50 to 10. Local mode has no BM25: it answers the dense leg
only, and is slow to fill, so it is asked for.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import qdrant_edge as edge
from qdrant_client import QdrantClient, models

from thoth.embedded.processes import free_port, stop_child
from thoth.embedded.vectors import STOP_SIGNALS, VectorServer

DIM, WORDS, BATCH, LEG, TOP = 384, 60, 100, 50, 10
WORD_LIST = [f"parola{number}" for number in range(5000)]
Query = Callable[[list[float], str], object]


def main() -> None:
    """Print one line per size and engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--local", action="store_true")
    given = parser.parse_args()
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            _compare(Path(folder), size, given.queries, local=given.local)


def _compare(folder: Path, size: int, queries: int, *, local: bool) -> None:
    server = VectorServer(folder / "service", free_port(), "reader", "writer")
    process = server.start()
    try:
        client = QdrantClient(url=server.url, api_key="writer", cloud_inference=True)
        _fill(client, size, bm25=True)
        _report("service over HTTP", size, _measure(_remote(client), queries))
    finally:
        stop_child(process, signals=STOP_SIGNALS)
    shard = edge.EdgeShard.load(str(folder / "service" / "collections" / "bench"))
    _report("raw Edge", size, _measure(_raw(shard), queries))
    shard.close()
    if local:
        client = QdrantClient(":memory:")
        _fill(client, size, bm25=False)
        dense = _measure(lambda v, _: client.query_points("bench", query=v, limit=TOP), queries)
        _report("local mode, dense leg", size, dense)


def _fill(client: QdrantClient, size: int, *, bm25: bool) -> None:
    vectors = models.VectorParams(size=DIM, distance=models.Distance.COSINE)
    idf = {"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)}
    client.create_collection(
        "bench", vectors_config=vectors, sparse_vectors_config=idf if bm25 else None
    )
    source = random.Random(1)
    for first in range(0, size, BATCH):
        rows = [_row(source, number, bm25=bm25) for number in range(first, first + BATCH)]
        client.upsert("bench", rows, wait=True)


def _row(source: random.Random, number: int, *, bm25: bool) -> models.PointStruct:
    vector: dict[str, object] = {"": _unit(number)}
    if bm25:
        vector["bm25"] = _document(" ".join(source.choices(WORD_LIST, k=WORDS)))
    return models.PointStruct(id=number, vector=vector if bm25 else vector[""])


def _remote(client: QdrantClient) -> Query:
    def ask(vector: list[float], text: str) -> object:
        legs = [
            models.Prefetch(query=vector, limit=LEG),
            models.Prefetch(query=_document(text), using="bm25", limit=LEG),
        ]
        fusion = models.RrfQuery(rrf=models.Rrf())
        return client.query_points("bench", prefetch=legs, query=fusion, limit=TOP)

    return ask


def _raw(shard: edge.EdgeShard) -> Query:
    bm25 = edge.Bm25(edge.Bm25Config(language="italian", ascii_folding=True))

    def ask(vector: list[float], text: str) -> object:
        sparse = edge.Query.Nearest(bm25.embed_query(text), "bm25")
        legs = [
            edge.Prefetch(LEG, query=edge.Query.Nearest(vector, "")),
            edge.Prefetch(LEG, query=sparse),
        ]
        return shard.query(edge.QueryRequest(TOP, query=edge.Fusion.Rrf(2, None), prefetches=legs))

    return ask


def _measure(ask: Query, queries: int) -> list[float]:
    source, found = random.Random(2), []
    for number in range(queries):
        vector, text = _unit(10**6 + number), " ".join(source.choices(WORD_LIST, k=6))
        began = time.perf_counter()
        ask(vector, text)
        found.append((time.perf_counter() - began) * 1000)
    return found


def _unit(seed: int) -> list[float]:
    vector = np.random.default_rng(seed).standard_normal(DIM)
    return [float(item) for item in vector / np.linalg.norm(vector)]


def _document(text: str) -> models.Document:
    options = {"language": "italian", "ascii_folding": True}
    return models.Document(text=text, model="qdrant/bm25", options=options)


def _report(name: str, size: int, times: list[float]) -> None:
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{size:>7} {name:<22} p50 {p50:8.2f} ms   p95 {p95:8.2f} ms", flush=True)


if __name__ == "__main__":
    main()
