"""Serve one data directory on loopback: `python -m thoth.embedded.vector_service ROOT PORT`.

Keys come by environment. Started by root with `THOTH_VECTOR_UID` and `_GID`, it becomes that account
once everything is imported: the account need not be able to read the program's files.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import uvicorn

from thoth.embedded.vector_service.app import create_app
from thoth.embedded.vector_service.auth import Keys


def main() -> None:
    """Until SIGTERM."""
    root, port = Path(sys.argv[1]), int(sys.argv[2])
    keys = Keys(
        os.environ.pop("THOTH_VECTOR_API_KEY"), os.environ.pop("THOTH_VECTOR_WRITE_API_KEY")
    )
    config = uvicorn.Config(
        create_app(root, keys), host="127.0.0.1", port=port, access_log=False, log_level="warning"
    )
    config.load()
    _become_unprivileged()
    os.umask(0o077)
    uvicorn.Server(config).run()


def _become_unprivileged() -> None:
    if "THOTH_VECTOR_UID" in os.environ:
        os.setgroups([])
        os.setgid(int(os.environ["THOTH_VECTOR_GID"]))
        os.setuid(int(os.environ["THOTH_VECTOR_UID"]))


if __name__ == "__main__":
    main()
