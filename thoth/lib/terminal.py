"""What every `tht` command has in common: exit codes, JSON, refusals as sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import typer
from django.core.management import CommandError
from django_typer.management import CommandNode, TyperCommand

from thoth.lib.errors import Forbidden, Invalid, ThothError
from thoth.lib.text import terminal_safe

EXIT_FAILED, EXIT_MISUSE, EXIT_REVIEW, EXIT_NOT_PERMITTED = 1, 2, 3, 4
_UsageError: type[BaseException] = typer.BadParameter.__mro__[1]


class ThtCommand(TyperCommand):
    """A command whose misuse (an unknown or repeated option, a missing argument) ends with exit
    code 2 and leaves standard output alone: it belongs to the JSON."""

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django has it; an option given twice is refused, unless it may be."""
        for option in _given_twice(argv[2:]) - _repeatable(self.command_tree):
            self.stderr.write(f"{option} is given more than once.")
            raise SystemExit(EXIT_MISUSE)
        super().run_from_argv(argv)  # type: ignore[no-untyped-call]

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        # django-typer turns the parser's complaint into exit code 1, from a shell as SystemExit,
        # and prints the help to standard output.
        output = self.stdout if isinstance(exc_val, _UsageError) else None
        if output is not None:
            self.stdout = self.stderr
        try:
            return bool(super().__exit__(exc_type, exc_val, exc_tb))  # type: ignore[no-untyped-call]
        except CommandError as error:
            if isinstance(exc_val, _UsageError):
                error.returncode = EXIT_MISUSE
            raise
        except SystemExit as ended:
            if isinstance(exc_val, _UsageError):
                ended.code = EXIT_MISUSE
            raise
        finally:
            if output is not None:
                self.stdout = output

    def say(self, value: Any, text: str, *, as_json: bool) -> None:
        """`value` as JSON and nothing else, or `text` with what would steer the terminal shown."""
        self.echo(as_json_text(value) if as_json else terminal_safe(text))

    @contextmanager
    def refusals(self, *, as_json: bool) -> Iterator[None]:
        """Our errors as a sentence (or JSON) and an exit code, never a stack trace."""
        try:
            yield
        except ThothError as error:
            value = {"code": error.code, "message": error.message, "extra": error.extra}
            if as_json:
                self.say(value, "", as_json=True)
            else:
                self.secho(terminal_safe(f"{error.message} ({error.code})"), err=True)
            raise typer.Exit(exit_code(error)) from None


def _given_twice(arguments: list[str]) -> set[str]:
    """Long options that occur more than once before a lone `--`."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    names = [word.partition("=")[0] for word in before if word.startswith("--")]
    return {name for name in names if names.count(name) > 1}


def _repeatable(node: CommandNode) -> set[str]:
    """Options of the command and of all below it that collect every occurrence."""
    own = {
        name
        for parameter in node.click_command.params
        if getattr(parameter, "multiple", False)
        for name in parameter.opts
    }
    return own.union(*(_repeatable(child) for child in node.children.values()))


def as_json_text(value: Any) -> str:
    """Indented JSON; characters that would steer a terminal are escaped, which JSON may always be."""
    return terminal_safe(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def exit_code(error: ThothError) -> int:
    """4 not permitted, 2 misuse, 1 everything else."""
    if isinstance(error, Forbidden):
        return EXIT_NOT_PERMITTED
    return EXIT_MISUSE if isinstance(error, Invalid) else EXIT_FAILED
