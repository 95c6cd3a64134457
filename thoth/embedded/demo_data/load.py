"""Creates the example warehouse in a PostgreSQL database and fills it."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
from psycopg import sql

from thoth.embedded.demo_data.frames import TableRows
from thoth.embedded.demo_data.generate import generate
from thoth.lib.errors import Conflict, Invalid, Upstream

SCHEMA = "datawarehouse"
SCHEMA_SQL = Path(__file__).resolve().parents[3] / "workspaces" / "cardiologia" / "schema.sql"
_SECTION = re.compile(r"^-- section: (\w+)$", re.MULTILINE)
# building keys and indexes of half a million rows in memory, not on disk
_SESSION = "SET LOCAL maintenance_work_mem = '256MB'; SET LOCAL synchronous_commit = off"


def load(
    dsn: str,
    seed: int,
    scale: float = 1.0,
    *,
    reader: str | None = None,
    reader_password: str | None = None,
    replace: bool = False,
) -> dict[str, int]:
    """The schema `datawarehouse` holds the data of `seed` and `scale`, or nothing has changed.

    `dsn` must own the database. `reader` is created when missing (with LOGIN), or its password
    renewed, and may then read this schema and nothing else; in this database PUBLIC loses the
    right to make temporary tables and to create in `public`. Statistics are up to date at the end.

    Returns the rows by table.

    Raises:
        Invalid: `demo_scale_invalid`, a scale that is not positive.
        Conflict: `demo_schema_exists`, there is such a schema already and `replace` is false.
        Upstream: `demo_database_unreachable`, no connection.
    """
    if not scale > 0:
        raise Invalid("demo_scale_invalid", f"The scale must be greater than 0, not {scale}.")
    sections = schema_sections()
    with _connect(dsn) as connection:
        with connection.transaction():
            connection.execute(_SESSION)
            _make_room(connection, replace=replace)
            connection.execute(sections["tables"])
            rows = {t.name: _copy(connection, t) for t in generate(seed, scale)}
            connection.execute(sections["keys"])
            connection.execute(sections["comments"])
            if reader:
                _grant(connection, reader, reader_password)
        _analyze(connection, rows)
    return rows


def schema_sections(path: Path = SCHEMA_SQL) -> dict[str, str]:
    """The statements of schema.sql by section: `tables`, `keys`, `comments`."""
    _, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _connect(dsn: str) -> psycopg.Connection[tuple[object, ...]]:
    try:
        return psycopg.connect(dsn, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        # the driver's text can repeat the DSN with its password
        raise Upstream(
            "demo_database_unreachable",
            "The database for the example warehouse does not answer. Is its server running?",
            transient=True,
        ) from error


def _make_room(connection: psycopg.Connection[tuple[object, ...]], *, replace: bool) -> None:
    found = connection.execute("SELECT to_regnamespace(%s) IS NOT NULL", [SCHEMA]).fetchone()
    if found != (True,):
        return
    if not replace:
        raise Conflict(
            "demo_schema_exists",
            f"The database has a schema {SCHEMA} already; it was left as it is.",
            schema=SCHEMA,
        )
    connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(SCHEMA)))


def _copy(connection: psycopg.Connection[tuple[object, ...]], rows: TableRows) -> int:
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(SCHEMA, rows.name), sql.SQL(", ").join(map(sql.Identifier, rows.columns))
    )
    with connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for batch in rows.batches:
                copy.write(batch)
        return cursor.rowcount


def _grant(
    connection: psycopg.Connection[tuple[object, ...]], reader: str, password: str | None
) -> None:
    """A role that can log in and SELECT from the schema, with every other right taken away."""
    role, schema = sql.Identifier(reader), sql.Identifier(SCHEMA)
    known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [reader]).fetchone()
    verb = sql.SQL("ALTER ROLE" if known else "CREATE ROLE")
    attributes = sql.SQL(
        "{} {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
    )
    connection.execute(attributes.format(verb, role))
    if password is not None:
        renew = sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, sql.Literal(password))
        connection.execute(renew)
    here = sql.Identifier(connection.info.dbname)
    for statement in (
        sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(here),
        sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(here, role),
        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, role),
        sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(schema, role),
    ):
        connection.execute(statement)


def _analyze(connection: psycopg.Connection[tuple[object, ...]], rows: dict[str, int]) -> None:
    """VACUUM too: index-only scans need the visibility map."""
    for name in rows:
        table = sql.Identifier(SCHEMA, name)
        connection.execute(sql.SQL("VACUUM ANALYZE {}").format(table))
