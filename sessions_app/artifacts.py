"""Texts under their hash, and the documents of a session that point to them."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable

from sessions_app import events, workflow
from sessions_app.models import Artifact, ArtifactVersion, Content, Session
from sessions_app.types import Row, StoredArtifact
from thoth.lib import clock
from thoth.lib.errors import Invalid, NotFound
from thoth.lib.text import clean_text

# What an approval needs back when it is kept after a reopening: its own text by the hash that it
# bound to, and the stage's documents in their last version.
_FILE_OF = {"cte_approved": "ctes/{subject}.sql", "sql_approved": "sql_final.sql"}
_BESIDE = {
    "question_rewritten": ("question.md",),
    "concept_formula_approved": ("formula_proposals.json",),
    "cte_approved": ("cte_plan.json", "cte_tests.json"),
    "sql_approved": ("validation_report.md",),
}


def sha256_of(text: str) -> str:
    """The hash under which a text is stored: 64 hex digits over its UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def text_store(text: str, *, now: dt.datetime | None = None) -> str:
    """The text is in the content store; returns its sha256. Storing it again changes nothing.

    Raises: Invalid `text_nul`, `text_surrogate`.
    """
    clean_text(text, what="document", max_chars=len(text), allow_empty=True)
    sha256 = sha256_of(text)
    content = Content(sha256=sha256, text=text, created_at=now or clock.now())
    Content.objects.bulk_create([content], ignore_conflicts=True)
    return sha256


def text_of(sha256: str) -> str:
    """The stored text. Raises: NotFound `text_not_stored`."""
    text = Content.objects.filter(pk=sha256).values_list("text", flat=True).first()
    if text is None:
        raise NotFound("text_not_stored", f"No text is stored under {sha256}.")
    return text


def put(
    session: Session,
    name: str,
    text: str,
    *,
    stage: str,
    widget: str = "",
    now: dt.datetime | None = None,
) -> StoredArtifact:
    """The session's document `name` is `text`, as `stage` produced it (by the answer to `widget`).

    Only names that the stage declares in `artifacts_out` are taken: that is what a rollback tears
    down. Call it with the session locked. Raises: Invalid `artifact_not_declared`, `text_nul`,
    `text_surrogate`.
    """
    now = now or clock.now()
    sha256 = text_store(text, now=now)
    _point(session, name, sha256, stage=stage, widget=widget, now=now)
    phase = workflow.of(session).phase_of(stage).id
    return StoredArtifact(name, phase, stage, sha256, text, widget, now)


def get(session: Session, name: str) -> StoredArtifact | None:
    """The live document of that name with its text, or None."""
    artifact = Artifact.objects.filter(session=session, name=name).select_related("content").first()
    return _stored(artifact) if artifact else None


def listing(session: Session) -> list[StoredArtifact]:
    """All live documents by name, with their texts (one query)."""
    query = Artifact.objects.filter(session=session).select_related("content").order_by("name")
    return [_stored(artifact) for artifact in query]


def remove(session: Session, names: Iterable[str], *, now: dt.datetime | None = None) -> list[str]:
    """The named documents are no longer live; their versions and contents stay. Returns which were."""
    gone = sorted(
        Artifact.objects.filter(session=session, name__in=list(names)).values_list(
            "name", flat=True
        )
    )
    Artifact.objects.filter(session=session, name__in=gone).delete()
    if gone:
        events.append(session, "artifact_changed", {"removed": gone}, now=now)
    return gone


def restore(
    session: Session, kept: Iterable[Row], *, widget: str, now: dt.datetime | None = None
) -> list[str]:
    """The files that the kept approvals stand for are live again; returns their names.

    A CTE and the final SQL come back by the hash that the approval bound to, the documents beside
    them (plan, tests, report) in their last version, each unless it is live already. Call it with
    the session locked. Raises: NotFound `text_not_stored`.
    """
    now = now or clock.now()
    live = set(Artifact.objects.filter(session=session).values_list("name", flat=True))
    restored: list[str] = []
    for row in kept:
        for name, sha256 in _files_of(session, row):
            if name in live:
                continue
            text_of(sha256)
            # Not the row's stage: a decision kept twice has the stage it was kept in.
            stage = workflow.of(session).producer(name) or row.stage
            _point(session, name, sha256, stage=stage, widget=widget, now=now)
            live.add(name)
            restored.append(name)
    return restored


def _files_of(session: Session, row: Row) -> list[tuple[str, str]]:
    files = []
    if row.type in _FILE_OF:
        files.append((_FILE_OF[row.type].format(subject=row.subject), str(row.payload["sha256"])))
    for name in _BESIDE.get(row.type, ()):
        versions = ArtifactVersion.objects.filter(session=session, name=name).order_by("-id")
        sha256 = versions.values_list("content_id", flat=True).first()
        if sha256 is not None:
            files.append((name, sha256))
    return files


def _point(
    session: Session, name: str, sha256: str, *, stage: str, widget: str, now: dt.datetime
) -> None:
    flow = workflow.of(session)
    if not flow.stage(stage).produces(name):
        raise Invalid("artifact_not_declared", f"The stage {stage} does not produce {name}.")
    values = {
        "phase": flow.phase_of(stage).id,
        "stage": stage,
        "content_id": sha256,
        "widget": widget,
        "created_at": now,
    }
    Artifact.objects.update_or_create(session=session, name=name, defaults=values)
    ArtifactVersion.objects.create(
        session=session, name=name, content_id=sha256, widget=widget, created_at=now
    )
    events.append(
        session, "artifact_changed", {"name": name, "stage": stage, "sha256": sha256}, now=now
    )


def _stored(artifact: Artifact) -> StoredArtifact:
    return StoredArtifact(
        name=artifact.name,
        phase=artifact.phase,
        stage=artifact.stage,
        sha256=artifact.content_id,
        text=artifact.content.text,
        widget=artifact.widget,
        created_at=artifact.created_at,
    )
