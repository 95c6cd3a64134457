"""A throw-away installation for benchmarks: embedded PostgreSQL, migrated application, workspaces.

Nothing of it touches the installation of this checkout; everything is removed at the end.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "bench"
READER = "bench_reader"


class Installation:
    """A running one. `password` is the reader's, who may only SELECT."""

    def __init__(self, admin_dsn: str) -> None:
        self.admin_dsn = admin_dsn
        self.password = secrets.token_hex(8)

    def admin(self, dbname: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(make_conninfo(self.admin_dsn, dbname=dbname), autocommit=True)

    def database(self, name: str, load: Callable[[str], None], *, schemas: list[str]) -> str:
        """A new database that `load(dsn)` fills. Returns the reader's DSN."""
        from thoth.embedded.databases import reader_rights, role_ensure

        with self.admin() as admin:
            role_ensure(admin, READER, self.password)
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        load(make_conninfo(self.admin_dsn, dbname=name))
        with self.admin(name) as admin:
            for schema in schemas:
                reader_rights(admin, name, schema, READER)
        return make_conninfo(self.admin_dsn, dbname=name, user=READER, password=self.password)

    def workspace(self, name: str, dsn: str, *, language: str, schemas: list[str]) -> None:
        """A workspace over that database, introspected and indexed."""
        from thoth.warehouse.valueindex.facade import values_preprocess
        from thoth.workspaces.facade import workspace_write

        workspace_write(
            document={
                "schema_version": 1,
                "name": name,
                "language": language,
                "database": {"type": "postgresql", "dsn": dsn, "schemas": schemas},
            },
            overwrite=True,
        )
        values_preprocess(name)


@contextlib.contextmanager
def installation() -> Iterator[Installation]:
    """A migrated installation in a temporary folder; stopped and removed afterwards."""
    sys.path.insert(0, str(ROOT))
    from thoth.embedded.postgres import STOP_SIGNALS, THROW_AWAY, PostgresServer
    from thoth.embedded.processes import free_port, service_user, stop_child

    folder = Path(tempfile.mkdtemp(prefix="thoth-bench-"))
    folder.chmod(0o711)
    server = PostgresServer(
        root=folder / "postgres",
        port=free_port(),
        password=secrets.token_hex(8),
        user=service_user(),
        settings=tuple(THROW_AWAY.items()),
    )
    process = server.start()
    try:
        _start_application(folder, server.port, server.password)
        yield Installation(server.dsn())
    finally:
        stop_child(process, signals=STOP_SIGNALS)
        shutil.rmtree(folder, ignore_errors=True)


def _start_application(folder: Path, port: int, password: str) -> None:
    os.environ.update(
        {
            "DJANGO_SETTINGS_MODULE": "thoth.settings.base",
            "THOTH_HOME": str(folder / "home"),
            "THOTH_DB_HOST": "127.0.0.1",
            "THOTH_DB_PORT": str(port),
            "THOTH_DB_USER": "postgres",
            "THOTH_DB_NAME": "thoth",
            "THOTH_DB_PASSWORD": password,
            "THOTH_LEDGER_KEY": secrets.token_hex(32),
            "THOTH_LOG_LEVEL": "CRITICAL",
        }
    )
    with psycopg.connect(
        host="127.0.0.1", port=port, user="postgres", password=password, autocommit=True
    ) as admin:
        admin.execute("CREATE DATABASE thoth")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
