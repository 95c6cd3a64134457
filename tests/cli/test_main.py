"""Whatever is wrong, the command line says it in a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from thoth.embedded.processes import free_port

ROOT = Path(__file__).parents[2]


def tht(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("THOTH_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, "-m", "thoth", *words],
        cwd=ROOT,
        env=plain | env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_database_it_says_how_to_start_one(tmp_path: Path) -> None:
    result = tht(
        "showmigrations",
        THOTH_LEDGER_KEY="k",
        THOTH_HOME=str(tmp_path),
        THOTH_DB_PORT=str(free_port()),
    )
    assert result.returncode == 1
    assert "The database does not answer. Start it with `tht up`" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("THOTH_DB_PORT", "many"), ("THOTH_PROFILE", "laptop")]
)
def test_a_nonsensical_variable_is_named(tmp_path: Path, name: str, value: str) -> None:
    result = tht("check", THOTH_LEDGER_KEY="k", THOTH_HOME=str(tmp_path), **{name: value})
    assert result.returncode == 1
    assert name in result.stderr
    assert "Traceback" not in result.stderr


def test_commands_find_the_services_that_run(tmp_path: Path) -> None:
    """The addresses that `tht up` recorded are used; what the environment says goes first."""
    port = free_port()
    (tmp_path / "run").mkdir()
    (tmp_path / "run/services.env").write_text(f"THOTH_DB_HOST=127.0.0.1\nTHOTH_DB_PORT={port}\n")
    code = "import sys; sys.argv = ['tht', 'shell', '-v0', '-c', 'from django.conf import settings; print(settings.DATABASES[\"default\"][\"PORT\"])']; from thoth.cli import main; main()"
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("THOTH_", "DJANGO_"))}
    for given, expected in (({}, str(port)), ({"THOTH_DB_HOST": "db.example"}, "5432")):
        environment = {**plain, "THOTH_LEDGER_KEY": "k", "THOTH_HOME": str(tmp_path), **given}
        result = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.stdout.strip() == expected, result.stderr


def test_what_is_stopped_is_missed_by_its_name(tmp_path: Path) -> None:
    """Of an installation that does not run the secrets are known: it is the database that lacks."""
    (tmp_path / "env").write_text("THOTH_LEDGER_KEY=k\nTHOTH_DB_PASSWORD=p\n")
    nowhere = {"THOTH_HOME": str(tmp_path), "THOTH_DB_PORT": str(free_port())}
    result = tht("session", "list", "--json", **nowhere)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Start it with `tht up`" in result.stderr


def test_the_phases_are_told_without_key_and_database(tmp_path: Path) -> None:
    result = tht("phase", "meta", "--json", THOTH_HOME=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["max_phase"] == "F8"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("session", "show", "--json"), "Missing parameter: session"),
        (("session", "list", "--status=failed", "--status", "paused"), "--status is given more"),
        (("nonsense", "--json"), "There is no command nonsense"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_misuse_is_exit_code_2_and_leaves_standard_output_alone(
    tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    result = tht(*words, THOTH_LEDGER_KEY="k", THOTH_HOME=str(tmp_path))
    assert (result.returncode, result.stdout) == (2, "")
    assert complaint in result.stderr
    assert "Traceback" not in result.stderr
