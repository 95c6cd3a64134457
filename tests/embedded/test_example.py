"""The example warehouse is whole or loaded again, and its reader can only read."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo

from thoth.embedded import example
from thoth.embedded.postgres import PostgresServer


def test_it_is_loaded_once_marked_last_and_only_readable(postgres_server: PostgresServer) -> None:
    admin_dsn = postgres_server.dsn(example.DATABASE)
    owner, reader = (
        make_conninfo(admin_dsn, user=user, password=password)
        for user, password in ((example.OWNER, "o"), (example.READER, "r"))
    )
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        for _ in range(2):  # idempotent
            example.roles_and_database(admin, owner_password="o", reader_password="r")
        assert example.mark_found(admin) is None

        # An earlier load that was broken off left something without a mark.
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA datawarehouse CREATE TABLE half (a int)")
        rows = example.load_example(admin_dsn, owner, seed=3, scale=0.01)
        assert example.mark_found(admin) == example.mark(3, 0.01)
        assert example.mark(3, 0.01) != example.mark(4, 0.01)

        # A load that fails takes the mark away and leaves the old data, not half of the new.
        with pytest.raises(Exception, match="scale"):
            example.load_example(admin_dsn, owner, seed=3, scale=-1)
        assert example.mark_found(admin) is None

    with psycopg.connect(reader, autocommit=True) as connection:
        count = "SELECT count(*) FROM datawarehouse.dim_paziente"
        assert connection.execute(count).fetchone() == (rows["dim_paziente"],)
        assert connection.execute("SHOW default_transaction_read_only").fetchone() == ("on",)
        connection.execute("SET default_transaction_read_only = off")
        for statement in (
            "DELETE FROM datawarehouse.dim_paziente",
            "CREATE TEMP TABLE t (a int)",
            "CREATE TABLE public.t (a int)",
            "SELECT * FROM pg_authid",
            "COPY datawarehouse.dim_paziente TO PROGRAM 'cat'",
            "SET ROLE cardiologia_owner",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement.encode())
    _drop(postgres_server)


def test_the_reader_cannot_enter_the_application_database(postgres_server: PostgresServer) -> None:
    from thoth.embedded.databases import application_database, role_ensure

    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        for role in ("app_owner_t", "app_t", "stranger_t"):
            role_ensure(admin, role, "x")
        application_database(admin, "app_db_t", "app_owner_t", "app_t")
    dsn = postgres_server.dsn("app_db_t")
    psycopg.connect(make_conninfo(dsn, user="app_t", password="x")).close()
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(make_conninfo(dsn, user="stranger_t", password="x"))
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as admin:
        admin.execute("DROP DATABASE app_db_t")
        admin.execute("DROP ROLE app_owner_t, app_t, stranger_t")


def _drop(server: PostgresServer) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {example.DATABASE} WITH (FORCE)".encode())
        admin.execute(f"DROP ROLE {example.OWNER}, {example.READER}".encode())
