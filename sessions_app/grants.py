"""Rights of the role that serves requests when another role owns and migrates the tables.

It may do everything but change what is append-only: there it inserts and reads.
"""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

APPEND_ONLY = ("sessions_app_ledgerrow", "sessions_app_content", "sessions_app_artifactversion")

_STATEMENTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    # Tables of later migrations, made by the same owner:
    (
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public"
        " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}"
    ),
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)


def grant_application_role(connection: BaseDatabaseWrapper, role: str) -> None:
    """`role` may use every table, and only INSERT and SELECT where rows are append-only.

    Idempotent; run as the owner of the tables. Raises ImproperlyConfigured without such a role.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            raise ImproperlyConfigured(f"THOTH_DB_APP_ROLE: the database has no role {role!r}.")
        name = sql.Identifier(role)
        for statement in _STATEMENTS:
            cursor.execute(sql.SQL(statement).format(role=name))
        for table in APPEND_ONLY:
            revoke = sql.SQL("REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {role}")
            cursor.execute(revoke.format(table=sql.Identifier(table), role=name))


def can_change(connection: BaseDatabaseWrapper, role: str, table: str) -> bool:
    """May `role` update, delete or truncate rows of `table`? False when there is no such role."""
    query = (
        "SELECT bool_or(has_table_privilege(oid, %s, right_)) FROM pg_roles,"
        " unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE']) AS right_ WHERE rolname = %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [table, role])
        return bool(cursor.fetchone()[0])
