"""The first page: ask a question, find the sessions that wait."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from sessions_app import facade
from sessions_app.access import may_read
from sessions_app.pages.navigation import session_list
from sessions_app.views.common import render_page, user_of
from thoth.lib.errors import Conflict, Invalid, NotFound, ThothError, Upstream
from thoth.lib.http import wants_json
from thoth.lib.limits import QUESTION_MAX_CHARS
from thoth.workspaces.facade import workspace_names

KEY_MAX_CHARS = 100


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The form as it is shown. `key` makes sending it twice one session."""

    workspace: str
    question: str
    key: str


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    names = workspace_names()
    wanted = request.GET.get("workspace", "")
    workspace = wanted if wanted in names else next(iter(names), "")
    return _index(request, QuestionForm(workspace, "", _key()), names)


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    form = QuestionForm(
        workspace=request.POST.get("workspace", ""),
        question=request.POST.get("question", "").replace("\r\n", "\n"),
        key=request.POST.get("key", "")[:KEY_MAX_CHARS] or _key(),
    )
    _require_reader(request)
    try:
        session = facade.session_create(
            workspace=form.workspace,
            question=form.question,
            user=user_of(request),
            idempotency_key=request.headers.get("Idempotency-Key") or _key_of(form),
        )
    except (Invalid, Conflict, NotFound, Upstream) as error:
        if wants_json(request):
            raise
        return _index(request, form, workspace_names(), error)
    return HttpResponseRedirect(reverse("sessions:session", args=[session.public_id]))


def _index(
    request: HttpRequest, form: QuestionForm, names: list[str], error: ThothError | None = None
) -> HttpResponse:
    _require_reader(request)
    everyone = request.GET.get("all") == "1"
    context = {
        "form": form,
        "workspaces": names,
        "sessions": session_list(user_of(request), own=not everyone),
        "everyone": everyone,
        "error": error,
        "question_max": QUESTION_MAX_CHARS,
    }
    status = _status_of(error) if error else 200
    return render_page(request, "sessions/index.html", context, status=status)


def _status_of(error: ThothError) -> int:
    # An unknown workspace is wrong input here, not a missing page.
    return Invalid.status if isinstance(error, NotFound) else error.status


def _require_reader(request: HttpRequest) -> None:
    if not may_read(user_of(request)):
        raise NotFound("not_found", "There is nothing at this address.")


def _key_of(form: QuestionForm) -> str:
    """Back and another question is another request; only the same form sent twice is the same."""
    return f"{form.key}\n{form.workspace}\n{form.question}"


def _key() -> str:
    return uuid.uuid4().hex
