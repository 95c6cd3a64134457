"""The example warehouse on the embedded server: `python -m thoth.embedded.example SEED SCALE`.

A process of its own, so that Ctrl-C can end it in the middle. It takes the admin's and the
owner's DSN from the environment. The load is one transaction and the mark in the database's
comment comes last: what carries the mark is whole, anything else is loaded again.
"""

from __future__ import annotations

import hashlib
import os
import sys

import psycopg
from psycopg import sql

from thoth.embedded.databases import Connection, database_ensure, reader_rights, role_ensure

DATABASE, OWNER, READER = "cardiologia", "cardiologia_owner", "cardiologia_reader"
ADMIN_DSN, OWNER_DSN = "THOTH_EXAMPLE_ADMIN_DSN", "THOTH_EXAMPLE_OWNER_DSN"
SEED, SCALE = 20_240_601, 1.0


def roles_and_database(admin: Connection, *, owner_password: str, reader_password: str) -> None:
    """Both roles have these passwords; the database exists and is the owner's."""
    role_ensure(admin, OWNER, owner_password)
    role_ensure(admin, READER, reader_password)
    database_ensure(admin, DATABASE, OWNER)


def mark(seed: int, scale: float) -> str:
    """Names the data: other tables, seed or scale make another mark."""
    from thoth.embedded.demo_data import SCHEMA_SQL  # noqa: PLC0415 - numpy, only when asked

    tables = hashlib.sha256(SCHEMA_SQL.read_bytes()).hexdigest()[:12]
    return f"thoth example {tables} seed {seed} scale {scale}"


def mark_found(admin: Connection) -> str | None:
    """The mark on the database, None when nothing is loaded."""
    row = admin.execute(
        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s",
        [DATABASE],
    ).fetchone()
    return str(row[0]) if row and row[0] else None


def load_example(admin_dsn: str, owner_dsn: str, seed: int, scale: float) -> dict[str, int]:
    """The warehouse holds exactly the data of seed and scale. Returns rows by table."""
    from thoth.embedded.demo_data import SCHEMA, load  # noqa: PLC0415 - numpy, only when asked

    with psycopg.connect(admin_dsn, autocommit=True) as admin:
        _comment(admin, "")
        rows = load(owner_dsn, seed, scale, replace=True)
        reader_rights(admin, DATABASE, SCHEMA, READER)
        _comment(admin, mark(seed, scale))
    return rows


def _comment(admin: Connection, text: str) -> None:
    statement = sql.SQL("COMMENT ON DATABASE {} IS {}")
    admin.execute(statement.format(sql.Identifier(DATABASE), sql.Literal(text)))


def main() -> None:
    """Load what the arguments and the environment say; print the number of rows."""
    seed, scale = int(sys.argv[1]), float(sys.argv[2])
    rows = load_example(os.environ[ADMIN_DSN], os.environ[OWNER_DSN], seed, scale)
    sys.stdout.write(f"example_loaded rows={sum(rows.values())}\n")


if __name__ == "__main__":
    main()
