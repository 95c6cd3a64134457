"""The directory that one `tht up` owns: secrets, logs, data, and the record of what runs.

THOTH_HOME/
  env                secrets, made once, 0600
  workspaces/        one folder per workspace
  logs/              one file per process
  run/               only while running: up.lock, up.json, services.env, <name>.json
  state/             what has been prepared, by content
  postgres/ valkey/ vectors/  unless root runs it and services cannot reach them (see `services_root`)
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from thoth.embedded.errors import AlreadyRunning, ServiceFailed
from thoth.embedded.processes import ServiceUser, can_reach

SECRETS = (
    "THOTH_SECRET_KEY",
    "THOTH_LEDGER_KEY",
    "THOTH_DB_PASSWORD",
    "THOTH_VECTOR_API_KEY",
    "THOTH_VECTOR_WRITE_API_KEY",
    "THOTH_EMBEDDED_ADMIN_PASSWORD",
    "THOTH_EMBEDDED_OWNER_PASSWORD",
    "THOTH_EMBEDDED_VALKEY_PASSWORD",
    "THOTH_EMBEDDED_WAREHOUSE_PASSWORD",
    "THOTH_EMBEDDED_READER_PASSWORD",
)
ROOT_FALLBACK = Path("/var/lib/thoth")


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one THOTH_HOME."""

    path: Path

    @property
    def env(self) -> Path:
        return self.path / "env"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def run(self) -> Path:
        return self.path / "run"

    @property
    def state(self) -> Path:
        return self.path / "state"

    @property
    def services_env(self) -> Path:
        """Where the running services are, for other commands."""
        return self.run / "services.env"

    def create(self) -> None:
        """All directories exist. As root others may pass through (services run as someone else)."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
        for folder in (self.logs, self.run, self.state, self.path / "workspaces"):
            folder.mkdir(mode=0o700, exist_ok=True)

    def services_root(self, user: ServiceUser | None) -> Path:
        """Where services keep their data: here, or where their account can reach it."""
        if user is None or can_reach(self.path / "postgres", user):
            return self.path
        key = hashlib.sha256(str(self.path.resolve()).encode()).hexdigest()[:12]
        root = ROOT_FALLBACK / key
        root.mkdir(parents=True, exist_ok=True)
        for folder in (ROOT_FALLBACK, root):
            folder.chmod(0o711)
        return root

    def ensure_secrets(self) -> dict[str, str]:
        """The secrets, made now where one is missing; existing ones are never changed.

        Raises: ServiceFailed `env_invalid` when the file cannot be understood.
        """
        known = read_env(self.env) if self.env.exists() else {}
        missing = {name: secrets.token_hex(24) for name in SECRETS if name not in known}
        if missing:
            write_env(self.env, {**known, **missing})
        return {**known, **missing}

    def read_services(self) -> dict[str, str]:
        """Secrets and addresses of the running services, as environment variables."""
        found: dict[str, str] = {}
        for file in (self.env, self.services_env):
            with contextlib.suppress(OSError, ServiceFailed):
                found.update(read_env(file))
        return {name: value for name, value in found.items() if "_EMBEDDED_" not in name}

    @contextlib.contextmanager
    def owned(self) -> Iterator[None]:
        """Hold the directory; the operating system lets go of it however we end.

        Raises: AlreadyRunning `already_running` naming process and address.
        """
        with (self.run / "up.lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise self._already_running() from None
            yield

    def announce(self, url: str) -> None:
        """Record who owns the directory and under which address it answers ("" while starting)."""
        record = json.dumps({"pid": os.getpid(), "url": url})
        write_private(self.run / "up.json", record)

    def _already_running(self) -> AlreadyRunning:
        try:
            record = json.loads((self.run / "up.json").read_text())
        except (OSError, ValueError):
            record = {}
        pid, url = record.get("pid", "?"), record.get("url")
        where = f"at {url}" if url else "and is still starting"
        message = f"`tht up` already runs for {self.path}: process {pid} {where}."
        return AlreadyRunning("already_running", message, pid=pid, url=url)


def default_home() -> Path:
    """`.thoth` beside the program, as the settings have it."""
    return Path(__file__).resolve().parents[2] / ".thoth"


def read_env(file: Path) -> dict[str, str]:
    """NAME=value lines; blank lines and comments are skipped.

    Raises: ServiceFailed `env_invalid` naming the line, not its content.
    """
    found = {}
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, separator, value = line.partition("=")
        if not separator or not name.isidentifier() or not value:
            message = (
                f"{file}: line {number} is not NAME=value. Correct it; do not delete the file."
            )
            raise ServiceFailed("env_invalid", message)
        found[name] = value
    return found


def write_env(file: Path, values: Mapping[str, str]) -> None:
    """Replace the file by these values, readable by its owner only."""
    write_private(file, "".join(f"{name}={value}\n" for name, value in values.items()))


def write_private(file: Path, text: str) -> None:
    """Replace the file whole; nobody else can read it at any moment."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    temporary.replace(file)
