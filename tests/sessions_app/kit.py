"""What engine tests start from: a small real warehouse, a transcript, a reviewer who answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from sessions_app import services
from sessions_app.models import Session, Widget
from sessions_app.services import Actor
from thoth.workspaces.facade import workspace_write

DATA = Path(__file__).parents[1] / "data" / "sessions"
ADA = Actor("ada")
QUESTION = "Quante ablazioni transcatetere sono state eseguite per anno?"
EXPECTED_ROWS = [["2022", "1"], ["2023", "2"], ["2024", "2"]]


class Reviewer:
    """Drives one session and answers its widgets as a person would."""

    def __init__(self, public_id: str, actor: Actor = ADA) -> None:
        self.public_id = public_id
        self.actor = actor

    @property
    def session(self) -> Session:
        return Session.objects.get(public_id=self.public_id)

    @property
    def widget(self) -> dict[str, Any]:
        """The pending ui_request; fails the test when there is none."""
        self.drive()
        widget = Widget.objects.filter(session__public_id=self.public_id, status="pending").first()
        session = self.session
        assert widget is not None, (session.status, session.failure_code, session.failure_message)
        request: dict[str, Any] = widget.request
        return request

    def drive(self) -> Session:
        return services.drive(self.public_id)

    def send(self, **body: Any) -> Any:
        """The answer to the pending widget, with its id filled in; then the session is driven."""
        body = {"type": "ui_response", "id": body.pop("id", None) or self.widget["id"], **body}
        accepted = services.answer(self.public_id, body, actor=self.actor)
        self.drive()
        return accepted

    def choose(self, *choices: str, **children: dict[str, object]) -> Any:
        """Choose options of the pending widget by id, whatever its kind."""
        widget = self.widget
        kind = widget["widget"]
        if kind == "multiselect":
            displayed = [option["id"] for option in widget["options"]]
            return self.send(
                kind=kind, choices=list(choices), displayed=displayed, children=children
            )
        child = next(iter(children.values()), None)
        return self.send(kind=kind, choice=choices[0], **({"child": child} if child else {}))

    def recommended(self) -> Any:
        """Accept what is recommended: the selected lines, or the recommended option."""
        widget = self.widget
        if widget["widget"] == "multiselect":
            return self.choose(*[o["id"] for o in widget["options"] if o["selected"]])
        return self.choose(next(o["id"] for o in widget["options"] if o["recommended"]))

    def until(self, stage: str, activity: str | None = None) -> dict[str, Any]:
        """Accept recommendations up to a widget of this stage (and activity)."""
        for _ in range(40):
            widget = self.widget
            row = Widget.objects.get(session__public_id=self.public_id, uid=widget["id"])
            if row.stage == stage and activity in (None, row.activity):
                return widget
            self.recommended()
        raise AssertionError(f"{stage} {activity} was not reached")

    def finish(self) -> Session:
        """Accept recommendations to the end."""
        for _ in range(40):
            if self.drive().status == Session.Status.FINALISED:
                return self.session
            self.recommended()
        raise AssertionError("the session did not end")


def write_transcript(path: Path, lines: Iterable[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def transcript(name: str = "ablazioni") -> list[dict[str, Any]]:
    """The lines of a stored transcript."""
    text = (DATA / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip() and line[0] != "#"]


def read_sql(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


@pytest.fixture
def cardio(make_warehouse: Callable[..., str], settings: Settings, tmp_path: Path) -> str:
    """A workspace `cardio` over the small warehouse, answered by the stored transcript."""
    settings.THOTH_HOME = tmp_path / "home"
    settings.THOTH_MODEL_RUNTIME = "scripted"
    settings.THOTH_SCRIPT = str(DATA / "ablazioni.jsonl")
    settings.THOTH_LEASE_S = 2.0
    settings.THOTH_LEASE_RENEW_S = 0.5
    describe_workspace(make_warehouse(read_sql("cardio.sql")))
    return "cardio"


def describe_workspace(dsn: str) -> None:
    workspace_write(
        document={
            "schema_version": 1,
            "name": "cardio",
            "language": "en",
            "database": {"type": "postgresql", "dsn": dsn, "schemas": ["dw"]},
            "columns": {"identifying": ["dw.dim_paziente.cognome"]},
        },
        overwrite=True,
    )


@pytest.fixture
def reviewer(cardio: str, transactional_db: None) -> Reviewer:
    """Ada with a new session about the ablations."""
    return start(cardio)


def start(workspace: str, question: str = QUESTION, actor: Actor = ADA) -> Reviewer:
    session = services.session_create(workspace=workspace, question=question, actor=actor)
    return Reviewer(session.public_id, actor)


ONLY_2023 = "only 2023"
_STEERED = {
    "concept": "2023",
    "title": "Which date is in 2023?",
    "options": [
        {
            "id": "procedure",
            "label": "Date of the procedure",
            "recommended": True,
            "clarification": {"definition": "data_procedura in 2023"},
        },
        {"id": "visit", "label": "Date of the visit", "clarification": {"definition": "visit"}},
    ],
}


def takes_up(
    step: str, words: str, text_id: str, reading: str, /, **proposal: object
) -> dict[str, Any]:
    """A transcript's line that answers a step while a text with these words is open."""
    addressed = [{"text_id": text_id, "reading": reading}]
    return {
        "step": step,
        "when": {"text": words},
        "proposal": {"addressed": addressed, **proposal},
    }


@pytest.fixture
def scripted(settings: Settings, tmp_path: Path) -> Callable[..., None]:
    """`scripted(line, …)`: these lines come before those of the stored transcript."""

    def use(*lines: dict[str, Any]) -> None:
        path = write_transcript(tmp_path / "script.jsonl", [*lines, *transcript()])
        settings.THOTH_SCRIPT = str(path)

    return use


@pytest.fixture
def steered_transcript(cardio: str, scripted: Callable[..., None]) -> None:
    """The transcript also knows what to make of "only 2023"."""
    scripted(takes_up("clarify", ONLY_2023, "t1", "restrict to 2023", ambiguity=_STEERED))
