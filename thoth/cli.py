"""The `tht` command line: Django's command runner under the product's name.

`tht up` is the exception: it makes the secrets and services that Django's settings name, so it
runs before and without Django.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from django.core.management import BaseCommand


def main() -> None:
    """Run one command with the process's arguments."""
    if sys.argv[1:2] == ["up"]:
        from thoth.embedded.up import main as up  # noqa: PLC0415

        sys.exit(up(sys.argv[2:]))
    use_embedded_services()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "thoth.settings.base")
    # Commands send tasks too: without the application they would go to a default broker.
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415
    from django.core.management import ManagementUtility, get_commands  # noqa: PLC0415
    from django.db import OperationalError  # noqa: PLC0415

    import thoth.celery  # noqa: F401, PLC0415
    from thoth.lib.errors import ThothError  # noqa: PLC0415

    class Commands(ManagementUtility):
        """Django's runner; a command that it does not have is misuse."""

        def fetch_command(self, subcommand: str) -> BaseCommand:
            if subcommand not in get_commands():
                _fail(f"There is no command {subcommand}. See `tht help`.", status=2)
            return super().fetch_command(subcommand)

    try:
        Commands(["tht", *sys.argv[1:]]).execute()
    except ThothError as error:
        # Also what stops the start, such as a broken workflow.yaml: a sentence, not a trace.
        _fail(f"{error.message} ({error.code})")
    except ImproperlyConfigured as error:
        _fail(f"{error} (configuration_invalid)")
    except OperationalError:
        _fail(
            "The database does not answer. Start it with `tht up`, or set THOTH_DB_HOST, "
            "THOTH_DB_PORT, THOTH_DB_USER and THOTH_DB_PASSWORD. (database_unreachable)"
        )
    except KeyboardInterrupt:
        _fail("Interrupted.", status=130)


def _fail(text: str, *, status: int = 1) -> NoReturn:
    sys.stderr.write(text + "\n")
    sys.exit(status)


def use_embedded_services() -> None:
    """Let this command reach what a running `tht up` of THOTH_HOME started.

    What the environment says already wins. Without a running `tht up` only its secrets are known:
    then it is the database that a command misses, and says so.
    """
    from thoth.embedded.home import Home, default_home  # noqa: PLC0415

    home = Home(Path(os.environ.get("THOTH_HOME") or default_home()))
    if "THOTH_DB_HOST" in os.environ:
        return
    for name, value in home.read_services().items():
        os.environ.setdefault(name, value)
