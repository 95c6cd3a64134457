"""What a process in Pi's place may do to us: nothing but fail with its code."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runtime import kit
from tests.runtime.endpoint import wait_for
from thoth.runtime.pi.types import Limits, Outcome

Fake = Callable[..., Outcome]
TIGHT = Limits(deadline_s=10, poll_s=0.05, line_bytes=200_000, output_bytes=2_000_000)


@pytest.mark.parametrize(
    ("behaviour", "code", "says"),
    [
        ("more-tools", "protocol_error", "other tools"),
        ("fewer-tools", "protocol_error", "other tools"),
        ("call-before-ready", "protocol_error", "was not given"),
        ("unknown-tool", "protocol_error", "was not given"),
        ("dialog", "protocol_error", "'select'"),
        ("not-json", "protocol_error", "not JSON"),
        ("not-an-object", "protocol_error", "not an object"),
        ("extension-error", "protocol_error", "turn_start"),
        ("long-line", "output_limit", "line"),
        ("much", "output_limit", "more than it may"),
        ("exit-early", "start_failed", "before it was ready"),
        ("exit", "crashed", "before its answer"),
        ("grandchild-crash", "crashed", "before its answer"),
        ("rejected", "rejected_prompt", "No API key"),
    ],
)
def test_misbehaviour_has_its_code(fake: Fake, behaviour: str, code: str, says: str) -> None:
    handlers = kit.Recorder()
    outcome = fake(behaviour, handlers, TIGHT)
    assert (outcome.code, outcome.value) == (code, None)
    assert says in outcome.message
    assert handlers.proposals == []
    assert handlers.calls == []
    assert outcome.duration_s < 3


@pytest.mark.parametrize("behaviour", ["exit-accepted", "not-json-accepted", "unsettled"])
def test_an_accepted_proposal_is_kept_whatever_follows(fake: Fake, behaviour: str) -> None:
    handlers = kit.Recorder()
    outcome = fake(behaviour, handlers)
    assert (outcome.code, outcome.value) == ("proposed", {"answer": "kept"})
    assert handlers.proposals == [{"answer": "kept"}]


def test_stderr_is_kept_to_its_end_and_without_the_key(fake: Fake) -> None:
    outcome = fake("exit-early")
    assert outcome.exit_code == 1
    assert len(outcome.stderr) < 9_000
    assert outcome.stderr.endswith("x***")


def test_lines_end_at_line_feeds_only_and_the_environment_is_ours(fake: Fake) -> None:
    outcome = fake("separators")
    assert isinstance(outcome.value, dict)
    assert set(outcome.value) - {"LC_CTYPE"} == {
        *("PATH", "HOME", "PI_CODING_AGENT_DIR", "TMPDIR", "LANG", "PI_OFFLINE", "NO_COLOR"),
        *("PI_SKIP_VERSION_CHECK", "PI_TELEMETRY", "NODE_COMPILE_CACHE", "PI_BRIDGE_KEY"),
    }


def test_a_tool_result_is_cut_to_its_bound(fake: Fake) -> None:
    outcome = fake("large-answer", kit.Recorder(answer=lambda *_: "è" * 100_000))
    assert isinstance(outcome.value, dict)
    text = outcome.value["answer"]
    assert len(text.encode()) <= Limits().answer_bytes
    assert text.endswith("(cut: the result was too long)")


def test_what_a_handler_raises_ends_the_run_and_reaches_the_caller(
    fake: Fake, pi_home: Path
) -> None:
    def broken(tool: str, args: object) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fake("large-answer", kit.Recorder(answer=broken))
    assert list((pi_home / "runs").iterdir()) == []


@pytest.mark.parametrize("behaviour", ["spins", "stopped"])
def test_a_process_that_does_not_end_is_ended(fake: Fake, behaviour: str) -> None:
    outcome = fake(behaviour)
    assert outcome.code == "no_proposal"
    assert outcome.exit_code in (-9, -15)
    assert outcome.duration_s < 2


def test_what_pi_started_ends_with_it(fake: Fake) -> None:
    outcome = fake("grandchild")
    assert outcome.code == "proposed"
    assert isinstance(outcome.value, dict)
    grandchild = int(outcome.value["answer"])
    assert wait_for(lambda: not _runs(grandchild))


def test_silence_ends_at_the_deadline_and_a_stop_at_once(fake: Fake, pi_home: Path) -> None:
    slow = fake("silence", limits=Limits(deadline_s=0.3, poll_s=0.05))
    assert slow.code == "timeout"
    assert slow.duration_s < 1
    asked = time.monotonic()
    stopped = fake("silence", kit.Recorder(stop=lambda: time.monotonic() - asked > 0.2))
    assert stopped.code == "cancelled"
    assert stopped.duration_s < 1
    assert list((pi_home / "runs").iterdir()) == []


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX" and os.getpgid(pid) >= 0
