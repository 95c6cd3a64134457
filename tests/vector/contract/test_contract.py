"""What the product relies on, of the embedded service and of a real server alike."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from tests.vector.contract.conftest import Target

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used")
OPTIONS = {"language": "italian", "ascii_folding": True}
WORDS = ("infarto", "ricovero", "creatinina", "pressione", "frequenza", "dimissione", "troponina")


def document(text: str) -> models.Document:
    return models.Document(text=text, model="qdrant/bm25", options=OPTIONS)


def points(count: int) -> list[models.PointStruct]:
    """Dense points; every second one of kind b."""
    return [
        models.PointStruct(
            id=number,
            vector=[1.0, number / 7, (number % 5) / 3, 0.25],
            payload={"kind": "ab"[number % 2]},
        )
        for number in range(1, count + 1)
    ]


def kind(value: str) -> models.Filter:
    condition = models.FieldCondition(key="kind", match=models.MatchValue(value=value))
    return models.Filter(must=[condition])


def dense(client: QdrantClient, name: str) -> list[tuple[object, float]]:
    found = client.query_points(name, query=[0.3, 1.0, 0.2, 0.1], limit=10, query_filter=kind("a"))
    return [(point.id, point.score) for point in found.points]


def sparse(client: QdrantClient, name: str, text: str, corpus: models.Filter | None = None) -> list:
    params = None
    if corpus is not None:
        params = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus))
    asked = {"query": document(text), "using": "bm25", "limit": 10, "search_params": params}
    return client.query_points(name, **asked).points


def test_adding_bm25_changes_nothing_that_was_there(
    client: QdrantClient, collection: str, with_bm25: Callable[[str], None]
) -> None:
    client.upsert(collection, points(30), wait=True)
    client.create_payload_index(collection, "kind", models.PayloadSchemaType.KEYWORD)

    def seen() -> tuple[object, ...]:
        sample = [point.id for point in client.scroll(collection, limit=7)[0]]
        return client.count(collection).count, sample, dense(client, collection)

    before = seen()
    with_bm25(collection)
    assert seen() == before
    assert sparse(client, collection, "infarto") == []
    vectors = models.PointVectors(id=4, vector={"bm25": document("infarto acuto")})
    client.update_vectors(collection, [vectors], wait=True)
    assert seen() == before
    assert [point.id for point in sparse(client, collection, "infarto")] == [4]
    config = client.get_collection(collection).config.params
    assert config.sparse_vectors["bm25"].modifier == models.Modifier.IDF
    assert (config.vectors.size, config.vectors.distance) == (4, models.Distance.COSINE)


def test_idf_of_a_corpus_is_not_moved_by_other_points(
    client: QdrantClient, collection: str, with_bm25: Callable[[str], None]
) -> None:
    with_bm25(collection)

    def add(first: int, kind_: str, text: str) -> None:
        rows = [
            models.PointStruct(
                id=first + i,
                vector={"": [1.0, 0.0, 0.0, 0.5], "bm25": document(text)},
                payload={"kind": kind_},
            )
            for i in range(10)
        ]
        client.upsert(collection, rows, wait=True)

    add(1, "a", "infarto miocardico")
    alone = sparse(client, collection, "infarto", kind("a"))[0].score
    everywhere = sparse(client, collection, "infarto")[0].score
    add(100, "b", "frattura")
    assert sparse(client, collection, "infarto", kind("a"))[0].score == alone
    assert sparse(client, collection, "infarto")[0].score != everywhere


def test_accents_are_folded_and_italian_is_stemmed(
    client: QdrantClient, collection: str, with_bm25: Callable[[str], None]
) -> None:
    with_bm25(collection)
    vector = {"": [1.0, 0.0, 0.0, 0.0], "bm25": document("l'età dei pazienti")}
    client.upsert(collection, [models.PointStruct(id=1, vector=vector)], wait=True)
    for text in ("eta", "età", "paziente"):
        assert [point.id for point in sparse(client, collection, text)] == [1], text


def test_fusion_gives_equal_scores_to_equal_ranks(
    client: QdrantClient, collection: str, with_bm25: Callable[[str], None]
) -> None:
    with_bm25(collection)
    near = {"": [1.0, 0.0, 0.0, 0.0]}
    far = {"": [0.0, 1.0, 0.0, 0.0], "bm25": document("infarto")}
    rows = [models.PointStruct(id=1, vector=near), models.PointStruct(id=2, vector=far)]
    client.upsert(collection, rows, wait=True)
    legs = [
        models.Prefetch(query=[1.0, 0.0, 0.0, 0.0], limit=1),
        models.Prefetch(query=document("infarto"), using="bm25", limit=1),
    ]
    found = client.query_points(
        collection, prefetch=legs, query=models.RrfQuery(rrf=models.Rrf()), limit=2
    )
    assert {point.id: point.score for point in found.points} == {1: 0.5, 2: 0.5}


def test_the_readers_key_reads_and_does_not_write(
    target: Target, client: QdrantClient, collection: str
) -> None:
    if not target.reader:
        pytest.skip("the server was given without a reader's key")
    client.upsert(collection, points(2), wait=True)
    reader = target.client(target.reader)
    assert reader.count(collection).count == 2
    for write in (
        lambda: reader.upsert(collection, points(1)),
        lambda: reader.delete(collection, [1]),
        lambda: reader.delete_collection(collection),
    ):
        with pytest.raises(UnexpectedResponse) as caught:
            write()
        assert caught.value.status_code == 403
    assert client.count(collection).count == 2
    for key in ("", "wrong"):
        assert target.send("GET", "/collections", key=key).status_code == 401


POISON = (
    {"bm25": {"indices": [1, 2], "values": [1.0]}},
    {"bm25": {"indices": [1, 1], "values": [1.0, 2.0]}},
    {"bm25": [1.0, 2.0, 3.0, 4.0]},
    {"unknown": [1.0, 2.0, 3.0, 4.0]},
    {"": [1.0, 2.0]},
)


@pytest.mark.parametrize("vector", POISON)
def test_poison_is_refused_and_leaves_nothing(
    target: Target,
    client: QdrantClient,
    collection: str,
    with_bm25: Callable[[str], None],
    vector: object,
) -> None:
    with_bm25(collection)
    path = f"/collections/{collection}/points?wait=true"
    answer = target.send("PUT", path, {"points": [{"id": 1, "vector": vector}]})
    assert answer.status_code in {400, 422}
    assert answer.json()["status"]["error"]
    assert client.count(collection).count == 0


@pytest.mark.parametrize("number", ["NaN", "1e400", "-Infinity"])
def test_numbers_that_are_none_are_refused(target: Target, collection: str, number: str) -> None:
    body = f'{{"points": [{{"id": 1, "vector": [{number}, 0, 0, 1]}}]}}'
    path = f"/collections/{collection}/points?wait=true"
    assert target.send("PUT", path, body).status_code in {400, 422}


def test_errors_have_qdrants_codes(target: Target, client: QdrantClient, collection: str) -> None:
    here = f"/collections/{collection}"
    vectors = {"vectors": {"size": 4, "distance": "Cosine"}}
    assert target.send("GET", "/collections/contract-none").status_code == 404
    assert target.send("PUT", here, vectors).status_code == 409
    assert target.send("POST", f"{here}/points/scroll", {"limit": 0}).status_code == 422
    payload = {"payload": {"a": 1}, "points": [9]}
    assert target.send("POST", f"{here}/points/payload?wait=true", payload).status_code == 404
    assert client.delete_collection("contract-none") is False


def test_set_payload_delete_and_pages(client: QdrantClient, collection: str) -> None:
    client.upsert(collection, points(25), wait=True)
    client.set_payload(collection, {"extra": "è"}, points=[3], wait=True)
    client.delete(collection, [5], wait=True)
    client.delete(collection, models.FilterSelector(filter=kind("b")), wait=True)
    assert client.retrieve(collection, [3, 5, 4]) == client.retrieve(collection, [4])
    page, following = client.scroll(collection, limit=5)
    assert [point.id for point in page] == [2, 4, 6, 8, 10]
    assert following == 12


def test_threads_get_their_own_answers(
    client: QdrantClient, collection: str, with_bm25: Callable[[str], None]
) -> None:
    with_bm25(collection)
    rows = [
        models.PointStruct(id=i, vector={"": [1.0, i / 3, 0.0, 0.0], "bm25": document(word)})
        for i, word in enumerate(WORDS, start=1)
    ]
    client.upsert(collection, rows, wait=True)

    def ask(number: int) -> bool:
        word = number % len(WORDS)
        return [p.id for p in sparse(client, collection, WORDS[word])] == [word + 1]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(160)))
