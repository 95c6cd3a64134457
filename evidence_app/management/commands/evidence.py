"""`tht evidence …`: prepare, check and resolve Evidence in a curator's Git clone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from django_typer.management import command

from evidence_app.authoring import prepare as work
from evidence_app.authoring.report import PrepareReport
from evidence_app.authoring.restructurers.registry import restructurer_get
from evidence_app.sync import evidence_drift, evidence_sync
from evidence_app.validation import Validation
from thoth.lib.terminal import EXIT_FAILED, EXIT_REVIEW, ThtCommand

Json = Annotated[bool, typer.Option("--json", help="print JSON and nothing else")]
Root = Annotated[Path, typer.Argument(help="the folder in your clone that holds evidence/")]


class Command(ThtCommand):
    help = "Prepare, check and resolve Evidence."
    # A curator's clone needs no server: neither its keys nor its database.
    requires_system_checks = ()

    @command()
    def prepare(
        self,
        root: Root,
        upgrade: Annotated[bool, typer.Option("--upgrade", help="reprocess every source")] = False,
        restructurer: Annotated[str, typer.Option(help="analyst or pi")] = "",
        language: Annotated[str, typer.Option(help="of new units")] = "it",
        json_: Json = False,
    ) -> None:
        """Make units of what is new or changed below evidence/source; all of it or nothing."""
        with self.refusals(as_json=json_):
            report = work.evidence_prepare(
                root, restructurer_get(restructurer), upgrade=upgrade, language=language
            )
            text = f"{_report_text(report)}\n{_text(report.validation)}"
            self.say(report.as_dict(), text, as_json=json_)
            self._exit_by(report.validation)

    @command()
    def validate(self, root: Root, json_: Json = False) -> None:
        """May this Evidence be published? Exit 3: only decisions are missing."""
        with self.refusals(as_json=json_):
            found = work.evidence_validate(root)
            self.say(found.as_dict(), _text(found), as_json=json_)
            self._exit_by(found)

    @command()
    def resolve(
        self,
        root: Root,
        evidence_id: Annotated[str, typer.Argument(help="evidence:…")],
        retire: Annotated[bool, typer.Option("--retire", help="delete the unit")] = False,
        source: Annotated[str | None, typer.Option(help="source/…, its new source")] = None,
        json_: Json = False,
    ) -> None:
        """Retire a unit, or relink it to another source. Nothing is committed."""
        with self.refusals(as_json=json_):
            found = work.evidence_resolve(root, evidence_id, retire=retire, source=source)
            done = "retired" if retire else "relinked"
            value = {"id": evidence_id, "done": done, **found.as_dict()}
            self.say(value, f"{evidence_id} {done}\n{_text(found)}", as_json=json_)

    @command(name="migrate-formulas")
    def migrate_formulas(
        self,
        legacy: Annotated[Path, typer.Argument(help="a folder of legacy concept formulas")],
        root: Annotated[Path, typer.Option(help="the folder that holds evidence/")] = Path(),
        language: Annotated[str, typer.Option(help="of the units")] = "it",
        json_: Json = False,
    ) -> None:
        """Approved legacy formulas become sources with units; the others are proposals."""
        with self.refusals(as_json=json_):
            done = work.formulas_migrate(legacy, root, language=language)
            counts = (len(done.migrated), len(done.skipped), len(done.proposals))
            text = "{} migrated, {} already there, {} are proposals".format(*counts)
            self.say(done.as_dict(), text, as_json=json_)

    @command()
    def sync(
        self,
        workspace: Annotated[str, typer.Argument(help="a workspace's name")],
        check: Annotated[bool, typer.Option("--check", help="only say what differs")] = False,
        json_: Json = False,
    ) -> None:
        """The admin's rows show the head of the workspace's repository. --check: 1 on a difference."""
        with self.refusals(as_json=json_):
            if check:
                lines = evidence_drift(workspace)
                text = "\n".join(lines) or "The rows are those of the repository."
                self.say({"drift": lines}, text, as_json=json_)
                if lines:
                    raise typer.Exit(EXIT_FAILED)
                return
            done = evidence_sync(workspace)
            counts = f"{done.units} units, {done.added} added, {done.changed} changed"
            text = f"{counts}, {done.removed} removed, at {done.commit[:12]}"
            self.say(asdict(done), text, as_json=json_)

    def _exit_by(self, found: Validation) -> None:
        if found.has_errors:
            raise typer.Exit(EXIT_FAILED)
        if not found.publishable:
            raise typer.Exit(EXIT_REVIEW)


def _report_text(report: PrepareReport) -> str:
    first = (
        f"{len(report.changed)} sources prepared, {len(report.unchanged)} unchanged, "
        f"{len(report.created)} units created, {len(report.orphaned)} orphaned, "
        f"{report.model_calls} model calls"
    )
    renamed = [f"renamed: {old} -> {new}" for old, new in report.renamed.items()]
    return "\n".join([first, *renamed])


def _text(found: Validation) -> str:
    lines = [f"{x.severity}: {x.path}: {x.message} ({x.code})" for x in found.findings]
    lines += [f"review: {x.unit}: {x.message} ({x.code})" for x in found.review_items]
    lines += [f"orphan: {unit}" for unit in found.orphans]
    units = len(found.tree.units)
    lines.append(f"{units} units, {'publishable' if found.publishable else 'not publishable'}")
    return "\n".join(lines)
