"""`tht up`: from an empty directory to a working page, and back to nothing on Ctrl-C."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path

from thoth.embedded.errors import AlreadyRunning
from thoth.embedded.example import SCALE, SEED
from thoth.embedded.home import Home, default_home
from thoth.embedded.stack import Options, Stack
from thoth.embedded.supervisor import Supervisor
from thoth.lib.errors import ThothError

SCALE_MAX = 20  # a million patients: what the example can still be made of in memory
PORT_MAX = 65_535


def main(arguments: list[str]) -> int:
    """Run until told to stop. Returns the exit code: 0 stopped, 1 failed, 2 misuse."""
    options = _parse(arguments)
    home = Home(Path(os.environ.get("THOTH_HOME") or default_home()).absolute())
    try:
        home.create()
        with home.owned():
            return _run(home, options)
    except ThothError as error:
        _complain(error, as_json=options.json)
        return 1
    except OSError as error:
        _say(f"Cannot use {home.path}: {error.strerror}.")
        return 1


def _run(home: Home, options: Options) -> int:
    began = time.monotonic()
    supervisor = Supervisor(home, _say)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: supervisor.stopping.set())
    home.announce("")
    stack = Stack(home, options, supervisor)
    try:
        url = stack.start()
        if url:
            home.announce(url)
            _ready(url, time.monotonic() - began, as_json=options.json)
            supervisor.watch()
        _say("Stopping…")
    finally:
        supervisor.stop_all()
        for leftover in (home.services_env, home.run / "up.json"):
            leftover.unlink(missing_ok=True)
    _say("Stopped.")
    return 0


def _parse(arguments: list[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="tht up",
        description="Start Thoth with embedded PostgreSQL and Valkey; Ctrl-C stops everything.",
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=int, default=8000, help="preferred port of the pages")
    parser.add_argument("--no-example", action="store_true", help="without the example warehouse")
    parser.add_argument("--seed", type=int, default=SEED, help="of the example's data")
    parser.add_argument("--scale", type=float, default=SCALE, help="of the example's data")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout when ready")
    found = parser.parse_args(arguments)
    if not 0 < found.scale <= SCALE_MAX:
        parser.error(f"--scale must be greater than 0 and at most {SCALE_MAX}")
    if not 0 <= found.port <= PORT_MAX:
        parser.error(f"--port must be from 0 (any free one) to {PORT_MAX}")
    if found.seed < 0:
        parser.error("--seed must not be negative")
    return Options(
        port=found.port,
        example=not found.no_example,
        seed=found.seed,
        scale=found.scale,
        json=found.json,
    )


def _ready(url: str, seconds: float, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"url": url, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()
    _say(f"\nThoth is ready after {seconds:.0f} s:\n\n    {url}\n\nCtrl-C stops everything.")


def _complain(error: ThothError, *, as_json: bool) -> None:
    if as_json:
        document = {"code": error.code, "message": error.message, "extra": error.extra}
        sys.stdout.write(json.dumps(document) + "\n")
    _say(error.message)
    if not isinstance(error, AlreadyRunning):
        _say("Nothing is left running. Correct the cause and start `tht up` again.")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
