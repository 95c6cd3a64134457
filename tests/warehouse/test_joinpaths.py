"""Join paths: declared keys first, composite ones whole, likely ones marked, alternatives ranked."""

from __future__ import annotations

import pytest

from thoth.contracts.schema import Catalog, Column, ForeignKey, Table, TypeFamily
from thoth.contracts.tools import JoinPath
from thoth.lib.errors import Invalid
from thoth.warehouse.joinpaths import join_paths, join_search

_serial = iter(range(1_000_000))


def _table(
    name: str,
    columns: str,
    *,
    pk: str = "",
    fks: tuple[tuple[str, str, str], ...] = (),
    unique: tuple[str, ...] = (),
    rows: int = -1,
) -> Table:
    """Columns are integers unless `name:family`; a foreign key is (columns, table, columns)."""
    described = []
    for one in columns.split():
        column, _, family = one.partition(":")
        kind: TypeFamily = family or "integer"  # type: ignore[assignment]
        described.append(Column(name=column, type=kind, family=kind))
    return Table(
        schema_name="dw",
        name=name,
        columns=tuple(described),
        primary_key=tuple(pk.split()),
        unique_keys=tuple(tuple(key.split()) for key in unique),
        foreign_keys=tuple(
            ForeignKey(columns=tuple(a.split()), ref_table=f"dw.{to}", ref_columns=tuple(b.split()))
            for a, to, b in fks
        ),
        row_estimate=rows,
    )


def _catalog(*tables: Table) -> Catalog:
    return Catalog(workspace="join", version=str(next(_serial)), tables=tables)


STAR = (
    _table("paziente", "id nome:text", pk="id", rows=50_000),
    _table("tempo", "id anno", pk="id", rows=3_000),
    _table("reparto", "id nome:text", pk="id", rows=30),
    _table("medico", "id nome:text reparto_id", pk="id", fks=(("reparto_id", "reparto", "id"),)),
    _table(
        "ricovero", "id paziente_id ingresso_id uscita_id reparto_id", pk="id",
        fks=(("paziente_id", "paziente", "id"), ("ingresso_id", "tempo", "id"),
             ("uscita_id", "tempo", "id"), ("reparto_id", "reparto", "id")),
    ),
    _table(
        "ablazione", "id paziente_id data_id operatore_id", pk="id",
        fks=(("paziente_id", "paziente", "id"), ("data_id", "tempo", "id"),
             ("operatore_id", "medico", "id")),
    ),
    _table("isola", "codice:text"),
)  # fmt: skip


def _subjects(path: JoinPath) -> list[str]:
    return [edge.subject.replace("dw.", "") for edge in path.edges]


def _joined(catalog: Catalog, *tables: str, limit: int = 5) -> tuple[JoinPath, ...]:
    return join_paths(catalog, [f"dw.{table}" for table in tables], limit=limit)


def test_one_foreign_key_is_one_edge_with_its_cardinality_in_both_directions() -> None:
    catalog = _catalog(*STAR)
    (there,) = _joined(catalog, "ricovero", "paziente", limit=1)
    (back,) = _joined(catalog, "paziente", "ricovero", limit=1)
    assert _subjects(there) == _subjects(back) == ["paziente.id=ricovero.paziente_id"]
    assert (there.edges[0].left, there.edges[0].cardinality) == ("dw.ricovero", "many_to_one")
    assert (back.edges[0].left, back.edges[0].cardinality) == ("dw.paziente", "one_to_many")
    assert there.edges[0].declared
    assert there.score == 1.0


def test_several_keys_between_two_tables_are_alternatives() -> None:
    first, second, *_ = _joined(_catalog(*STAR), "ricovero", "tempo")
    assert [_subjects(first), _subjects(second)] == [
        ["ricovero.ingresso_id=tempo.id"],
        ["ricovero.uscita_id=tempo.id"],
    ]


def test_facts_meet_in_the_table_with_most_rows_rather_than_in_the_calendar() -> None:
    best = _joined(_catalog(*STAR), "ablazione", "ricovero")[0]
    assert best.tables == ("dw.ablazione", "dw.paziente", "dw.ricovero")
    assert [edge.cardinality for edge in best.edges] == ["many_to_one", "one_to_many"]


def test_tables_in_between_are_found_and_named() -> None:
    best = _joined(_catalog(*STAR), "ablazione", "reparto")[0]
    assert best.tables == ("dw.ablazione", "dw.medico", "dw.reparto")


def test_a_tree_of_four_tables_has_three_joins_and_no_cycle() -> None:
    best = _joined(_catalog(*STAR), "ricovero", "paziente", "tempo", "reparto")[0]
    assert set(_subjects(best)) == {
        "paziente.id=ricovero.paziente_id",
        "ricovero.ingresso_id=tempo.id",
        "reparto.id=ricovero.reparto_id",
    }


def test_every_path_is_a_tree_over_the_asked_tables_and_paths_differ() -> None:
    names = ["ablazione", "ricovero", "reparto", "tempo", "medico"]
    paths = _joined(_catalog(*STAR), *names)
    assert 1 < len(paths) <= 5
    assert len({frozenset(_subjects(path)) for path in paths}) == len(paths)
    for path in paths:
        assert {f"dw.{name}" for name in names} <= set(path.tables)
        assert len(path.edges) == len(path.tables) - 1
        reached = {path.tables[0]}
        for edge in path.edges:
            assert edge.left in reached
            reached.add(edge.right)
        assert reached == set(path.tables)
    assert [path.score for path in paths] == sorted((p.score for p in paths), reverse=True)


def test_a_composite_key_is_one_edge_of_several_pairs() -> None:
    catalog = _catalog(
        _table("riga", "anno numero importo", fks=(("anno numero", "documento", "anno numero"),)),
        _table("documento", "anno numero", pk="anno numero"),
    )
    (path,) = _joined(catalog, "riga", "documento")
    assert _subjects(path) == ["documento.anno=riga.anno&documento.numero=riga.numero"]
    assert path.edges[0].cardinality == "many_to_one"


def test_part_of_a_composite_key_does_not_make_a_side_unique() -> None:
    catalog = _catalog(
        _table("a", "id", pk="id"),
        _table("b", "a_id n", pk="a_id n", fks=(("a_id", "a", "id"),)),
        _table("c", "a_id", pk="a_id", fks=(("a_id", "a", "id"),)),
        _table("d", "a_id", unique=("a_id",), fks=(("a_id", "a", "id"),)),
    )
    kinds = [_joined(catalog, one, "a")[0].edges[0].cardinality for one in ("b", "c", "d")]
    assert kinds == ["many_to_one", "one_to_one", "one_to_one"]


def test_tables_that_nothing_connects_are_named() -> None:
    catalog = _catalog(*STAR)
    found = join_search(catalog, ["dw.ricovero", "dw.isola", "dw.paziente", "dw.mancante"])
    assert found.unconnected == ("dw.isola", "dw.mancante")
    assert _subjects(found.paths[0]) == ["paziente.id=ricovero.paziente_id"]
    assert join_paths(catalog, ["dw.ricovero", "dw.isola"]) == ()


def test_one_table_needs_no_join_and_nine_are_too_many() -> None:
    catalog = _catalog(*STAR)
    assert _joined(catalog, "ricovero", "ricovero")[0].edges == ()
    with pytest.raises(Invalid) as refused:
        join_search(catalog, [f"dw.t{n}" for n in range(9)])
    assert refused.value.code == "too_many_tables"


def test_the_order_of_the_catalog_does_not_matter() -> None:
    backwards = _catalog(*reversed(STAR))
    asked = ("ablazione", "ricovero", "reparto")
    assert _joined(_catalog(*STAR), *asked) == _joined(backwards, *asked)


# ---------- joins that nobody declared -----------------------------------------------------------
UNDECLARED = (
    _table("student", "student_id name:text"),
    _table("course", "course_id title:text"),
    _table("course_offering", "offering_id course_id semester_id"),
    _table("semesters", "semester_id year"),
    _table("registrations", "student_id offering_id grade:text"),
    _table("course_prerequisite", "pre_course_id course_id"),
    _table("airports", "airport_code:text city:text"),
    _table("flight", "flight_id from_airport:text to_airport:text pilot_name:text"),
    _table("cars", "id make:text", pk="id"),
    _table("sales", "id car_id price", pk="id"),
)


@pytest.mark.parametrize(
    ("one", "other", "subject"),
    [
        ("registrations", "student", "registrations.student_id=student.student_id"),
        ("course_offering", "semesters", "course_offering.semester_id=semesters.semester_id"),
        (
            "registrations",
            "course_offering",
            "course_offering.offering_id=registrations.offering_id",
        ),
        ("course_prerequisite", "course", "course.course_id=course_prerequisite.course_id"),
        ("flight", "airports", "airports.airport_code=flight.from_airport"),
        ("sales", "cars", "cars.id=sales.car_id"),
    ],
)
def test_a_likely_join_is_found_and_marked(one: str, other: str, subject: str) -> None:
    best = _joined(_catalog(*UNDECLARED), one, other)[0]
    assert _subjects(best) == [subject]
    assert not best.edges[0].declared
    assert best.edges[0].cardinality == "many_to_one"
    assert best.score < 1.0


def test_roles_of_a_reference_are_alternatives() -> None:
    paths = _joined(_catalog(*UNDECLARED), "flight", "airports")
    assert [_subjects(path) for path in paths] == [
        ["airports.airport_code=flight.from_airport"],
        ["airports.airport_code=flight.to_airport"],
    ]


def test_glued_names_with_a_common_prefix_are_matched() -> None:
    catalog = _catalog(
        _table("sbCustomer", "sbCustId:text", pk="sbCustId"),
        _table("sbTransaction", "sbTxId:text sbTxCustId:text", pk="sbTxId"),
    )
    (path,) = _joined(catalog, "sbTransaction", "sbCustomer")
    assert _subjects(path) == ["sbCustomer.sbCustId=sbTransaction.sbTxCustId"]


def test_italian_plurals_name_their_key() -> None:
    catalog = _catalog(
        _table("pazienti", "id_paziente nome:text"),
        _table("visite", "id_visita id_paziente"),
    )
    assert _subjects(_joined(catalog, "visite", "pazienti")[0]) == [
        "pazienti.id_paziente=visite.id_paziente"
    ]


def test_names_of_another_type_or_without_meaning_join_nothing() -> None:
    catalog = _catalog(
        _table("cars", "id make:text", pk="id"),
        _table("notes", "id car_id:text name:text", pk="id"),
        _table("people", "id name:text", pk="id"),
    )
    assert _joined(catalog, "notes", "cars") == ()
    assert _joined(catalog, "notes", "people") == ()


def test_a_declared_key_is_preferred_to_a_likely_one() -> None:
    catalog = _catalog(
        _table("cars", "id", pk="id"),
        _table("sales", "id car_id vehicle", fks=(("vehicle", "cars", "id"),)),
    )
    first, second = _joined(catalog, "sales", "cars")
    assert (_subjects(first), first.edges[0].declared) == (["cars.id=sales.vehicle"], True)
    assert (_subjects(second), second.edges[0].declared) == (["cars.id=sales.car_id"], False)


def test_a_code_that_two_tables_merely_share_is_the_last_resort() -> None:
    catalog = _catalog(
        _table("meteo", "zona_codice:text pioggia"), _table("incidenti", "zona_codice:text numero")
    )
    (path,) = _joined(catalog, "meteo", "incidenti")
    assert path.edges[0].cardinality == "many_to_many"
    assert not path.edges[0].declared
