"""`tht up` as people use it: a directory, a process, Ctrl-C and kill -9.

Without the example's data (its own tests are beside its generator): what is tested here is that
processes come, go and come back.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pytest

from thoth.embedded.home import Home
from thoth.embedded.processes import MARK_VARIABLE, ProcessId
from thoth.embedded.up import main as up_main

ROOT = Path(__file__).parents[2]
START_S = 60.0

pytestmark = pytest.mark.slow


@dataclass
class Up:
    """One running `tht up`."""

    home: Home
    process: subprocess.Popen[str]
    url: str
    stranger: subprocess.Popen[bytes] | None = None

    def child(self, name: str) -> ProcessId:
        found = ProcessId.read(self.home.run / f"{name}.child.json")
        assert found is not None
        return found

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + "healthz", timeout=5) as answer:
                return int(answer.status) == 200
        except OSError:
            return False

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(START_S)


@contextlib.contextmanager
def temporary_home() -> Iterator[Home]:
    # Below the system's temporary directory: root's services run as somebody else.
    with tempfile.TemporaryDirectory(prefix="thoth-up-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        made = Home(Path(folder) / "home")
        yield made
        for process_id in survivors(made):
            os.kill(process_id.pid, signal.SIGKILL)


@pytest.fixture
def home() -> Iterator[Home]:
    with temporary_home() as made:
        yield made


@pytest.fixture
def start(home: Home) -> Iterator[Callable[[], Up]]:
    started: list[Up] = []

    def run() -> Up:
        started.append(bring_up(home))
        return started[-1]

    yield run
    for up in started:
        take_down(up)


@pytest.fixture(scope="module")
def running() -> Iterator[Up]:
    """One that several tests look at, started beside a stranger's process and on a busy port."""
    stranger = subprocess.Popen(["sleep", "600"])
    with temporary_home() as home, socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # somebody else holds the port: as good
            holder.bind(("127.0.0.1", 8000))
            holder.listen()
        home.create()
        ProcessId(stranger.pid, 1.0).write(home.run / "web.child.json")
        up = bring_up(home)
        up.stranger = stranger
        yield up
        take_down(up)
    stranger.kill()
    stranger.wait()


def bring_up(home: Home) -> Up:
    process = launch(home, "--no-example", "--json")
    assert process.stdout is not None
    answer = json.loads(process.stdout.readline() or "{}")
    assert "url" in answer, process.stderr.read() if process.stderr else ""
    return Up(home, process, answer["url"])


def take_down(up: Up) -> None:
    if up.process.poll() is None:
        up.process.send_signal(signal.SIGTERM)
        up.process.wait(START_S)
    for pipe in (up.process.stdout, up.process.stderr):
        if pipe is not None:
            pipe.close()


def launch(home: Home, *arguments: str) -> subprocess.Popen[str]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("THOTH_", "DJANGO_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "thoth", "up", *arguments],
        cwd=ROOT,
        env={**plain, "THOTH_HOME": str(home.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def survivors(home: Home) -> list[ProcessId]:
    """Everything that still runs for this home, whoever started it."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = process.environ().get(MARK_VARIABLE) == str(home.path)
            if ours or str(home.path) in " ".join(process.cmdline()):
                found.append(ProcessId(process.pid, process.create_time()))
        except psutil.Error:
            continue
    return found


def until(condition: Callable[[], bool], *, within_s: float) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def test_a_second_one_says_who_runs_and_changes_nothing(running: Up) -> None:
    second = launch(running.home, "--json")
    out, complaint = second.communicate(timeout=START_S)
    assert second.returncode == 1
    assert f"process {running.process.pid} at {running.url}" in complaint
    assert json.loads(out)["code"] == "already_running"
    assert running.answers()


def test_after_kill_9_of_the_supervisor_the_next_start_cleans_up_and_ctrl_c_leaves_nothing(
    home: Home, start: Callable[[], Up]
) -> None:
    first = start()
    secrets = home.env.read_text()
    assert home.env.stat().st_mode & 0o077 == 0
    left = [first.child(name) for name in ("postgres", "valkey", "web", "worker", "beat")]
    first.process.kill()
    first.process.wait()
    assert all(process_id.alive() for process_id in left)

    second = start()
    assert second.answers()
    assert [process_id for process_id in left if process_id.alive()] == []
    assert home.env.read_text() == secrets

    assert second.stop() == 0
    assert survivors(home) == []
    assert not home.services_env.exists()


def test_every_process_comes_back_after_kill_9(start: Callable[[], Up]) -> None:
    up = start()
    for name in ("web", "worker", "beat", "valkey", "postgres"):
        before = up.child(name)
        os.kill(before.pid, signal.SIGKILL)
        until(lambda name=name, before=before: up.child(name) != before, within_s=30)  # type: ignore[misc]
        until(up.answers, within_s=30)
        assert up.child(name).alive()
    assert up.stop() == 0


def test_a_leftover_record_of_another_process_harms_nobody(running: Up) -> None:
    assert running.stranger is not None
    assert running.stranger.poll() is None


def test_a_busy_port_is_not_fought_over(running: Up) -> None:
    assert not running.url.endswith(":8000/")
    assert running.answers()


def test_an_unreadable_secrets_file_is_named_and_kept(home: Home) -> None:
    home.create()
    home.env.write_text("THOTH_SECRET_KEY\n")
    process = launch(home, "--no-example")
    _, complaint = process.communicate(timeout=START_S)
    assert process.returncode == 1
    assert f"{home.env}: line 1 is not NAME=value" in complaint
    assert "Traceback" not in complaint
    assert home.env.read_text() == "THOTH_SECRET_KEY\n"


def test_misuse_is_exit_code_2(home: Home) -> None:
    process = launch(home, "--colour")
    process.communicate(timeout=START_S)
    assert process.returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--por", "1"],
        *(["--scale", scale] for scale in ("0", "-1", "nan", "inf", "1e9", "x")),
        *(["--port", port] for port in ("-1", "65536", "x")),
        ["--seed", "-1"],
    ],
    ids="=".join,
)
def test_options_that_mean_nothing_are_refused_before_anything_starts(
    home: Home, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOTH_HOME", str(home.path))
    with pytest.raises(SystemExit) as ended:
        up_main(arguments)
    assert ended.value.code == 2
    assert not home.path.exists() or not any(home.path.iterdir())


def test_the_application_may_not_rewrite_the_ledger(running: Up) -> None:
    services = running.home.read_services()
    with psycopg.connect(
        host="127.0.0.1",
        port=services["THOTH_DB_PORT"],
        user=services["THOTH_DB_USER"],
        password=services["THOTH_DB_PASSWORD"],
        dbname=services["THOTH_DB_NAME"],
    ) as connection:
        for privilege, expected in (("INSERT", True), ("SELECT", True), ("UPDATE", False), ("DELETE", False), ("TRUNCATE", False)):  # fmt: skip
            row = connection.execute(
                "SELECT has_table_privilege(%s, %s)", ["sessions_app_ledgerrow", privilege]
            ).fetchone()
            assert row == (expected,), privilege
