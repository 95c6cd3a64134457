"""What a reviewer waits for: the pages of a long session among 200, on a real PostgreSQL.

    python benchmarks/pages.py
    python benchmarks/pages.py --repeat 50 --profile "session page"

The long session has 60 answered widgets and 300 decisions. Its first ones are written as the gate
writes them; the rest of the way, to the last question, is the product's own on a twentieth of the
example warehouse. Requests go through every middleware by Django's test client, in this process,
each on a new connection to the database: the time is the server's, without network and browser. Goal: the median under 200 ms.
"""

from __future__ import annotations

import argparse
import cProfile
import functools
import os
import pstats
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.builders import AUTHOR, clarifications, decide
from benchmarks.harness import ROOT, Installation, installation
from benchmarks.timing import machine, met, table, timed

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django.test import Client

    from sessions_app.models import Session
    from thoth.contracts.decisions import Decision

GOAL_MS = 200.0
NAME = "cardiologia"
# More than a hundred rows, so that a page of the result is a full one.
QUESTION = "Quanti ricoveri per settimana?"
_SESSIONS, _WIDGETS, _DECISIONS, _ROWS = 200, 60, 300, 100
_WRITTEN_WIDGETS, _EACH = 55, 6  # before the product's own walk, which adds the others
_ANSWERS_MAX = 40


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--scale", type=float, default=0.05, help="of the example warehouse")
    parser.add_argument("--profile", metavar="PAGE", help="show where this page's time goes")
    arguments = parser.parse_args()
    with installation() as made:
        _load(made, arguments.scale)
        session = _long_session()
        _others(_SESSIONS - 1)
        print(machine())
        print(report(session, arguments.repeat))
        if arguments.profile:
            _profile(_pages(session)[arguments.profile])
    return 0


def report(session: Session, repeat: int) -> str:
    """A row per page: queries, bytes, median, p95, and whether the median is under the goal."""
    lines = [_line(name, page, repeat) for name, page in _pages(session).items()]
    rows, widgets = session.ledger_count, session.widget_count
    header = (f"{_SESSIONS} sessions, {widgets} widgets, {rows} ledger rows", "queries", "KiB")
    return table((*header, "CPU ms", "median ms", "p95 ms", "goal"), lines)


Page = Callable[[], "HttpResponse"]


def _pages(session: Session) -> dict[str, Page]:
    client = _client()
    base = f"/sessions/{session.public_id}/"
    fragment = {"HX-Request": "true"}
    addresses: dict[str, tuple[str, dict[str, str]]] = {
        "index": ("/", {}),
        "index of everybody": ("/?all=1", {}),
        "session page": (base, {}),
        "live fragment": (base + "live", fragment),
        "rollback dialog": (base + "back?target=F1", fragment),
        f"result, {_ROWS} rows": (f"{base}result?size={_ROWS}", {}),
        "result panel": (base + "result/panel", fragment),
        "ledger": (base + "ledger", fragment),
    }
    return {
        name: functools.partial(_get, client, address, headers)
        for name, (address, headers) in addresses.items()
    }


def _get(client: Client, address: str, headers: dict[str, str]) -> HttpResponse:
    """The response; then the connection is closed, as it is after each request to the server."""
    from django.db import connection

    response = cast("HttpResponse", client.get(address, headers=headers))
    connection.close()
    return response


def _client() -> Client:
    from django.test import Client

    return Client(SERVER_NAME="127.0.0.1")


def _line(name: str, page: Page, repeat: int) -> tuple[object, ...]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    response = page()
    assert response.status_code == 200, (name, response.status_code, response.content[:500])
    with CaptureQueriesContext(connection) as captured:
        page()
    queries = len(captured)  # now: the next request empties the log
    taken = timed(page, repeat=repeat)
    return (
        name,
        queries,
        f"{len(response.content) / 1024:.0f}",
        f"{taken.cpu_median_ms:.0f}",
        f"{taken.median_ms:.0f}",
        f"{taken.p95_ms:.0f}",
        met(holds=taken.median_ms < GOAL_MS),
    )


def _profile(page: Page) -> None:
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(10):
        page()
    profile.disable()
    pstats.Stats(profile).sort_stats("cumtime").print_stats(45)


# ---------- what there is to show ----------------------------------------------------------------
def _load(made: Installation, scale: float) -> None:
    from thoth.embedded.demo_data import SCHEMA, load
    from thoth.warehouse.valueindex.facade import values_preprocess
    from thoth.workspaces.facade import workspace_write

    def fill(admin_dsn: str) -> None:
        load(admin_dsn, 1, scale, replace=True)

    dsn = made.database(NAME, fill, schemas=[SCHEMA])
    os.environ["THOTH_CARDIOLOGIA_DSN"] = dsn
    described = ROOT / "workspaces" / NAME / "workspace.yaml"
    workspace_write(document=described.read_text(encoding="utf-8"))
    values_preprocess(NAME)


def _others(count: int) -> None:
    """Sessions of every state, half of them this reviewer's."""
    from sessions_app.models import Session

    first = Session.objects.get(author=AUTHOR)
    states = ("waiting", "running", "failed", "paused", "blocked")
    made = [
        Session(
            public_id=f"other-{number}",
            workspace=NAME,
            question=f"Quante visite nel reparto {number}?",
            language="it",
            author=AUTHOR if number % 2 else "ada",
            status=states[number % len(states)],
            failure_code="model_failed" if number % len(states) == 2 else "",
            workflow=first.workflow,
            phase="F4",
            stage="schema_linking",
            today=first.today,
        )
        for number in range(count)
    ]
    Session.objects.bulk_create(made)


def _long_session() -> Session:
    """The session, waiting at its last question."""
    from sessions_app import services
    from sessions_app.models import Session

    made = services.session_create(workspace=NAME, question=QUESTION, actor=services.Actor(AUTHOR))
    for number in range(_WRITTEN_WIDGETS):
        _answered_widget(made, number)
    _walk(made.public_id)
    session = Session.objects.get(pk=made.pk)
    assert session.stage == "closure", (session.stage, session.failure_message)
    assert session.widget_count >= _WIDGETS
    assert session.ledger_count >= _DECISIONS
    return session


def _answered_widget(session: Session, number: int) -> None:
    """A question of four readings and its answer, which decided a few things."""
    from sessions_app.models import Session as Sessions
    from sessions_app.models import Widget
    from thoth.lib import clock

    decisions = clarifications(_EACH, first=number * _EACH + 1)
    place = number + 1
    now = clock.now()
    Widget.objects.create(
        session=session,
        uid=f"u{place}",
        number=place,
        phase=session.phase,
        stage=session.stage,
        activity="clarify",
        kind="multiselect",
        request=_request(session, place, decisions),
        status=Widget.Status.ANSWERED,
        shown_version=session.version,
        answer={
            "type": "ui_response",
            "id": f"u{place}",
            "kind": "multiselect",
            "choices": [f"o{n}" for n in range(_EACH)],
            "displayed": [f"o{n}" for n in range(_EACH)],
        },
        answer_hash="0" * 64,
        answered_by=AUTHOR,
        answered_at=now,
        created_at=now,
    )
    Sessions.objects.filter(pk=session.pk).update(widget_count=place)
    decide(session, decisions, widget=f"u{place}")


def _request(session: Session, place: int, decisions: list[Decision]) -> dict[str, object]:
    from sessions_app.widgets.request import Option, UiRequest

    options = tuple(
        Option(
            id=f"o{n}",
            label=decision.subject,
            description=str(decision.payload["definition"]),
            recommended=True,
            meta={"count": 1_234 + n, "provenance": ["schema"]},
            decision=decision,
        )
        for n, decision in enumerate(decisions)
    )
    request = UiRequest(
        widget="multiselect",
        title=f"Che cosa si intende, domanda {place}?",
        intro="Più letture possono valere insieme.",
        options=options,
        id=f"u{place}",
        session_id=session.public_id,
        phase=session.phase,
        stage=session.stage,
    )
    dumped: dict[str, object] = request.model_dump(mode="json")
    return dumped


def _walk(public_id: str) -> None:
    """Take what is recommended until the last question."""
    from sessions_app import services
    from sessions_app.evaluation.policy import Refused, answer_recommended
    from sessions_app.models import Widget

    for _ in range(_ANSWERS_MAX):
        session = services.drive(public_id)
        pending = Widget.objects.filter(session=session, status="pending").first()
        if pending is None or session.stage == "closure":
            return
        body = answer_recommended(pending.request)
        assert not isinstance(body, Refused), (pending.activity, body)
        head: dict[str, object] = {"type": "ui_response", "id": pending.uid}
        services.answer(public_id, head | body, actor=services.Actor(AUTHOR))


if __name__ == "__main__":
    raise SystemExit(main())
