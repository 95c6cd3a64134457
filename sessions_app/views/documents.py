"""What can be opened from the right side: documents, model runs, the ledger."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from sessions_app import artifacts, ledger_export
from sessions_app.access import session_get_for_user
from sessions_app.pages.documents import document_view
from sessions_app.pages.sidebar import run_detail
from sessions_app.verify import verify as ledger_verify
from sessions_app.views.common import render_page, user_of
from thoth.lib.errors import NotFound
from thoth.lib.http import is_fragment


@require_GET
def artifact(request: HttpRequest, public_id: str, name: str) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    stored = artifacts.get(session, name)
    if stored is None:
        raise NotFound("artifact_not_found", "There is no such document in this session.")
    return _dialog(request, public_id, "artifact", {"document": document_view(stored)}, title=name)


@require_GET
def run(request: HttpRequest, public_id: str, run_id: int) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    detail = run_detail(session, run_id)
    return _dialog(request, public_id, "run", {"run": detail}, title=detail.step)


@require_GET
def verify(request: HttpRequest, public_id: str) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    findings = ledger_verify(session)
    return render(request, "sessions/_chain.html", {"findings": findings, "checked": True})


@require_GET
def ledger(request: HttpRequest, public_id: str) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    response = HttpResponse(ledger_export.export_text(session), content_type="application/x-ndjson")
    name = f"{session.public_id}-ledger.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _dialog(
    request: HttpRequest, public_id: str, name: str, context: dict[str, object], *, title: str
) -> HttpResponse:
    """`_<name>_dialog.html` for htmx, else a page around it."""
    fragment = f"sessions/_{name}_dialog.html"
    if is_fragment(request):
        return render(request, fragment, context)
    context = {**context, "title": title, "fragment": fragment, "back_to": public_id}
    return render_page(request, "sessions/document.html", context, current=public_id)
