"""Celery: a real worker goes on by itself; a lost worker and a lost broker lose nothing."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from sessions_app import facade, services, tasks
from sessions_app.check import check
from sessions_app.models import Event, OutboxRow, ResultFile, Run, Session, Widget
from tests.sessions_app.builders import make_session
from tests.sessions_app.kit import QUESTION, Reviewer, transcript, write_transcript
from thoth.accounts.services import local_user_ensure
from thoth.celery import app
from thoth.lib import clock

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).parents[3]
WORKER = ["-m", "celery", "-A", "thoth.celery", "worker", "-B", "--pool", "solo", "-l", "WARNING"]


@contextmanager
def worker(folder: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Celery worker with its beat, on this test's database, workspaces and broker."""
    known = settings.DATABASES["default"]
    env = os.environ | {
        "DJANGO_SETTINGS_MODULE": "thoth.settings.test",
        "THOTH_DB_NAME": str(connection.settings_dict["NAME"]),
        "THOTH_DB_PORT": str(known["PORT"]),
        "THOTH_HOME": str(settings.THOTH_HOME),
        "THOTH_MODEL_RUNTIME": "scripted",
        "THOTH_SCRIPT": settings.THOTH_SCRIPT,
        "THOTH_LEASE_S": "1",
        "THOTH_LEASE_RENEW_S": "0.3",
        "THOTH_BEAT_S": "0.5",
        **environment,
    }
    schedule = ["-s", str(folder / f"beat-{len(list(folder.glob('beat-*')))}")]
    process = subprocess.Popen(
        [sys.executable, *WORKER, *schedule], cwd=ROOT, env=env, start_new_session=True
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # beat is a child of its own
        process.wait()


@pytest.fixture
def lost_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens where tasks are sent to, whatever other tests have started."""
    monkeypatch.setattr(app.conf, "broker_url", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(app, "_pool", None)
    monkeypatch.setattr(app.amqp, "_producer_pool", None)


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


def test_a_worker_killed_in_the_middle_of_a_step_is_replaced_and_the_session_goes_on(
    cardio: str, valkey: str, tmp_path: Path
) -> None:
    user = local_user_ensure()
    session = facade.session_create(workspace=cardio, question=QUESTION, user=user)
    with worker(tmp_path, THOTH_FAULT="advance.after_work") as process:
        process.wait(timeout=30)
        assert process.returncode == -signal.SIGKILL
    assert Run.objects.get().status == Run.Status.RUNNING
    assert not Widget.objects.exists()
    with worker(tmp_path):
        wait_for(lambda: Widget.objects.filter(status="pending").exists())
        assert Run.objects.get().attempts >= 2
        widget = Widget.objects.get()
        body: dict[str, object] = {"id": widget.uid, "kind": "select", "choice": "calendar"}
        facade.answer(session.public_id, body, user=user)
        wait_for(lambda: Widget.objects.filter(number=2, status="pending").exists())
    session.refresh_from_db()
    assert session.status == Session.Status.WAITING
    assert check(session) == []


def test_without_a_broker_an_action_succeeds_and_the_sweep_finds_the_session(
    cardio: str, lost_broker: None, caplog: pytest.LogCaptureFixture
) -> None:
    user = local_user_ensure()
    session = facade.session_create(workspace=cardio, question=QUESTION, user=user)
    assert "enqueue_failed" in caplog.text
    assert services.sessions_to_advance() == [session.public_id]
    services.drive(session.public_id)
    assert services.sessions_to_advance() == []


def test_a_step_that_takes_too_long_fails_visibly(
    reviewer: Reviewer, tmp_path: Path, settings: object
) -> None:
    lines = transcript()
    lines[0] = lines[0] | {"delay_s": 5}
    settings.THOTH_SCRIPT = str(write_transcript(tmp_path / "slow.jsonl", lines))  # type: ignore[attr-defined]
    settings.THOTH_STEP_DEADLINE_S = 0.1  # type: ignore[attr-defined]
    session = reviewer.drive()
    assert (session.status, session.failure_code) == ("failed", "timeout")


def test_what_has_outlived_its_time_is_tidied_away(cardio: str) -> None:
    session = make_session()
    results = Path(settings.THOTH_HOME) / "results"
    results.mkdir()
    day, now = dt.timedelta(days=1), clock.now()
    for name, age in (("old", day * 2), ("young", day / 2)):
        file = results / f"{name}.rows"
        file.write_bytes(b"x")
        made = now - age
        os.utime(file, (made.timestamp(), made.timestamp()))
        ResultFile.objects.create(
            session=session, phase="F7", stage="final_sql", path=file.name, size_bytes=1,
            row_count=1, created_at=made, expires_at=made + day,
        )  # fmt: skip
    for number, age in ((1, day * 31), (2, day * 29)):
        Event.objects.create(session=session, number=number, kind="info", created_at=now - age)
    tasks.tidy()
    assert [file.name for file in results.iterdir()] == ["young.rows"]
    assert ResultFile.objects.get().path == "young.rows"
    assert Event.objects.get().number == 2


def test_beat_calls_only_tasks_that_a_worker_knows() -> None:
    app.loader.import_default_modules()
    named = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert named == {"sessions_app.sweep", "sessions_app.tidy"}
    assert named <= set(app.tasks)


def test_work_for_another_system_waits_without_harm(cardio: str) -> None:
    """Nobody takes up `memory_retire` yet: it stays pending, and no sweep touches it."""
    OutboxRow.objects.create(
        key="memory_retire:x:1:1", kind="memory_retire", created_at=clock.now()
    )
    tasks.sweep()
    tasks.tidy()
    assert OutboxRow.objects.get().status == OutboxRow.Status.PENDING
