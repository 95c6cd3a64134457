"""A relay between the driver and the server that counts bytes and hangs up at a limit.

The driver reads a whole row before anybody can look at it: one `repeat('x', 10^9)` would take the
process down although only one row was asked for. PostgreSQL has no limit for the size of a row and
libpq none for what it buffers, so the bytes are counted on the wire. TLS passes through untouched.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_CHUNK_BYTES = 64 * 1024
_CONNECT_TIMEOUT_S = 5.0


class ByteGate:
    """`with ByteGate(conninfo) as gate: connect(gate.conninfo)`; armed, it hangs up at the limit."""

    def __init__(self, conninfo: str) -> None:
        self._parameters = conninfo_to_dict(conninfo)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self._left: int | None = None
        self.tripped = False

    @property
    def conninfo(self) -> str:
        """The same warehouse by way of the gate. `host` stays: certificates are checked against it."""
        port = self._listener.getsockname()[1]
        return make_conninfo("", **{**self._parameters, "hostaddr": "127.0.0.1", "port": str(port)})

    def arm(self, limit_bytes: int) -> None:
        """From now on at most `limit_bytes` come through."""
        self._left = limit_bytes

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True, name="warehouse-gate").start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._hang_up()

    def _accept(self) -> None:
        """Every connection of the driver: the session's, and one more for a cancellation."""
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return  # closed by __exit__
            try:
                far = self._dial()
            except OSError:
                near.close()
                continue
            self._sockets += [near, far]
            threading.Thread(target=self._pump, args=(near, far), daemon=True).start()
            threading.Thread(target=self._pump_counted, args=(far, near), daemon=True).start()

    def _dial(self) -> socket.socket:
        """The first of the hosts that answers."""
        hosts = str(self._parameters.get("hostaddr") or self._parameters.get("host") or "localhost")
        ports = str(self._parameters.get("port") or "5432").split(",")
        failure: OSError = OSError("no host")
        for index, host in enumerate(hosts.split(",")):
            try:
                return _dial(host, ports[min(index, len(ports) - 1)])
            except OSError as error:
                failure = error
        raise failure

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK_BYTES):
                sink.sendall(data)
        _shut(source, sink)

    def _pump_counted(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK_BYTES):
                if self._left is not None:
                    self._left -= len(data)
                    if self._left < 0:
                        self.tripped = True
                        break
                sink.sendall(data)
        _shut(source, sink)

    def _hang_up(self) -> None:
        for item in self._sockets:
            _shut(item)
            item.close()


def _dial(host: str, port: str) -> socket.socket:
    if host.startswith("/"):
        far = socket.socket(socket.AF_UNIX)
        far.settimeout(_CONNECT_TIMEOUT_S)
        far.connect(f"{host}/.s.PGSQL.{port}")
    else:
        far = socket.create_connection((host, int(port)), timeout=_CONNECT_TIMEOUT_S)
        far.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    far.settimeout(None)
    return far


def _shut(*sockets: socket.socket) -> None:
    for item in sockets:
        with contextlib.suppress(OSError):
            item.shutdown(socket.SHUT_RDWR)
