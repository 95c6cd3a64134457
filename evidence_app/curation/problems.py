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
    "git_failed": _("Git refused the change. The log says why."),
    "git_timeout": _("Git took too long. Try again in a moment."),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a page shows it."""

    code: str
    message: str


def problem_of(error: ThothError) -> Problem:
    """The error in the reader's language, where there are words for it."""
    text = _TEXTS.get(error.code)
    return Problem(error.code, str(text) if text is not None else error.message)
