"""What is refused, in the reader's language. The code stays what it is."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from thoth.lib.errors import ThothError

_TEXTS = {
    "branch_moved": _(
        "Somebody else has changed the same files since you opened them. Nothing was overwritten."
    ),
    "commit_empty": _("Nothing differs from what is already committed."),
    "revision_unknown": _("The commit that this page was opened at is not in the repository."),
    "repository_missing": _("This workspace has no Evidence repository."),
    "repository_empty": _("The Evidence repository has no commit yet."),
    "evidence_not_configured": _("This workspace has no Evidence."),
    "path_unsafe": _("This is not the name of a file below source/."),
    "source_name": _("A source is a file below source/ whose name ends in .md or .txt."),
    "source_exists": _("There is already a source of this name."),
    "source_not_utf8": _("The file is not UTF-8 text."),
    "source_too_large": _("A source may have at most 1 MiB."),
    "nothing_chosen": _("Choose something first."),
    "proposal_decided": _("This proposal has already been decided."),
    "proposal_outdated": _(
        "The sources or the units have changed since this proposal was made. Prepare again."
    ),
    "proposal_lost": _("The proposed files are no longer in the repository. Prepare again."),
    "source_unknown": _("Choose one of the sources."),
    "source_not_prepared": _("This source has not been prepared yet: prepare the units first."),
    "source_changed": _("This source has changed: prepare the units first."),
    "excerpt_not_found": _("The source does not hold every excerpt of the unit."),
    "manifest_missing": _("There is no manifest yet: prepare the units first."),
    "credential_found": _("It seems to hold a password, a key or an address with a login."),
    "file_too_large": _("The file is too large."),
    "text_nul": _("The text contains a NUL character."),
    "path_outside": _("This is not the name of a file below source/."),
    "path_invalid": _("This is not the name of a file below source/."),
    "path_leading_dash": _("A name may not begin with a hyphen."),
    "no_proposal": _("The model proposed nothing. Try again."),
    "schema_invalid": _("The model's proposal has the wrong form. Try again."),
    "timeout": _("The model took too long. Try again in a moment."),
    "crashed": _("The model's process ended unexpectedly. Try again in a moment."),
    "output_limit": _("The model wrote too much. Divide the source."),
    "model_error": _("The model's service refused. Try again in a moment."),
    "internal": _("The preparation failed. Try again, or tell the operator."),
    "broker_unreachable": _("No worker can be reached. Try again in a moment."),
    "git_failed": _("Git refused the change. The log says why."),
    "git_timeout": _("Git took too long. Try again in a moment."),
}

# What the model of a unit says of a field, by its code.
_FIELDS = {
    "text_empty": _("is empty"),
    "text_control_character": _("holds invisible characters; write it again"),
    "string_too_long": _("is too long"),
    "too_long": _("has too many lines"),
    "too_short": _("needs at least one line"),
    "identifier_invalid": _("is not a name such as schema.table.column"),
    "identifier_look_alike": _("holds letters that only look like ASCII; type it again"),
    "formula_not_an_expression": _("must be one PostgreSQL expression, without SELECT"),
    "url_invalid": _("must be an http or https address"),
    "credential_found": _("holds a login or a key; leave it out"),
    "enum_value_twice": _("lists a value twice"),
    "body_missing": _("A unit of this kind needs a text."),
    "language_invalid": _("must be a code such as it or en-GB"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a page shows it."""

    code: str
    message: str


def problem_of(error: ThothError) -> Problem:
    """The error in the reader's language, where there are words for it."""
    return Problem(error.code, text_of(error.code, error.message))


def text_of(code: str, message: str) -> str:
    """The message of a code in the reader's language, else the message as it is."""
    return str(_TEXTS.get(code, message))


def field_text(code: str, message: str) -> str:
    """What is wrong with a field in the reader's language, else the message as it is."""
    return str(_FIELDS.get(code, message))
