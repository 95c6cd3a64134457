"""The `tht` command line: Django's command runner under the product's name."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run one command with the process's arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "thoth.settings.base")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    execute_from_command_line(sys.argv)
