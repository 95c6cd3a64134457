"""The embedded PostgreSQL starts, survives a kill and never touches a stranger's process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from thoth.embedded.postgres import STOP_SIGNALS, PostgresServer
from thoth.embedded.processes import ProcessId, free_port, service_user, stop_child


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with TemporaryDirectory(prefix="thoth-pgtest-") as folder:
        Path(folder).chmod(0o711)
        made = PostgresServer(Path(folder) / "pg", free_port(), "secret", service_user())
        yield made
        made.stop_leftover()


def test_data_survives_kill_9_of_the_server(server: PostgresServer) -> None:
    process = server.start()
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    again = server.start()
    with psycopg.connect(server.dsn()) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    stop_child(again, signals=STOP_SIGNALS)
    assert again.returncode == 0


def test_a_server_left_running_is_stopped_before_the_next_start(server: PostgresServer) -> None:
    first = server.start()
    second = server.start()
    assert first.wait(5) == 0
    assert ProcessId.of(second.pid) == server.running()
    stop_child(second, signals=STOP_SIGNALS)


def test_a_stale_pid_file_naming_a_strangers_process_kills_nobody(server: PostgresServer) -> None:
    process = server.start()
    stop_child(process, signals=STOP_SIGNALS)
    (server.data / "postmaster.pid").write_text(f"{os.getpid()}\n{server.data}\n")
    again = server.start()
    with psycopg.connect(server.dsn()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    stop_child(again, signals=STOP_SIGNALS)


def test_a_password_is_needed(server: PostgresServer) -> None:
    process = server.start()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(
            host="127.0.0.1", port=server.port, user="postgres", password="x", dbname="postgres"
        )
    stop_child(process, signals=STOP_SIGNALS)
