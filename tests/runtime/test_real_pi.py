"""The real Pi process with a scripted model server on loopback: one run for each way it can end."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.runtime import kit
from tests.runtime.endpoint import (
    Call,
    Endpoint,
    Say,
    Script,
    endpoint,
    propose,
    unused_url,
    wait_for,
)
from thoth.runtime.pi.folder import sweep
from thoth.runtime.pi.installation import Installation
from thoth.runtime.pi.runner import run_step
from thoth.runtime.pi.types import Accept, Args, Limits, Outcome, Refuse

ROOT = Path(__file__).parents[2]


def run(
    pi: Installation,
    script: Script,
    handlers: kit.Recorder | None = None,
    limits: Limits = kit.QUICK,
) -> tuple[Outcome, Endpoint]:
    with endpoint(script) as server:
        outcome = run_step(kit.request(server.url), handlers or kit.Recorder(), limits, pi)
    return outcome, server


def test_tools_are_answered_and_the_proposal_ends_the_run(pi: Installation, pi_home: Path) -> None:
    handlers = kit.Recorder(answer=lambda *_: "3 rows \u2028 «è» " + "x" * 100)
    search = Call("search_values", {"text": "héllo \u2028 world"})
    bash, read = Call("bash", {"command": "id"}), Call("read", {"path": "/etc/passwd"})
    # A proposal beside another call ends the run as well, and only the first one counts.
    last = Say(
        calls=(search, Call("propose", {"answer": "one"}), Call("propose", {"answer": "two"}))
    )
    outcome, server = run(pi, [Say("thinking", (search, bash, read)), last], handlers)
    assert (outcome.code, outcome.value) == ("proposed", {"answer": "one"})
    assert handlers.calls == [("search_values", {"text": "héllo \u2028 world"})] * 2
    assert handlers.proposals == [{"answer": "one"}]
    assert handlers.said == "thinking"
    assert (outcome.model_requests, outcome.tool_calls) == (2, 6)
    assert outcome.usage["input"] == 200
    assert outcome.usage["output"] == 14

    first, second = server.requests
    assert first["messages"][0] == {"role": "system", "content": "You answer with propose."}
    assert first["messages"][1]["content"][0]["text"].endswith("/question: how many?")
    assert [tool["function"]["name"] for tool in first["tools"]] == ["search_values", "propose"]
    answers = [m["content"] for m in second["messages"] if m["role"] == "tool"]
    assert answers[0].startswith("3 rows \u2028 «è»")
    assert all("not found" in text for text in answers[1:3])
    assert server.headers[0]["authorization"] == "Bearer sk-secret-1"
    assert list((pi_home / "runs").iterdir()) == []


@pytest.mark.parametrize(
    ("say", "code", "status"),
    [
        (Say("I would say 42."), "no_proposal", None),
        (Say(status=401, error="Incorrect API key: sk-secret-1"), "model_error", 401),
        (Say(status=429, error="slow down"), "model_error", 429),
        (Say("half", cut=True), "model_error", None),
        (Say("half", broken=True), "model_error", None),
    ],
)
def test_an_answer_without_a_proposal(
    pi: Installation, say: Say, code: str, status: int | None
) -> None:
    outcome, server = run(pi, [say])
    assert (outcome.code, outcome.status, outcome.value) == (code, status, None)
    assert len(server.requests) == outcome.model_requests == 1  # nothing is tried again in secret
    assert "sk-secret-1" not in repr(outcome)


def test_nobody_listens(pi: Installation) -> None:
    outcome = run_step(kit.request(unused_url()), kit.Recorder(), kit.QUICK, pi)
    assert (outcome.code, outcome.status) == ("model_error", None)
    assert "ECONNREFUSED" in outcome.message


def test_a_silent_server_ends_at_the_deadline(pi: Installation) -> None:
    outcome, _server = run(pi, [Say(silent=True)], limits=Limits(deadline_s=1.2))
    assert outcome.code == "timeout"
    assert outcome.duration_s < 2


def test_a_refused_proposal_is_tried_again_in_the_same_run(pi: Installation) -> None:
    def judge(args: Args) -> Accept | Refuse:
        # Pi turned the number into a text before we saw it: the schema asks for one.
        return Accept(args["answer"]) if args["answer"] == "43" else Refuse("not the answer")

    handlers = kit.Recorder(verdict=judge)
    cut = Say(calls=(Call("propose", raw='{"answer": "4'),))
    script = [propose({"answer": 42}), cut, propose({"answer": 43})]
    outcome, server = run(pi, script, handlers, dataclasses.replace(kit.QUICK, proposals=3))
    assert (outcome.code, outcome.value) == ("proposed", "43")
    assert outcome.refusals[0] == "not the answer"
    assert "JSON" in outcome.refusals[1]
    assert '"4' not in outcome.refusals[1]
    assert outcome.bad_arguments == 1
    assert server.requests[1]["messages"][-1]["content"] == "not the answer"


@pytest.mark.parametrize(
    ("limits", "say", "reason", "bad"),
    [
        (Limits(model_requests=1), propose({"answer": "no"}), "never", 0),
        (Limits(model_requests=1), Say(calls=(Call("propose", raw='{"a'),)), "JSON", 1),
        (Limits(proposals=1), propose({"other": 1}), "answer", 1),
    ],
)
def test_a_bad_proposal_too_many_is_the_end(
    pi: Installation, limits: Limits, say: Say, reason: str, bad: int
) -> None:
    handlers = kit.Recorder(verdict=lambda _args: Refuse("never"))
    outcome, server = run(pi, [say], handlers, limits)
    assert (outcome.code, len(outcome.refusals), outcome.bad_arguments) == ("no_proposal", 1, bad)
    assert reason in outcome.refusals[0]
    assert len(server.requests) == 1


def test_a_model_that_never_ends_is_stopped_by_count(pi: Installation) -> None:
    calls = tuple(Call("search_values", {"text": str(n)}) for n in range(300))
    outcome, server = run(pi, [Say(calls=calls)], limits=Limits(deadline_s=15, tool_calls=20))
    assert (outcome.code, len(server.requests)) == ("budget", 1)
    script = [Say(calls=calls[:1])]
    outcome, server = run(pi, script, limits=Limits(deadline_s=15, model_requests=3))
    assert (outcome.code, len(server.requests)) == ("budget", 3)


def test_an_answer_of_50_mb_is_cut_off(pi: Installation) -> None:
    outcome, _server = run(pi, [Say(flood_bytes=50_000_000)])
    assert outcome.code == "output_limit"
    assert outcome.duration_s < 8


def test_steering_reaches_the_model_and_a_stop_ends_the_run(pi: Installation) -> None:
    handlers = kit.Recorder()

    def steered(*_: object) -> str:
        handlers.texts.append("/only 2024")
        time.sleep(0.1)
        return "found"

    handlers.answer = steered
    search = Say(calls=(Call("search_values", {"text": "x"}),))
    outcome, server = run(pi, [search, search, propose({"answer": "x"})], handlers)
    assert outcome.code == "proposed"
    texts = [
        m["content"][0]["text"] for m in server.requests[-1]["messages"] if m["role"] == "user"
    ]
    assert "The reviewer adds: /only 2024" in texts

    with endpoint([Say(silent=True)]) as server:
        handlers = kit.Recorder(stop=lambda: bool(server.requests))
        outcome = run_step(kit.request(server.url), handlers, kit.QUICK, pi)
    assert outcome.code == "cancelled"


def test_pi_killed_from_outside_has_crashed(pi: Installation, pi_home: Path) -> None:
    def kill(*_: object) -> str:
        os.kill(_children(pi_home)[0], signal.SIGKILL)
        return "found"

    search = Say(calls=(Call("search_values", {"text": "x"}),))
    outcome, _server = run(pi, [search], kit.Recorder(answer=kill))
    assert (outcome.code, outcome.exit_code) == ("crashed", -9)


def test_a_key_is_in_no_file_and_no_argument(pi: Installation, pi_home: Path) -> None:
    leaks: list[Path] = []

    def look(*_: object) -> str:
        files = [path for path in pi_home.rglob("*") if path.is_file() and path.stat().st_size]
        assert any(path.name == "models.json" for path in files)
        files.append(Path(f"/proc/{_children(pi_home)[0]}/cmdline"))
        leaks.extend(path for path in files if b"sk-secret-1" in path.read_bytes())
        return "x"

    search = Say(calls=(Call("search_values", {"text": "x"}),))
    outcome, _server = run(pi, [search, propose({"answer": "x"})], kit.Recorder(answer=look))
    assert outcome.code == "proposed"
    assert leaks == []


def test_code_inside_pi_reaches_no_file_and_no_process(pi: Installation, tmp_path: Path) -> None:
    extension = tmp_path / "extension.mjs"
    attempts = (
        "fs.readFileSync('/etc/passwd')",
        f"fs.writeFileSync('{tmp_path}/written', 'x')",
        "child.execSync('id')",
    )
    tries = "\n".join(
        f"try {{ {attempt}; console.error('done') }} catch (e) {{ console.error(e.code) }}"
        for attempt in attempts
    )
    imports = "import fs from 'node:fs'; import child from 'node:child_process';"
    extension.write_text(f"{imports}\n{tries}\nthrow new Error('seen');")
    program = Installation(pi.node, pi.cli, extension, (*pi.readable, tmp_path))
    outcome = run_step(kit.request(unused_url()), kit.Recorder(), kit.QUICK, program)
    assert outcome.code == "start_failed"
    assert outcome.stderr.count("ERR_ACCESS_DENIED") >= len(attempts)
    assert "done" not in outcome.stderr
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("stuck", [False, True])
def test_no_process_outlives_a_killed_worker(
    pi: Installation, pi_home: Path, *, stuck: bool
) -> None:
    """Pi ends when its standard input does; one that cannot is ended by the next run's sweep."""
    with endpoint([Say(silent=True)]) as server:
        code = f"""
            import django; django.setup()
            from tests.runtime import kit
            from thoth.runtime.pi.runner import run_step
            run_step(kit.request({server.url!r}), kit.Recorder())
        """
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "thoth.settings.test",
            "THOTH_HOME": str(pi_home.parent),
        }
        command = [sys.executable, "-c", textwrap.dedent(code)]
        worker = subprocess.Popen(command, cwd=ROOT, env=environment)
        assert wait_for(lambda: bool(server.requests), 15)
        (child,) = _children(pi_home)
        if stuck:
            os.kill(child, signal.SIGSTOP)
        worker.kill()
        worker.wait()
        if stuck:
            assert _runs(child)
            assert sweep(pi_home / "runs") == 1
        assert wait_for(lambda: not _runs(child))
        sweep(pi_home / "runs")
    assert list((pi_home / "runs").iterdir()) == []


def _children(pi_home: Path) -> list[int]:
    """The processes that work in folders of runs."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cwd").readlink().is_relative_to((pi_home / "runs").resolve()):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
