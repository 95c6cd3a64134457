"""The lending library of `tests/data/guard/schema.sql`: a warehouse with a reader who may not all."""

from __future__ import annotations

import contextlib
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import yaml
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from thoth.contracts.schema import Catalog
from thoth.warehouse.execute.target import Target
from thoth.warehouse.introspect import introspect
from thoth.workspaces.models import Workspace

DATA = Path(__file__).parents[1] / "data" / "guard"
_REPEAT = re.compile(r"⟪(.+?)\*(\d+)⟫", re.DOTALL)


@dataclass(frozen=True)
class Library:
    """`admin` is a superuser's DSN, `target` runs as the reader, `role` is its name."""

    admin: str
    role: str
    workspace: Workspace
    target: Target
    catalog: Catalog

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """As superuser, outside the product."""
        with psycopg.connect(self.admin, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


def workspace_of(dsn: str, *, schemas: list[str], **parts: Any) -> Workspace:
    document = {
        "schema_version": 1,
        "name": "library",
        "language": "it",
        "database": {"type": "postgresql", "dsn": dsn, "schemas": tuple(schemas)},
        **parts,
    }
    return Workspace.model_validate(document)


@contextlib.contextmanager
def library(server_dsn: str) -> Iterator[Library]:
    """A database of its own with a SELECT-only role that logs in with a password."""
    name, role = f"lib_{uuid.uuid4().hex[:10]}", f"lib_reader_{uuid.uuid4().hex[:10]}"
    admin = make_conninfo(**{**conninfo_to_dict(server_dsn), "dbname": name})
    reader = make_conninfo(**{**conninfo_to_dict(admin), "user": role, "password": "pw"})
    with psycopg.connect(server_dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'pw'").format(sql.Identifier(role))
        connection.execute(statement)
    try:
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute((DATA / "schema.sql").read_bytes())
            connection.execute(
                f"""
                GRANT USAGE ON SCHEMA lib, archive TO {role};
                GRANT SELECT ON ALL TABLES IN SCHEMA lib, archive TO {role};
                REVOKE ALL ON lib.secrets FROM {role};
                ANALYZE""".encode()
            )
        workspace = workspace_of(
            reader,
            schemas=["lib", "archive"],
            columns={"identifying": ("lib.readers.name",), "hidden": ("lib.readers.email",)},
        )
        yield Library(admin, role, workspace, Target.of(workspace), introspect(workspace))
    finally:
        with psycopg.connect(server_dsn, autocommit=True) as connection:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            connection.execute(drop)
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def expanded(text: str) -> str:
    """⟪x*3⟫ → xxx."""
    return _REPEAT.sub(lambda match: match[1] * int(match[2]), text)


def cases(file: str) -> Any:
    return yaml.safe_load((DATA / file).read_text(encoding="utf-8"))
