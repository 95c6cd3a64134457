"""What the value index is asked: the generated corpus, its queries, and harder ones of our own."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

TRIPLE = tuple[str, str, str]


def generated(corpus: Path) -> Path:
    """The folder of the generator's output, made on first use (about half a minute)."""
    folder = Path(tempfile.gettempdir()) / f"thoth-value-bench-{os.getuid()}"
    if not (folder / "done").exists():
        folder.mkdir(exist_ok=True)
        print(f"generating the corpus in {folder} …", flush=True)
        environment = {**os.environ, "VALUES_DATA": str(folder)}
        subprocess.run(
            [sys.executable, str(corpus / "gen.py")],
            env=environment, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        (folder / "done").touch()
    return folder


def triples(data: Path, scale: int, queries: list[dict[str, Any]]) -> list[TRIPLE]:
    """A part of the corpus that keeps every value a query is about, as the generator's own does."""
    size = 1_000_000 if scale > 200_000 else 200_000
    with (data / f"corpus_{size}.pkl").open("rb") as file:
        whole: list[TRIPLE] = pickle.load(file)["trip"]
    if scale >= len(whole):
        return whole
    from thoth.warehouse.valueindex.normal import norm

    few = 10
    needed = {gold for query in queries if len(query["gold"]) <= few for gold in query["gold"]}
    kept = [triple for triple in whole if norm(triple[2]) in needed]
    rest = [triple for triple in whole if norm(triple[2]) not in needed]
    random.Random(5).shuffle(rest)
    return kept + rest[: max(scale - len(kept), 0)]


def queries_of(data: Path, name: str, count: int | None) -> list[dict[str, Any]]:
    """The generator's queries; with `count`, that many, every type in its share."""
    with (data / f"queries_{name}.pkl").open("rb") as file:
        everything: list[dict[str, Any]] = pickle.load(file)
    if count is None or count >= len(everything):
        return everything
    step = len(everything) / count
    return [everything[int(place * step)] for place in range(count)]


FRAMES = (
    "fammi sapere a quante persone è stata attribuita la voce {} negli ultimi due trimestri",
    "nel 2021 qual era, in media, l'età di chi presentava {}?",
    "ci interessa l'andamento settimanale di {} nelle sedi della provincia",
    "which share of the elderly visitors ended up with {} during winter?",
    "break down {} by gender and quarter, newest first, please",
    "di tutti gli assistiti visti a maggio, quanti avevano {} e quanti no?",
)
FILLERS = (
    "un esito peggiore del previsto", "più di tre visite nello stesso anno", "at least two stays",
    "un costo sopra la media", "nessuna dimissione registrata", "a longer stay than usual",
)  # fmt: skip
TWO = (
    "quanti ricoveri con {} risultano anche associati a {} nel 2022?",
    "compare the number of cases with {} against those with {} per year",
)


def harder(
    queries: list[dict[str, Any]], present: set[str], count: int, seed: int
) -> list[dict[str, Any]]:
    """Unseen frames, two literals, and the stress kinds, made from the values of other queries."""
    chance = random.Random(seed)
    exact = [q for q in queries if q["type"] in ("exact", "case_accent") and len(q["q"]) >= 8]
    exact = [q for q in exact if len(q["q"].split()) <= 6 and set(q["gold"]) <= present]
    found: list[dict[str, Any]] = []
    for _ in range(count):
        one, other = chance.sample(exact, 2)
        frame = chance.choice(FRAMES)
        found += [
            {**one, "type": "unseen", "q": frame.format(one["q"].lower())},
            {
                "type": "unseen_none",
                "q": frame.format(chance.choice(FILLERS)),
                "gold": [],
                "cols": [],
            },
            {
                "type": "two",
                "q": chance.choice(TWO).format(one["q"].lower(), other["q"].lower()),
                "gold": sorted({*one["gold"], *other["gold"]}),
                "cols": sorted({*map(tuple, one["cols"]), *map(tuple, other["cols"])}),
            },
        ]
        found += [
            {**one, "type": "stress", "q": text} for text in _stressed(one["gold"][0], chance)
        ]
    return found


def _stressed(value: str, chance: random.Random) -> list[str]:
    """Abbreviated words, misread letters, three edits, extra words, a wrong first letter."""
    words = value.split()
    longest = max(range(len(words)), key=lambda place: len(words[place]))
    word = words[longest]
    kinds: list[str] = []
    if len(word) > 7 and word.isalpha():
        swap = lambda new: " ".join([*words[:longest], new, *words[longest + 1 :]])  # noqa: E731
        middle = chance.randrange(2, len(word) - 2)
        kinds = [
            swap(word[:6] + "."),
            swap(word.replace("o", "0", 1).replace("l", "1", 1)),
            swap(chance.choice("bdfgmprt") + word[1:]),
            swap(word[:middle] + word[middle + 1 :]) + " da verificare",
        ]
        if len(word) > 10:
            kinds.append(swap(word[1:4] + word[5:8] + word[9:]))
    return kinds


def relabelled(queries: list[dict[str, Any]], rows: list[TRIPLE]) -> list[dict[str, Any]]:
    """The generator names gold (table, column, normal form): put the raw values of `rows` in."""
    from thoth.warehouse.valueindex.normal import norm

    raws: dict[tuple[str, str, str], list[TRIPLE]] = defaultdict(list)
    wanted = {tuple(gold) for query in queries for gold in query["cols"]}
    for row in rows:
        key = (row[0], row[1], norm(row[2]))
        if key in wanted:
            raws[key].append(row)
    held = {row for part in raws.values() for row in part}
    return [
        {
            **query,
            "cols": [
                row
                for gold in map(tuple, query["cols"])
                for row in ([gold] if gold in held else raws.get(gold, []))
            ],
        }
        for query in queries
    ]
