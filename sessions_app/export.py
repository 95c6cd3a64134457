"""A session as a zip: everything a reader needs to follow how the answer came about."""

from __future__ import annotations

import io
import json
import zipfile

from sessions_app import artifacts, ledger_export
from sessions_app.models import FreeText, Receipt, Session, Widget

SCHEMA_VERSION = 1
# One moment for every entry: the same session always gives the same bytes.
_STAMP = (1980, 1, 1, 0, 0, 0)


def export_zip(session: Session) -> bytes:
    """The zip's bytes: manifest.json, review_decisions.jsonl, the live documents under their names,
    evidence_receipts.json, conversation.json. The same session gives the same bytes."""
    files = {
        "review_decisions.jsonl": ledger_export.export_text(session),
        "evidence_receipts.json": _json(_receipts(session)),
        "conversation.json": _json(_conversation(session)),
    }
    files |= {item.name: item.text for item in artifacts.listing(session)}
    files["manifest.json"] = _json(_manifest(session, files))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _STAMP), files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _manifest(session: Session, files: dict[str, str]) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "session": session.public_id,
        "workspace": session.workspace,
        "question": session.question,
        "author": session.author,
        "status": session.status,
        "created_at": session.created_at.isoformat(),
        "workflow": session.workflow.version,
        "ledger": {"count": session.ledger_count, "head": session.ledger_head},
        "files": {name: artifacts.sha256_of(text) for name, text in sorted(files.items())},
    }


def _receipts(session: Session) -> list[dict[str, object]]:
    return [
        {
            "stage": receipt.stage,
            "purpose": receipt.purpose,
            "vector_generation": receipt.vector_generation,
            "evidence_ids": receipt.evidence_ids,
        }
        for receipt in Receipt.objects.filter(session=session).order_by("pk")
    ]


def _conversation(session: Session) -> dict[str, object]:
    widgets = Widget.objects.filter(session=session).order_by("number")
    texts = FreeText.objects.filter(session=session).order_by("number")
    return {
        "widgets": [
            {
                "id": w.uid,
                "status": w.status,
                "request": w.request,
                "answer": w.answer,
                "answered_by": w.answered_by,
            }
            for w in widgets
        ],
        "texts": [
            {"id": t.uid, "kind": t.kind, "text": t.text, "status": t.status, "reading": t.reading}
            for t in texts
        ],
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
