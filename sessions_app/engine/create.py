"""A new session: checked, named, ready to be advanced."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from django.db import IntegrityError, connection, transaction

from sessions_app import workflow
from sessions_app.engine.access import Actor, require_reviewer
from sessions_app.models import Session
from thoth.lib.clock import now
from thoth.lib.errors import Conflict
from thoth.lib.limits import QUESTION_MAX_CHARS
from thoth.lib.text import clean_text
from thoth.workspaces.facade import workspace_get

TITLE_MAX_CHARS = 200
_SLUG_WORDS = 4
# Words that tell nothing about a question, left out of its session's id.
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a ad al alla che con da dal dei del della delle di e gli i il in la le lo ne nel nella per "
        "quale quali quanta quante quanti quanto sono stata state stati stato su un una "
        "and are by for how in is many much of the to was were what which with",
    )
)


def session_create(*, workspace: str, question: str, actor: Actor, key: str = "") -> Session:
    """A session at the start of the installed workflow, ready to be advanced.

    The same `key` (Idempotency-Key) of the same actor gives the session it made the first time.

    Raises: Invalid `text_empty`, `text_too_long`, `text_nul`, `text_surrogate`,
    `workspace_invalid`; NotFound `workspace_unknown`; Forbidden `role_required`;
    WorkflowChanged `workflow_version_changed`; Conflict `idempotency_key_reused`.
    """
    require_reviewer(actor)
    text = clean_text(question, what="question", max_chars=QUESTION_MAX_CHARS)
    described = workspace_get(workspace)
    stored_key = request_key(actor, key)
    known = _made_before(stored_key)
    if known is None:
        try:
            with transaction.atomic():
                return _create(described.name, described.language, text, actor, stored_key)
        except IntegrityError:
            # The same request arrived twice at once; the other one made the session.
            known = _made_before(stored_key)
            if known is None:
                raise
    if (known.workspace, known.question) != (described.name, text):
        raise key_reused()
    return known


def key_reused() -> Conflict:
    """An Idempotency-Key came again with something else: neither may be taken for the other."""
    message = "This Idempotency-Key was used for something else. Take a new one."
    return Conflict("idempotency_key_reused", message)


def _made_before(stored_key: str | None) -> Session | None:
    return Session.objects.filter(request_key=stored_key).first() if stored_key else None


def request_key(actor: Actor, key: str) -> str | None:
    """What an Idempotency-Key of this actor is stored as; None without a key."""
    return hashlib.sha256(f"{actor.name}\n{key}".encode()).hexdigest() if key else None


def _create(
    workspace: str, language: str, question: str, actor: Actor, stored_key: str | None
) -> Session:
    moment = now()
    version = workflow.current_version()
    first = next(iter(workflow.default().stages))
    stem = f"{moment:%Y-%m-%d-%H%M%S}-{_slug(question)}"
    return Session.objects.create(
        public_id=_free_id(stem),
        workspace=workspace,
        question=question,
        title=question[:TITLE_MAX_CHARS],
        language=language,
        author=actor.name,
        owner_id=actor.user_pk,
        request_key=stored_key,
        workflow=version,
        phase=workflow.default().phase_of(first).id,
        stage=first,
        today=moment.date(),
        created_at=moment,
    )


def _free_id(stem: str) -> str:
    """An id that nobody has, and that nobody else is given until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"session:{stem}"])
    taken = set(
        Session.objects.filter(public_id__startswith=stem).values_list("public_id", flat=True)
    )
    number = 1
    candidate = stem
    while candidate in taken:
        number += 1
        candidate = f"{stem}-{number}"
    return candidate


def _slug(question: str) -> str:
    plain = unicodedata.normalize("NFKD", question).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    telling = [word for word in words if word not in _STOP] or words or ["question"]
    return "-".join(telling[:_SLUG_WORDS])[:80]
