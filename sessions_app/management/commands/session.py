"""`tht session …`: everything a reviewer does, from a terminal. Steps run in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from django_typer.management import command

from sessions_app import ledger_export, selectors, services, taskdoc
from sessions_app.check import check as check_session
from sessions_app.evaluation.questions import questions_load
from sessions_app.evaluation.run import (
    line_of,
    questions_run,
    results_path,
    summary,
    summary_text,
)
from sessions_app.evaluation.session import evaluation_of
from sessions_app.export import export_zip
from sessions_app.locking import find
from sessions_app.management.terminal import Said, answer_body, widget_text
from sessions_app.rollback import rollback_losses
from sessions_app.services import Actor
from sessions_app.types import Finding
from sessions_app.verify import verify as verify_ledger
from sessions_app.widgets.response import load_body
from thoth.accounts.services import local_user_ensure
from thoth.lib.errors import Invalid
from thoth.lib.terminal import EXIT_FAILED, ThtCommand
from thoth.runtime.document import render

Json = Annotated[bool, typer.Option("--json", help="print JSON and nothing else")]
Id = Annotated[str, typer.Argument(help="the session's id")]


class Command(ThtCommand):
    help = "Ask, answer, go back and check sessions."

    @command()
    def new(self, question: str, workspace: str = typer.Option(...), json_: Json = False) -> None:
        """Start a session and go to its first question."""
        with self.refusals(as_json=json_):
            session = services.session_create(
                workspace=workspace, question=question, actor=self._actor()
            )
            self._go_on(session.public_id, json_)

    @command(name="list")
    def list_(self, workspace: str = "", status: str = "", json_: Json = False) -> None:
        """Sessions, newest first."""
        with self.refusals(as_json=json_):
            lines = selectors.session_list(workspace=workspace or None, status=status or None)
            text = "\n".join(
                f"{x.id}  {x.status:<9}  {x.phase or '--'}  {x.question}" for x in lines
            )
            self.say({"sessions": [line.as_dict() for line in lines]}, text, as_json=json_)

    @command()
    def show(self, session: Id, json_: Json = False) -> None:
        """A session with its pending question and its decisions."""
        with self.refusals(as_json=json_):
            self._show(session, json_)

    @command()
    def task(self, session: Id, json_: Json = False) -> None:
        """The task document of the current step, as the model gets it."""
        with self.refusals(as_json=json_):
            document = selectors.task_of(find(session))
            text = render(document)
            value = document.model_dump(mode="json") | {"tokens": taskdoc.tokens(text)}
            self.say(value, text, as_json=json_)

    @command()
    def answer(
        self,
        session: Id,
        choose: Annotated[
            list[str] | None, typer.Option(help="id of an option; repeatable")
        ] = None,
        text: Annotated[str, typer.Option(help="the text that the chosen option asks for")] = "",
        other: Annotated[str, typer.Option(help="answer in your own words")] = "",
        back: Annotated[str, typer.Option(help="again, previous or a phase")] = "",
        leave: Annotated[bool, typer.Option("--exit", help="pause the session")] = False,
        recommended: Annotated[bool, typer.Option(help="take what is recommended")] = False,
        body: Annotated[str, typer.Option(help="a file with the ui_response, - for stdin")] = "",
        json_: Json = False,
    ) -> None:
        """Answer the pending question and go to the next one."""
        with self.refusals(as_json=json_):
            if body:
                answer = load_body(_read(body))
            else:
                state = selectors.session_state(find(session))
                answer = answer_body(
                    state.widget,
                    Said(tuple(choose or ()), text, other, back, leave, recommended),
                )
            services.answer(session, answer, actor=self._actor())
            self._go_on(session, json_)

    @command()
    def steer(self, session: Id, text: str, json_: Json = False) -> None:
        """Say something to the step that runs or comes next."""
        self._act(session, json_, lambda actor: services.steer(session, text=text, actor=actor))

    @command(name="not-meant")
    def not_meant(self, session: Id, text_id: str, json_: Json = False) -> None:
        """Refuse the reading of a text; the question that rests on it is asked anew."""
        self._act(
            session, json_, lambda actor: services.not_meant(session, text_id=text_id, actor=actor)
        )

    @command()
    def retry(self, session: Id, json_: Json = False) -> None:
        """Try the failed or blocked step again."""
        self._act(session, json_, lambda actor: services.retry(session, actor=actor))

    @command()
    def resume(self, session: Id, json_: Json = False) -> None:
        """Go on with a paused session."""
        self._act(session, json_, lambda actor: services.resume(session, actor=actor))

    @command()
    def rollback(
        self,
        session: Id,
        to: Annotated[str, typer.Option(help="again, previous or a phase")],
        text: Annotated[str, typer.Option(help="what should be different")] = "",
        dry_run: Annotated[bool, typer.Option(help="only list what would be lost")] = False,
        json_: Json = False,
    ) -> None:
        """Go back; what is undone is listed."""
        with self.refusals(as_json=json_):
            current = find(session)
            if dry_run:
                losses = rollback_losses(current, to).as_dict()
                self.say(losses, json.dumps(losses, indent=2, ensure_ascii=False), as_json=json_)
                return
            services.rollback(
                session, target=to, actor=self._actor(), expected_version=current.version, text=text
            )
            self._go_on(session, json_)

    @command(name="check")
    def check_(self, session: Id, json_: Json = False) -> None:
        """Does the session agree with itself?"""
        with self.refusals(as_json=json_):
            self._findings(check_session(find(session)), json_)

    @command()
    def verify(
        self,
        session: Id,
        against: Annotated[str, typer.Option(help="an earlier export of the ledger")] = "",
        log: Annotated[
            list[str] | None, typer.Option(help="a log of the product; repeatable")
        ] = None,
        json_: Json = False,
    ) -> None:
        """Is the ledger what was written?"""
        with self.refusals(as_json=json_):
            earlier = _read_text(against) if against else None
            lines = [line for name in log or () for line in _read_log(name)]
            found = verify_ledger(find(session), against=earlier, log_lines=lines)
            self._findings(found, json_)

    @command()
    def export(
        self,
        session: Id,
        out: Annotated[Path, typer.Option(help="file to write")],
        ledger_only: Annotated[bool, typer.Option(help="the ledger as JSON lines")] = False,
        json_: Json = False,
    ) -> None:
        """Write the session (a zip) or its ledger to a file."""
        with self.refusals(as_json=json_):
            found = find(session)
            data = ledger_export.export_text(found).encode() if ledger_only else export_zip(found)
            _write(out, data)
            self.say(
                {"file": str(out), "bytes": len(data)}, f"{out}: {len(data)} bytes", as_json=json_
            )

    @command()
    def run(
        self,
        workspace: Annotated[str, typer.Option(help="where to ask")],
        questions: Annotated[Path, typer.Option(help="JSON lines: id, question, gold_sql, …")],
        policy: Annotated[str, typer.Option(help="recommended or oracle")] = "recommended",
        results: Annotated[Path | None, typer.Option(help="file that keeps the outcomes")] = None,
        fresh: Annotated[bool, typer.Option(help="ask again what was answered before")] = False,
        json_: Json = False,
    ) -> None:
        """Ask a file of questions unattended and compare the results with their golds."""
        with self.refusals(as_json=json_):
            asked = questions_load(questions, db=workspace)
            evaluation = evaluation_of(workspace, policy, self._actor().name)
            kept = results or results_path(workspace, policy, questions)
            say = (lambda outcome: None) if json_ else (lambda o: self.echo(line_of(o)))
            done = questions_run(evaluation, asked, results=kept, fresh=fresh, on_outcome=say)
            self.say(summary(done), "\n" + summary_text(done), as_json=json_)

    def _act(self, session: str, json_: bool, action: Callable[[Actor], object]) -> None:
        with self.refusals(as_json=json_):
            action(self._actor())
            self._go_on(session, json_)

    def _go_on(self, session: str, json_: bool) -> None:
        services.drive(session)
        self._show(session, json_)

    def _show(self, session: str, json_: bool) -> None:
        state = selectors.session_state(find(session))
        self.say(state.as_dict(), widget_text(state), as_json=json_)

    def _findings(self, findings: list[Finding], json_: bool) -> None:
        text = "\n".join(f"{f.code}: {f.message}" for f in findings) or "Nothing is wrong."
        self.say({"findings": [finding.as_dict() for finding in findings]}, text, as_json=json_)
        if findings:
            raise typer.Exit(EXIT_FAILED)

    def _actor(self) -> Actor:
        return services.actor_of(local_user_ensure())


def _read(name: str) -> bytes:
    """The file's bytes, or standard input's for `-`. Raises: Invalid `file_unreadable`."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        message = f"{name} cannot be read ({type(error).__name__})."
        raise Invalid("file_unreadable", message) from None


def _read_text(name: str) -> str:
    try:
        return _read(name).decode()
    except UnicodeDecodeError:
        raise Invalid("file_unreadable", f"{name} is not a UTF-8 text.") from None


def _read_log(name: str) -> list[str]:
    return _read(name).decode(errors="replace").splitlines()


def _write(file: Path, data: bytes) -> None:
    """Raises: Invalid `file_unwritable`."""
    try:
        file.write_bytes(data)
    except OSError as error:
        message = f"{file} cannot be written ({error.strerror})."
        raise Invalid("file_unwritable", message) from None
