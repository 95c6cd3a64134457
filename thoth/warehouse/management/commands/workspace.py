"""`tht workspace …`: connect a warehouse, check it, read its schema and values."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from django_typer.management import command

from thoth.contracts.schema import Catalog
from thoth.lib.errors import Conflict, Invalid
from thoth.lib.terminal import EXIT_FAILED, EXIT_REVIEW, ThtCommand
from thoth.warehouse.catalog import catalog_refresh
from thoth.warehouse.checkup import Checkup, checkup
from thoth.warehouse.valueindex.facade import values_preprocess
from thoth.workspaces.facade import (
    workspace_folder,
    workspace_get,
    workspace_names,
    workspace_parse,
    workspace_write,
)
from thoth.workspaces.models import Workspace

Json = Annotated[bool, typer.Option("--json", help="print JSON and nothing else")]
Name = Annotated[str, typer.Argument(help="the workspace's name")]


class Command(ThtCommand):
    help = "Connect, check and read warehouses."

    @command()
    def new(
        self,
        name: Name,
        dsn: Annotated[list[str], typer.Option(help="PostgreSQL URL or keyword string")],
        schema: Annotated[list[str], typer.Option(help="a schema to read; repeatable")],
        language: Annotated[list[str] | None, typer.Option(help="it or en")] = None,
        role: Annotated[list[str] | None, typer.Option(help="role that runs queries")] = None,
        json_: Json = False,
    ) -> None:
        """Connect a PostgreSQL database; nothing is written unless all of it works."""
        with self.refusals(as_json=json_):
            address = _once("--dsn", dsn)
            document = _document(
                name, schema, _once("--language", language or ["en"]), _once("--role", role or [""])
            )
            variable = _variable(name)
            _refuse_taken(name, variable, address)
            found = checkup(_parsed(_with_dsn(document, address)))
            # workspace_write expands what it writes; the operator sets the variable from now on.
            os.environ[variable] = address  # noqa: TID251 - this process only
            workspace_write(document=_with_dsn(document, f"${{{variable}}}"))
            advice = (
                f"workspace.yaml holds ${{{variable}}} instead of the address. "
                f"Set {variable} to the DSN you gave wherever Thoth runs."
            )
            value = _summary(found.catalog) | _findings(found) | {"variable": variable}
            self.say(value, f"{_text(found)}\n{advice}", as_json=json_)
            self._exit_by(found)

    @command(name="list")
    def list_(self, json_: Json = False) -> None:
        """The workspaces of this installation."""
        names = workspace_names()
        self.say({"workspaces": names}, "\n".join(names), as_json=json_)

    @command(name="check")  # BaseCommand has a method of that name
    def check_(self, name: Name, json_: Json = False) -> None:
        """Is the description valid, the warehouse reachable, the role as small as it should be?"""
        with self.refusals(as_json=json_):
            found = checkup(workspace_get(name))
            self.say(_summary(found.catalog) | _findings(found), _text(found), as_json=json_)
            self._exit_by(found)

    @command()
    def introspect(self, name: Name, json_: Json = False) -> None:
        """Read tables, columns, comments and keys again."""
        with self.refusals(as_json=json_):
            self._introspect(name, json_)

    @command()
    def preprocess(
        self,
        what: Annotated[Literal["schema", "values", "evidence"], typer.Argument()],
        name: Name,
        table: Annotated[
            list[str] | None, typer.Option(help="values of this schema.table only; repeatable")
        ] = None,
        json_: Json = False,
    ) -> None:
        """Prepare what searches need: `schema`, `values` or `evidence`."""
        with self.refusals(as_json=json_):
            if what == "evidence":
                message = "Evidence is not indexed in this version; schema and values are."
                raise Invalid("evidence_not_built", message)
            if what == "schema":
                self._introspect(name, json_)
            else:
                self._values(name, table, json_)

    def _introspect(self, name: str, json_: bool) -> None:
        catalog = catalog_refresh(name)
        self.say(_summary(catalog), _summary_text(catalog), as_json=json_)

    def _values(self, name: str, tables: list[str] | None, json_: bool) -> None:
        progress = None if json_ else self._progress
        report = values_preprocess(name, tables=tables, progress=progress)
        counts = {"added": report.added, "changed": report.changed, "removed": report.removed}
        failed = {column.full_name: column.error for column in report.failed}
        text = f"{report.added} values added, {report.changed} changed, {report.removed} removed"
        text += "".join(f"\n{column}: {error}" for column, error in failed.items())
        self.say({"workspace": name, **counts, "failed": failed}, text, as_json=json_)
        if failed:
            raise typer.Exit(EXIT_FAILED)

    def _progress(self, line: str) -> None:
        self.secho(line, err=True)

    def _exit_by(self, found: Checkup) -> None:
        if found.has_errors:
            raise typer.Exit(EXIT_FAILED)
        if not found.is_clean:
            raise typer.Exit(EXIT_REVIEW)


def _once(option: str, values: list[str]) -> str:
    """The value of an option that makes sense once. Raises: Invalid `option_twice`."""
    if len(values) > 1:
        raise Invalid("option_twice", f"{option} was given {len(values)} times; give it once.")
    return values[0]


def _document(name: str, schemas: list[str], language: str, role: str) -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema_version": 1,
        "name": name,
        "language": language,
        "database": {"type": "postgresql", "dsn": "", "schemas": list(dict.fromkeys(schemas))},
    }
    return document | ({"execution": {"role": role}} if role else {})


def _with_dsn(document: dict[str, Any], dsn: str) -> dict[str, Any]:
    return document | {"database": {**document["database"], "dsn": dsn}}


def _parsed(document: dict[str, Any]) -> Workspace:
    """Raises: WorkspaceInvalid as for the file that would be written."""
    return workspace_parse(json.dumps(document), file=Path("workspace.yaml"))


def _variable(name: str) -> str:
    return f"THOTH_{name.upper().replace('-', '_')}_DSN"


def _refuse_taken(name: str, variable: str, dsn: str) -> None:
    """Raises: Conflict `workspace_exists`, `variable_taken`; NotFound for an impossible name."""
    if (workspace_folder(name) / "workspace.yaml").exists():
        raise Conflict("workspace_exists", f"The workspace {name} already exists.", name=name)
    if os.environ.get(variable, dsn) != dsn:  # noqa: TID251 - the variable it will name
        message = f"{variable} is already set to another address. Unset it or change it first."
        raise Conflict("variable_taken", message, variable=variable)


def _summary(catalog: Catalog) -> dict[str, Any]:
    return {
        "workspace": catalog.workspace,
        "version": catalog.version,
        "tables": len(catalog.tables),
        "columns": sum(len(table.columns) for table in catalog.tables),
        "foreign_keys": sum(len(table.foreign_keys) for table in catalog.tables),
    }


def _summary_text(catalog: Catalog) -> str:
    counts = _summary(catalog)
    return (
        f"{catalog.workspace}: {counts['tables']} tables, {counts['columns']} columns, "
        f"{counts['foreign_keys']} foreign keys (catalog {catalog.version})"
    )


def _findings(found: Checkup) -> dict[str, Any]:
    return {
        "findings": [
            {"level": item.level, "code": item.code, "message": item.message}
            for item in found.findings
        ]
    }


def _text(found: Checkup) -> str:
    lines = [_summary_text(found.catalog)]
    lines += [f"{item.level}: {item.message} ({item.code})" for item in found.findings]
    return "\n".join(lines)
