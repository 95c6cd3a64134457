"""What is wrong or risky about a workspace's connection, before anybody asks a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import psycopg

from thoth.contracts.schema import Catalog
from thoth.warehouse.execute.errors import translated
from thoth.warehouse.execute.session import connect
from thoth.warehouse.execute.target import Target, type_connection
from thoth.warehouse.introspect import introspect
from thoth.workspaces.models import Workspace

VERSION_MIN = 130_000
_LISTED_MAX = 5

_SERVER = """
SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
       current_setting('is_superuser') = 'on', current_user::text
"""
_FILE_ROLES = """
SELECT rolname::text FROM pg_catalog.pg_roles
WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
  AND pg_has_role(current_user, oid, 'USAGE')
ORDER BY 1
"""
_OUTSIDE = """
SELECT DISTINCT p.proname::text FROM pg_catalog.pg_proc p
WHERE p.proname IN ('dblink', 'dblink_exec', 'dblink_connect', 'dblink_connect_u', 'plpython3_call_handler')
  AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(p.pronamespace, 'USAGE')
ORDER BY 1
"""
_WRITABLE = """
SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname <> 'information_schema'
  AND n.nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(n.oid, 'USAGE')
  AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
ORDER BY 1
"""
_CREATABLE = """
SELECT nspname::text FROM pg_catalog.pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(oid, 'CREATE')
ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """`error`: queries would fail or be misread. `warning`: they work, but less is held back."""

    level: Literal["error", "warning"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Checkup:
    findings: tuple[Finding, ...]
    catalog: Catalog

    @property
    def is_clean(self) -> bool:
        return not self.findings

    @property
    def has_errors(self) -> bool:
        return any(finding.level == "error" for finding in self.findings)


def checkup(workspace: Workspace) -> Checkup:
    """Connect, read the schema, look at the rights of the role that will run queries.

    Raises: as `introspect`; what can be used despite a flaw is a finding, not an error.
    """
    catalog = introspect(workspace)
    target = Target.of(workspace)
    try:
        with connect(target) as connection:
            findings = (*_server(connection), *_reach(connection), *_writes(connection))
    except psycopg.Error as error:
        raise translated(error) from error
    return Checkup((*findings, *_contents(catalog)), catalog)


def _server(connection: type_connection) -> list[Finding]:
    version, encoding, is_superuser, role = _row(connection, _SERVER)
    findings = []
    if version < VERSION_MIN:
        message = f"PostgreSQL {version // 10_000} is too old; 13 or later is needed."
        findings.append(Finding("error", "server_too_old", message))
    if encoding != "UTF8":
        message = (
            f"The database is encoded in {encoding}; names and literals are only safe in UTF8."
        )
        findings.append(Finding("error", "server_encoding", message))
    if is_superuser:
        message = f"{role} is a superuser. Use a role that may only SELECT (execution.role)."
        findings.append(Finding("warning", "role_superuser", message))
    return findings


def _reach(connection: type_connection) -> list[Finding]:
    """Ways out of the database that a query would have if the guard ever missed one."""
    findings = []
    if roles := _names(connection, _FILE_ROLES):
        message = f"The role reaches the server's files or programs through {_list(roles)}."
        findings.append(Finding("warning", "role_server_files", message))
    if functions := _names(connection, _OUTSIDE):
        message = f"The role may open other connections with {_list(functions)}. Revoke EXECUTE."
        findings.append(Finding("warning", "role_dblink", message))
    return findings


def _writes(connection: type_connection) -> list[Finding]:
    findings = []
    if tables := _names(connection, _WRITABLE):
        message = f"The role may change {_list(tables)}. Grant it SELECT alone."
        findings.append(Finding("warning", "role_may_write", message))
    if schemas := _names(connection, _CREATABLE):
        message = f"The role may create objects in {_list(schemas)}. Revoke CREATE."
        findings.append(Finding("warning", "role_may_create", message))
    return findings


def _contents(catalog: Catalog) -> list[Finding]:
    findings = []
    if catalog.redefined_operators:
        operators = _list(sorted(catalog.redefined_operators))
        message = (
            f"The schemas redefine the operators {operators}: queries that use them are refused."
        )
        findings.append(Finding("warning", "operators_redefined", message))
    unkeyed = [t.full_name for t in catalog.tables if t.kind == "table" and not t.primary_key]
    if unkeyed:
        message = f"{_list(unkeyed)} without a primary key: joins to them cannot be proved safe."
        findings.append(Finding("warning", "tables_without_key", message))
    return findings


def _row(connection: type_connection, query: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row


def _names(connection: type_connection, query: str) -> list[str]:
    return [row[0] for row in connection.execute(query.encode()).fetchall()]


def _list(names: list[str]) -> str:
    shown = ", ".join(names[:_LISTED_MAX])
    rest = len(names) - _LISTED_MAX
    return shown + (f" and {rest} more" if rest > 0 else "")
