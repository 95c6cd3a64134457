"""A process that will not stay up stops the whole, and says why."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path

import pytest

from thoth.embedded import supervisor as module
from thoth.embedded.errors import ServiceFailed
from thoth.embedded.home import Home
from thoth.embedded.processes import ProcessId, spawn
from thoth.embedded.supervisor import Child, Supervisor


@pytest.fixture
def supervised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Supervisor:
    monkeypatch.setattr(module, "BACKOFF_S", (0.0, 0.01, 0.02))
    monkeypatch.setattr(module, "POLL_S", 0.01)
    home = Home(tmp_path / "home")
    home.create()
    return Supervisor(home, lambda _: None)


def shell(supervised: Supervisor, name: str, script: str) -> Child:
    log = supervised.home.logs / f"{name}.log"

    def start() -> subprocess.Popen[bytes]:
        return spawn(["sh", "-c", script], log=log)

    return Child(name, start, (signal.SIGTERM,), log)


def test_it_gives_up_with_the_end_of_the_log(supervised: Supervisor) -> None:
    supervised.add(shell(supervised, "moody", "echo out of luck; exit 3"))
    with pytest.raises(ServiceFailed, match="moody ended 4 times") as caught:
        supervised.watch()
    assert caught.value.code == "child_keeps_dying"
    assert "out of luck" in caught.value.message
    supervised.stop_all()


def test_children_stop_in_reverse_order(supervised: Supervisor, tmp_path: Path) -> None:
    order = tmp_path / "order"
    for name in ("first", "second"):
        script = f"trap 'echo {name} >> {order}; exit' TERM; touch {tmp_path}/{name}; while :; do sleep 0.05; done"
        supervised.add(shell(supervised, name, script))
        while not (tmp_path / name).exists():
            threading.Event().wait(0.01)
    supervised.stop_all()
    assert order.read_text().split() == ["second", "first"]
    assert list(supervised.home.run.glob("*.child.json")) == []


def test_a_dead_leaders_own_children_do_not_meet_its_successor(supervised: Supervisor) -> None:
    pids = supervised.home.path / "pids"
    child = shell(supervised, "leader", f"sleep 300 & echo $! >> {pids}; wait")
    supervised.add(child)
    while not pids.exists() or not pids.read_text().strip():
        threading.Event().wait(0.01)
    orphan = int(pids.read_text().split()[0])
    assert child.process is not None
    child.process.kill()
    threading.Timer(0.5, supervised.stopping.set).start()
    supervised.watch()
    supervised.stop_all()
    assert ProcessId.of(orphan) is None


def test_a_second_process_of_the_same_number_is_another(tmp_path: Path) -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    found = ProcessId.of(sleeper.pid)
    assert found is not None
    assert found.alive()
    assert not ProcessId(found.pid, found.created - 5).alive()
    sleeper.kill()
    sleeper.wait()
    assert not found.alive()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1}'])
def test_a_damaged_record_is_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    assert ProcessId.read(tmp_path / "r.json") is None
