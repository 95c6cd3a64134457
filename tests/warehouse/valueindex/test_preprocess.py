"""From a real warehouse to its index: values_preprocess, and codes asked of the source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tests.warehouse.valueindex.builders import found
from thoth.lib.errors import Upstream
from thoth.warehouse.catalog import catalog_get
from thoth.warehouse.valueindex.facade import value_source, values_preprocess, values_search
from thoth.workspaces.facade import workspace_write

pytestmark = pytest.mark.django_db
WORKSPACE = "reparti"
DDL = """
CREATE SCHEMA "Dw";
CREATE TYPE "Dw".esito AS ENUM ('dimesso', 'trasferito');
CREATE TABLE "Dw"."Ricovero" (
    id serial PRIMARY KEY, "Reparto di cura" text, cognome text, nosografico text, esito "Dw".esito,
    durata integer, ingresso date);
INSERT INTO "Dw"."Ricovero" ("Reparto di cura", cognome, nosografico, esito, durata, ingresso)
SELECT (ARRAY['Cardiologia', 'Citta''della salute', 'Pronto "rosso"'])[1 + n % 3], 'Bianchi' || n,
       'N' || (100000 + n), (ARRAY['dimesso', 'trasferito'])[1 + n % 2]::"Dw".esito, n, now()
FROM generate_series(1, 300) n;
"""


@pytest.fixture
def dsn(make_warehouse: Callable[[str], str], settings: Settings, tmp_path: Path) -> str:
    """A small warehouse with awkward names, described by a workspace."""
    settings.THOTH_HOME = tmp_path
    dsn = make_warehouse(DDL)
    workspace_write(
        document={
            "schema_version": 1,
            "name": WORKSPACE,
            "language": "it",
            "database": {"type": "postgresql", "dsn": dsn, "schemas": ["Dw"]},
            "columns": {"identifying": ["Dw.Ricovero.cognome"]},
            "execution": {"allow": ["preview"]},
        }
    )
    return dsn


def test_preprocess_reads_what_may_be_stored_and_says_why_not_the_rest(dsn: str) -> None:
    lines: list[str] = []
    report = values_preprocess(WORKSPACE, progress=lines.append)
    decided = {c.full_name.rpartition(".")[2]: (c.policy, c.values) for c in report.columns}
    assert decided == {
        "id": ("off", 0),
        "Reparto di cura": ("index", 3),
        "cognome": ("off", 0),
        "nosografico": ("ask", 300),
        "esito": ("index", 2),
        "durata": ("off", 0),
        "ingresso": ("off", 0),
    }
    assert len(lines) == len(report.columns)
    assert not any("Bianchi" in line or "Cardiologia" in line for line in lines)


def test_values_are_found_with_their_rows_and_codes_by_asking(dsn: str) -> None:
    values_preprocess(WORKSPACE)
    catalog = catalog_get(WORKSPACE)
    hit = values_search(WORKSPACE, "cardiologia", catalog=catalog)[0].hits[0]
    assert (hit.column, hit.value, hit.rows) == ("Dw.Ricovero.Reparto di cura", "Cardiologia", 100)
    assert found(values_search(WORKSPACE, "città della salute", catalog=catalog))[0][1] == (
        "Citta'della salute"
    )
    source = value_source(WORKSPACE, catalog)
    spans = values_search(WORKSPACE, "il ricovero N100042?", catalog=catalog, source=source)
    assert found(spans) == [("Dw.Ricovero.nosografico", "N100042")]
    assert source.count_value("Dw.Ricovero.Reparto di cura", "Citta'della salute") == 100
    assert source.count_value("Dw.Ricovero.Reparto di cura", "x' OR true --") == 0


def test_an_unreachable_warehouse_is_an_upstream_error_and_keeps_the_index(
    dsn: str, make_warehouse: Callable[[str], str]
) -> None:
    values_preprocess(WORKSPACE)
    catalog = catalog_get(WORKSPACE)
    workspace_write(
        document={
            "schema_version": 1,
            "name": WORKSPACE,
            "language": "it",
            "database": {
                "type": "postgresql",
                "dsn": "postgresql://nobody@127.0.0.1:1/nothing",
                "schemas": ["Dw"],
            },
        },
        overwrite=True,
    )
    with pytest.raises(Upstream) as refused:
        values_preprocess(WORKSPACE)
    assert refused.value.code == "warehouse_unreachable"
    assert values_search(WORKSPACE, "cardiologia", catalog=catalog)
