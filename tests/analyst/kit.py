"""A small clinic as a workspace that the analyst answers, and a reviewer in front of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from sessions_app import artifacts
from sessions_app.models import Run, Session, Widget
from tests.sessions_app.kit import Reviewer, start
from thoth.warehouse import facade
from thoth.warehouse.valueindex.facade import values_preprocess
from thoth.workspaces.facade import workspace_write

CLINIC = Path(__file__).parents[1] / "data" / "analyst" / "clinica.sql"
Ask = Callable[[str], Reviewer]


@pytest.fixture
def ask(make_warehouse: Callable[..., str], settings: Settings, tmp_path: Path, db: None) -> Ask:
    """`ask(question)`: a new session about the clinic, answered by the analyst."""
    settings.THOTH_HOME = tmp_path / "home"
    settings.THOTH_MODEL_RUNTIME = "analyst"
    # One transaction a test: nobody else could renew a lease that only it can see.
    settings.THOTH_LEASE_S = settings.THOTH_LEASE_RENEW_S = 600.0
    workspace_write(
        document={
            "schema_version": 1,
            "name": "clinica",
            "language": "it",
            "database": {
                "type": "postgresql",
                "dsn": make_warehouse(CLINIC.read_text(encoding="utf-8")),
                "schemas": ["dw"],
            },
            "columns": {"identifying": ["dw.dim_paziente.cognome"]},
        },
        overwrite=True,
    )
    facade.catalog_refresh("clinica")
    values_preprocess("clinica")
    return lambda question: start("clinica", question)


def sql_of(reviewer: Reviewer) -> str:
    """The approved query; fails while there is none."""
    artifact = artifacts.get(reviewer.session, "sql_final.sql")
    assert artifact is not None
    return artifact.text


def finished_sql(reviewer: Reviewer) -> str:
    """The query after all recommendations were accepted."""
    reviewer.finish()
    return sql_of(reviewer)


def rows_of(sql: str) -> list[list[str | None]]:
    """What the query gives, as text."""
    return [list(row) for row in facade.query_run("clinica", sql, purpose="export").rows]


def activity(reviewer: Reviewer) -> str:
    """The step whose widget is pending."""
    widget = reviewer.widget
    return Widget.objects.get(session=reviewer.session, uid=widget["id"]).activity


def option_of(widget: dict[str, Any], text: str) -> dict[str, Any]:
    """The only option whose label holds the text."""
    found = [o for o in widget["options"] if text in o["label"]]
    assert len(found) == 1, [o["label"] for o in widget["options"]]
    option: dict[str, Any] = found[0]
    return option


def proposals(session: Session, step: str) -> list[dict[str, Any]]:
    """What the analyst proposed for a step, oldest first."""
    runs = Run.objects.filter(session=session, step=step).order_by("pk")
    return [run.proposal for run in runs if run.proposal]


def say(reviewer: Reviewer, text: str) -> None:
    """Answer the pending widget in one's own words, with what is ticked."""
    widget = reviewer.widget
    ticked = [o["id"] for o in widget["options"] if o["selected"]]
    reviewer.send(control="other", text=text, choices=ticked)


def reject(reviewer: Reviewer, text: str) -> None:
    """Refuse the pending gate and say why."""
    reviewer.choose("reject", child={"kind": "freetext", "text": text})
