"""Serves the pages on a listening socket that the supervisor holds: `python -m … FD`.

The supervisor keeps the socket while this process is started anew, so the address cannot be lost
to another program and browsers wait for a moment instead of being refused.
"""

from __future__ import annotations

import socket
import sys

import uvicorn

GRACE_S = 3  # for open requests when told to stop; event streams would keep it for ever


def main() -> None:
    """Serve until told to stop."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        "thoth.asgi:application",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
