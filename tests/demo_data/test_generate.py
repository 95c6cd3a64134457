"""The generator is deterministic and keeps the promises of size that others build on."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

from thoth.embedded.demo_data import generate

DIGEST = "import hashlib; from tests.demo_data.test_generate import digest; print(digest(%d, 0.02))"


def digest(seed: int, scale: float) -> str:
    found = hashlib.sha256()
    for table in generate(seed, scale):
        found.update(f"{table.name}{table.columns}".encode())
        for batch in table.batches:
            found.update(batch)
    return found.hexdigest()


def test_a_seed_gives_the_same_bytes_in_another_process() -> None:
    other = subprocess.run(
        [sys.executable, "-c", DIGEST % 5],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.strip() == digest(5, 0.02)


def test_another_seed_gives_other_bytes() -> None:
    assert digest(5, 0.02) != digest(6, 0.02)


def test_dimensions_come_before_the_facts_that_point_to_them() -> None:
    names = [table.name for table in generate(1, 0.001)]
    assert names[:5] == [
        "dim_tempo",
        "dim_reparto",
        "dim_diagnosi",
        "dim_procedura",
        "dim_paziente",
    ]
    assert names.index("fact_ricovero") < names.index("fact_ablazione")
    assert names.index("fact_visita") < names.index("fact_esame")
    assert len(names) == 12


def test_the_smallest_scale_still_makes_every_table() -> None:
    for table in generate(3, 0.0001):
        assert next(table.batches)
