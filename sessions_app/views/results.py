"""The result of the approved SQL: panel, pages of rows, CSV."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from sessions_app import results
from sessions_app.access import session_get_for_user
from sessions_app.pages.result_panel import result_panel
from sessions_app.views.common import user_of
from thoth.lib.errors import Invalid, ThothError
from thoth.lib.http import wants_json
from thoth.lib.text import whole_number
from thoth.warehouse.facade import RunHandle

SIZE_DEFAULT, SIZE_MAX = 100, 100_000


View = Callable[[HttpRequest, str, RunHandle], HttpResponse]


def stopped_with_its_client(
    view: View,
) -> Callable[[HttpRequest, str], Coroutine[None, None, HttpResponse]]:
    """The view in a thread; its query is cancelled when the client that asked has gone."""

    @functools.wraps(view)
    async def run(request: HttpRequest, public_id: str) -> HttpResponse:
        handle = RunHandle()
        try:
            return await sync_to_async(view)(request, public_id, handle)
        except asyncio.CancelledError:
            # Not waited for by this loop: to cancel takes a connection to the warehouse.
            threading.Thread(target=handle.cancel, name="cancel", daemon=True).start()
            raise

    return run


@require_GET
@stopped_with_its_client
def panel(request: HttpRequest, public_id: str, handle: RunHandle) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    offset, size = _window(request, size=25)
    try:
        context: dict[str, object] = {
            "panel": result_panel(session, offset=offset, size=size, handle=handle)
        }
    except ThothError as error:
        if wants_json(request):
            raise
        # Shown in the panel, with a way to try again: 200, or htmx would not put it there.
        context = {"error": error, "session_id": public_id}
        return render(request, "sessions/_result_error.html", context)
    return render(request, "sessions/_result.html", context)


@require_GET
@stopped_with_its_client
def rows(request: HttpRequest, public_id: str, handle: RunHandle) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    offset, size = _window(request, size=SIZE_DEFAULT)
    result = results.result_ensure(session, handle=handle)
    page = results.result_page(result, offset=offset, size=size)
    columns = [
        {"name": c.name, "family": c.family, "numeric": c.numeric, "masked": c.masked}
        for c in page.columns
    ]
    body = {
        "columns": columns,
        "rows": page.rows,
        "offset": page.offset,
        "total": page.total,
        "truncated": page.truncated,
    }
    return JsonResponse(body)


@require_GET
@stopped_with_its_client
def csv(request: HttpRequest, public_id: str, handle: RunHandle) -> HttpResponse:
    session = session_get_for_user(user_of(request), public_id)
    result = results.result_ensure(session, handle=handle)
    note = _("Cut at %d rows: the query has more.") % result.stored.row_count
    chunks = results.csv_chunks(result, note=note)
    response = HttpResponse(b"".join(chunks), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{session.public_id}.csv"'
    return response


def _window(request: HttpRequest, *, size: int) -> tuple[int, int]:
    """Offset and size of the request. Raises: Invalid `window_invalid`."""
    return _number(request, "offset", 0, 0), _number(request, "size", size, 1)


def _number(request: HttpRequest, name: str, default: int, least: int) -> int:
    number = whole_number(request.GET.get(name, str(default)))
    if number is None or not least <= number <= SIZE_MAX * 100:
        raise Invalid("window_invalid", f"{name} must be a whole number from {least} on.")
    return min(number, SIZE_MAX) if name == "size" else number
