"""The collections of one data directory: a folder each, made and dropped whole."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import threading
from pathlib import Path

import qdrant_edge as edge

from thoth.embedded.vector_service.engine import Collection
from thoth.embedded.vector_service.errors import Refused, missing_collection

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
FLUSH_EVERY_S = 5.0


class Collections:
    """All collections, open."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lock = threading.RLock()
        self.known: dict[str, Collection] = {}
        self.closing = threading.Event()
        self.flusher = threading.Thread(target=self._flush_regularly, daemon=True)

    def open(self) -> None:
        """Load what is there, vacuumed: only now, because it would freeze the service later."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in sorted(self.root.iterdir()):
            if folder.name.startswith("."):
                shutil.rmtree(folder)  # half made or half dropped when the process was killed
            elif folder.is_dir():
                self._load(folder.name, vacuum=True)
        self.flusher.start()

    def close(self) -> None:
        """Everything is on disk and let go of."""
        self.closing.set()
        for collection in self.known.values():
            collection.close()
        self.flusher.join()

    def names(self) -> list[str]:
        """Sorted."""
        return sorted(self.known)

    def get(self, name: str) -> Collection:
        """Raises: Refused 404."""
        found = self.known.get(name)
        if found is None:
            raise missing_collection(name)
        return found

    def create(self, name: str, config: edge.EdgeConfig) -> None:
        """Complete on disk under a temporary name before anybody sees it. Raises: Refused."""
        if not NAME.fullmatch(name):
            raise Refused(422, f"Validation error in path parameters: [{name[:128]!r}]")
        with self.lock:
            if name in self.known:
                raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
            temporary = self._temporary()
            shard = edge.EdgeShard.create(str(temporary), config)
            shard.flush()
            shard.close()
            temporary.rename(self.root / name)
            self._sync()
            self._load(name, vacuum=False)

    def delete(self, name: str) -> bool:
        """Was there one?"""
        with self.lock:
            collection = self.known.pop(name, None)
            if collection is None:
                return False
            collection.close()
            temporary = self._temporary()
            collection.folder.rename(temporary)
            self._sync()
        shutil.rmtree(temporary, ignore_errors=True)
        return True

    def _load(self, name: str, *, vacuum: bool) -> None:
        collection = Collection(name, self.root / name)
        collection.load(vacuum=vacuum)
        self.known[name] = collection

    def _temporary(self) -> Path:
        return self.root / f".{secrets.token_hex(8)}"

    def _sync(self) -> None:
        descriptor = os.open(self.root, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _flush_regularly(self) -> None:
        while not self.closing.wait(FLUSH_EVERY_S):
            for collection in list(self.known.values()):
                try:
                    collection.flush()
                except Refused:
                    continue  # stopped or dropped meanwhile, and logged where it happened
