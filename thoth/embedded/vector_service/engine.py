"""One collection: an engine's shard behind a lock, stopped for good when the engine panics."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as edge

from thoth.embedded.vector_service.errors import Refused, engine_error, missing_collection
from thoth.embedded.vector_service.vectors import Shape

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")


def _applying(operation: edge.UpdateOperation) -> Callable[[edge.EdgeShard], None]:
    return lambda shard: shard.update(operation)


def panicked(error: BaseException) -> bool:
    """Rust's panics reach Python as a BaseException of a type that cannot be imported."""
    return type(error).__name__ == "PanicException"


class Collection:
    """Everything that is done to one shard; calls from many threads run one after the other."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.lock = threading.RLock()
        self.shard: edge.EdgeShard | None = None
        self.closed = self.dirty = False
        self.config: dict[str, Any] = {}
        self.shape = Shape({}, frozenset())

    def load(self, *, vacuum: bool) -> None:
        """Open it. What cannot be opened stays stopped: the others are served."""
        try:
            self.shard = edge.EdgeShard.load(str(self.folder))
            if vacuum:
                self.shard.optimize()
            self._read_config()
        except BaseException as error:
            if not isinstance(error, Exception) and not panicked(error):
                raise
            self._stop(error)

    def read(self, work: Callable[[edge.EdgeShard], Result]) -> Result:
        """Run `work` on the shard. Raises: Refused."""
        with self.lock:
            return self._guarded(work)

    def write(self, operations: list[edge.UpdateOperation], *, wait: bool) -> None:
        """Apply in order; on disk before this returns when `wait`. Raises: Refused."""
        with self.lock:
            self.dirty = True
            for operation in operations:
                self._guarded(_applying(operation))
            if wait:
                self.flush()

    def reshape(self, operation: edge.UpdateOperation) -> None:
        """Add or remove a vector name. Raises: Refused."""
        with self.lock:
            self.write([operation], wait=True)
            self._read_config()

    def flush(self) -> None:
        """What was written is on disk."""
        with self.lock:
            if self.dirty and self.shard is not None:
                self._guarded(lambda shard: shard.flush())
                self.dirty = False

    def close(self) -> None:
        """Flush and let go of the folder; later calls find no collection."""
        with self.lock:
            self.closed = True
            if self.shard is not None:
                self.shard.flush()
                self.shard.close()
                self.shard = None

    def _guarded(self, work: Callable[[edge.EdgeShard], Result]) -> Result:
        if self.closed:
            raise missing_collection(self.name)
        if self.shard is None:
            raise self._stopped()
        try:
            return work(self.shard)
        except Exception as error:  # noqa: BLE001 - the engine raises nothing more specific
            raise engine_error(error) from None
        except BaseException as error:
            if not panicked(error):
                raise
            self._stop(error)
            raise self._stopped() from None

    def _stop(self, error: BaseException) -> None:
        LOG.error("collection %s is stopped: %s", self.name, error)
        self.shard = None

    def _stopped(self) -> Refused:
        message = f"Service internal error: collection {self.name} is stopped; see the log"
        return Refused(500, message)

    def _read_config(self) -> None:
        config = json.loads((self.folder / "edge_config.json").read_text(encoding="utf-8"))
        dense = {name: item["size"] for name, item in config["vectors"].items()}
        self.config = config
        self.shape = Shape(dense, frozenset(config.get("sparse_vectors") or {}))
