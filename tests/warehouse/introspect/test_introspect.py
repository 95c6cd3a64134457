"""Introspection of real schemas: names, keys, rights, and a number of queries that does not grow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import psycopg
import pytest

from tests.warehouse.library import Library, workspace_of
from thoth.contracts.schema import ForeignKey, Table
from thoth.lib.errors import Invalid, Upstream
from thoth.warehouse.execute.target import Target
from thoth.warehouse.functions import is_denied
from thoth.warehouse.introspect import introspect
from thoth.warehouse.render import schema_slice
from thoth.warehouse.samples import samples_of

MakeWarehouse = Callable[[str], str]


def table(lib: Library, name: str) -> Table:
    found = lib.catalog.table(name)
    assert found is not None
    return found


def test_names_keep_their_case_and_alphabet(lib: Library) -> None:
    names = {t.full_name for t in lib.catalog.tables}
    assert {
        "lib.loans",
        "lib.Loans",
        "lib.École",
        "lib.order",
        "archive.loans",
        "lib.late",
    } <= names
    assert [c.name for c in table(lib, "lib.order").columns] == ["id", "user", "Total Due"]


def test_what_the_role_cannot_read_is_not_there(lib: Library) -> None:
    assert lib.catalog.table("lib.secrets") is None


def test_columns_have_types_families_and_flags(lib: Library) -> None:
    columns = table(lib, "lib.loans").by_name
    assert (columns["fee"].type, columns["fee"].family) == ("numeric(6,2)", "decimal")
    assert (columns["lent_on"].family, columns["lent_on"].nullable) == ("date", False)
    assert columns["returned_at"].family == "timestamp"
    assert (columns["via"].type, columns["via"].family) == ("lib.channel", "text")
    readers = table(lib, "lib.readers").by_name
    assert (readers["name"].identifying, readers["email"].hidden) == (True, True)


def test_a_composite_foreign_key_is_one_relation_with_ordered_pairs(
    make_warehouse: MakeWarehouse,
) -> None:
    dsn = make_warehouse("""
        CREATE SCHEMA a;
        CREATE TABLE a.head (region text, no int, PRIMARY KEY (region, no));
        CREATE TABLE a.line (head_no int, region text, amount numeric,
          FOREIGN KEY (region, head_no) REFERENCES a.head (region, no))""")
    line = introspect(workspace_of(dsn, schemas=["a"])).table("a.line")
    assert line is not None
    assert line.foreign_keys == (
        ForeignKey(columns=("region", "head_no"), ref_table="a.head", ref_columns=("region", "no")),
    )


def test_keys_comments_kinds_and_estimates(make_warehouse: MakeWarehouse) -> None:
    dsn = make_warehouse("""
        CREATE SCHEMA a;
        CREATE DOMAIN a.amount AS numeric(8,2);
        CREATE TABLE a.t (k1 int, k2 int, code text UNIQUE, worth a.amount, gone int, PRIMARY KEY (k2, k1));
        ALTER TABLE a.t DROP COLUMN gone;
        CREATE UNIQUE INDEX ON a.t (k1) WHERE worth > 0;
        CREATE UNIQUE INDEX ON a.t (lower(code));
        COMMENT ON TABLE a.t IS 'Things'; COMMENT ON COLUMN a.t.worth IS 'in euro';
        INSERT INTO a.t SELECT g, g, g::text, g FROM generate_series(1, 30) g;
        CREATE VIEW a.v AS SELECT code FROM a.t;
        CREATE MATERIALIZED VIEW a.m AS SELECT code FROM a.t;
        CREATE TABLE a.p (id int, d date) PARTITION BY RANGE (d);
        CREATE TABLE a.p24 PARTITION OF a.p FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        ANALYZE""")
    catalog = introspect(workspace_of(dsn, schemas=["a"]))
    assert [(t.name, t.kind) for t in catalog.tables] == [
        ("m", "materialized_view"), ("p", "partitioned_table"), ("t", "table"), ("v", "view"),
    ]  # fmt: skip
    things = catalog.by_name["a.t"]
    assert (things.primary_key, things.unique_keys) == (("k2", "k1"), (("code",),))
    assert (things.comment, things.by_name["worth"].comment) == ("Things", "in euro")
    assert (things.by_name["worth"].type, things.by_name["worth"].family) == ("a.amount", "decimal")
    assert things.row_estimate == 30
    assert catalog.by_name["a.v"].row_estimate == -1


def test_the_number_of_queries_does_not_grow_with_the_schema(
    make_warehouse: MakeWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = [0]
    execute = psycopg.Connection.execute

    def counting(self: psycopg.Connection, *args: object, **options: object) -> object:
        counts[-1] += 1
        return execute(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(psycopg.Connection, "execute", counting)
    for tables in (1, 40):
        ddl = "".join(f"CREATE TABLE a.t{n} (id int PRIMARY KEY);" for n in range(tables))
        dsn = make_warehouse("CREATE SCHEMA a;" + ddl)
        counts.append(0)
        introspect(workspace_of(dsn, schemas=["a"]))
        counts.append(0)  # making the next warehouse
    assert counts[1] == counts[3] <= 10


def test_the_version_is_that_of_the_content(make_warehouse: MakeWarehouse) -> None:
    dsn = make_warehouse("CREATE SCHEMA a; CREATE TABLE a.t (id int)")
    workspace = workspace_of(dsn, schemas=["a"])
    before = introspect(workspace).version
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("INSERT INTO a.t SELECT generate_series(1, 500)")
        connection.execute("ANALYZE a.t")
        assert introspect(workspace).version == before
        connection.execute("COMMENT ON COLUMN a.t.id IS 'the number'")
    assert introspect(workspace).version != before


def test_allowed_functions_are_the_harmless_built_ins(lib: Library) -> None:
    allowed = lib.catalog.allowed_functions
    assert {
        "date_trunc",
        "sum",
        "lower",
        "generate_series",
        "percentile_cont",
        "jsonb_agg",
    } <= allowed
    for name in (
        "pg_sleep",
        "random",
        "set_config",
        "table_to_xml",
        "version",
        "nextval",
        "textin",
        "twice",
    ):
        assert name not in allowed
    assert not [name for name in allowed if is_denied(name) or name.startswith("pg_")]


def test_a_shadowed_built_in_and_a_redefined_operator_are_not_trusted(
    make_warehouse: MakeWarehouse,
) -> None:
    dsn = make_warehouse("""
        CREATE SCHEMA a; CREATE TABLE a.t (id int, v varchar);
        CREATE FUNCTION a.lower(varchar) RETURNS text LANGUAGE sql STABLE AS 'SELECT ''mine''';
        CREATE FUNCTION a.add(varchar, varchar) RETURNS text LANGUAGE sql AS 'SELECT $1';
        CREATE OPERATOR a.|| (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = a.add)""")
    catalog = introspect(workspace_of(dsn, schemas=["a"]))
    assert "lower" not in catalog.allowed_functions
    assert "upper" in catalog.allowed_functions
    assert catalog.redefined_operators == {"||"}


@pytest.mark.parametrize(
    ("schemas", "columns", "code"),
    [
        (["nowhere"], {}, "schema_unknown"),
        (["empty"], {}, "schema_empty"),
        (["lib"], {"hidden": ("lib.readers.e_mail",)}, "column_unknown"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(
    lib: Library, schemas: list[str], columns: dict[str, tuple[str, ...]], code: str
) -> None:
    lib.run("CREATE SCHEMA IF NOT EXISTS empty; GRANT USAGE ON SCHEMA empty TO PUBLIC")
    with pytest.raises(Invalid) as refused:
        introspect(workspace_of(lib.target.dsn, schemas=schemas, columns=columns))
    assert refused.value.code == code


def test_an_absent_server_is_an_upstream_failure() -> None:
    with pytest.raises(Upstream) as refused:
        introspect(workspace_of("host=127.0.0.1 port=1 dbname=x", schemas=["a"]))
    assert refused.value.code == "warehouse_unreachable"


def test_the_text_for_a_model_shows_samples_but_nothing_hidden_or_identifying(lib: Library) -> None:
    tables = [table(lib, "lib.readers"), table(lib, "lib.order")]
    samples = samples_of(lib.target, lib.catalog, tables)
    shown = schema_slice(lib.catalog, ["lib.readers", "lib.order", "lib.nope"], samples)
    assert "city text e.g. 'Genova', 'Roma'" in shown.text or "'Roma', 'Genova'" in shown.text
    assert "name text [identifying]" in shown.text
    assert "email" not in shown.text
    assert "Lettore" not in shown.text
    assert 'lib."order"' in shown.text
    assert '"Total Due" numeric' in shown.text
    assert "foreign key (invited_by) -> lib.readers (id)" in shown.text
    assert shown.omitted == ("lib.nope",)
    assert "Left out: lib.nope" in shown.text
    assert all(column.name != "email" for t in shown.tables for column in t.columns)


def test_the_text_is_bounded_and_says_what_was_left_out(make_warehouse: MakeWarehouse) -> None:
    columns = ", ".join(f"a_rather_long_column_name_{n} text" for n in range(120))
    ddl = "".join(f"CREATE TABLE a.t{n} ({columns});" for n in range(10))
    catalog = introspect(workspace_of(make_warehouse("CREATE SCHEMA a;" + ddl), schemas=["a"]))
    wanted = [f"a.t{n}" for n in range(10)]
    shown = schema_slice(catalog, wanted, [])
    assert len(shown.text.encode()) <= 8 * 1024
    assert 1 <= len(shown.tables) < 8
    assert {t.full_name for t in shown.tables} | set(shown.omitted) == set(wanted)


def test_the_role_of_the_workspace_is_the_one_whose_rights_count(lib: Library) -> None:
    workspace = workspace_of(lib.admin, schemas=["lib"], execution={"role": lib.role})
    assert introspect(workspace).table("lib.secrets") is None
    assert introspect(workspace_of(lib.admin, schemas=["lib"])).table("lib.secrets") is not None
    assert Target.of(workspace).role == replace(lib.target, role=lib.role).role
