"""Roles and databases on the embedded server, made once and brought up to date at each start."""

from __future__ import annotations

import psycopg
from psycopg import sql

Connection = psycopg.Connection[tuple[object, ...]]


def role_ensure(admin: Connection, name: str, password: str) -> None:
    """A role that may log in and nothing more, with this password."""
    known = admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone()
    statement = sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(
        sql.SQL("ALTER" if known else "CREATE"), sql.Identifier(name), sql.Literal(password)
    )
    admin.execute(statement)


def database_ensure(admin: Connection, name: str, owner: str) -> None:
    """A database of this owner that only its own roles may enter."""
    known = admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
    identifiers = (sql.Identifier(name), sql.Identifier(owner))
    if not known:
        admin.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(*identifiers))
    admin.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(identifiers[0]))


def application_database(admin: Connection, dbname: str, owner: str, role: str) -> None:
    """`role` serves requests in a database whose tables `owner` makes and keeps."""
    database_ensure(admin, dbname, owner)
    admin.execute(
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(
            sql.Identifier(dbname), sql.Identifier(role)
        )
    )


def reader_rights(admin: Connection, dbname: str, schema: str, reader: str) -> None:
    """`reader` may SELECT from `schema` of this connection's database and nothing else there."""
    names = {
        "dbname": sql.Identifier(dbname),
        "schema": sql.Identifier(schema),
        "reader": sql.Identifier(reader),
    }
    for statement in (
        "GRANT CONNECT ON DATABASE {dbname} TO {reader}",
        "GRANT USAGE ON SCHEMA {schema} TO {reader}",
        "GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {reader}",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "ALTER ROLE {reader} IN DATABASE {dbname} SET default_transaction_read_only = on",
    ):
        admin.execute(sql.SQL(statement).format(**names))
