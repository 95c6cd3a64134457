"""Fetch the browser assets into static/vendor/, with Python's standard library alone.

Each package is a tarball of the npm registry that npm itself would use (`npm_config_registry`,
then ~/.npmrc, then the public one). Its sha512 must be the one in package-lock.json. Files are
unpacked beside and renamed: static/vendor/ is whole or as it was before. Tarballs are kept in
the user's cache directory.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from io import BytesIO
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENDOR = HERE / "vendor"
PUBLIC_REGISTRY = "https://registry.npmjs.org/"
ATTEMPTS, TIMEOUT_S = 4, 120


class AssetError(Exception):
    """A package could not be had, or is not the one that the lock names."""


def main() -> int:
    """Returns 0 when static/vendor/ holds exactly what package.json and the lock name."""
    try:
        print("assets up to date" if is_current() else f"assets fetched: {', '.join(fetch_all())}")
    except AssetError as error:
        print(f"make setup: {error}", file=sys.stderr)
        return 1
    return 0


def is_current() -> bool:
    """Was static/vendor/ made from the present package.json and lock?"""
    stamp = VENDOR / ".stamp"
    return stamp.is_file() and stamp.read_text() == _wanted()


def fetch_all() -> list[str]:
    """Fill static/vendor/ anew; returns the packages as name@version."""
    wanted = json.loads((HERE / "package.json").read_text())["vendor"]
    locked = json.loads((HERE / "package-lock.json").read_text())["packages"]
    fresh = Path(tempfile.mkdtemp(dir=HERE, prefix=".vendor-"))
    try:
        names = []
        for name, files in wanted.items():
            entry = locked[f"node_modules/{name}"]
            unpack(tarball(name, entry["version"], entry["integrity"]), files, fresh)
            names.append(f"{name}@{entry['version']}")
        (fresh / ".stamp").write_text(_wanted())
        fresh.chmod(0o755)
        shutil.rmtree(VENDOR, ignore_errors=True)
        fresh.rename(VENDOR)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return names


def tarball(name: str, version: str, integrity: str) -> bytes:
    """The package's bytes, from the cache or the registry, with the right sha512.

    Raises: AssetError.
    """
    cached = cache_folder() / (hashlib.sha256(integrity.encode()).hexdigest() + ".tgz")
    if cached.is_file() and _matches(cached.read_bytes(), integrity):
        return cached.read_bytes()
    data = _download(f"{registry()}{name}/-/{name.rsplit('/', 1)[-1]}-{version}.tgz")
    if not _matches(data, integrity):
        raise AssetError(f"{name}@{version} is not what package-lock.json says (sha512 differs)")
    cached.parent.mkdir(parents=True, exist_ok=True)
    partial = cached.with_name(f"{cached.name}.{os.getpid()}")
    partial.write_bytes(data)
    partial.replace(cached)
    return data


def unpack(data: bytes, files: dict[str, str], target: Path) -> None:
    """Write the wanted files of a tarball; `files` maps path in `target` to path in the package."""
    with tarfile.open(fileobj=BytesIO(data), mode="r:gz") as archive:
        for destination, source in files.items():
            try:
                member = archive.extractfile(f"package/{source}")
            except KeyError:
                member = None
            if member is None:
                raise AssetError(f"the package has no file {source}")
            path = target / destination
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(member.read())


def registry() -> str:
    """The npm registry in use, ending in a slash."""
    found = os.environ.get("npm_config_registry") or _npmrc_registry() or PUBLIC_REGISTRY
    return found.rstrip("/") + "/"


def cache_folder() -> Path:
    """Where tarballs are kept between clones."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "thoth" / "assets"


def _npmrc_registry() -> str | None:
    try:
        lines = (Path.home() / ".npmrc").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "registry":
            return value.strip()
    return None


def _download(url: str) -> bytes:
    problem = ""
    for attempt in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:  # noqa: S310
                data: bytes = answer.read()
                return data
        except (urllib.error.URLError, OSError) as error:
            problem = str(error)
            time.sleep(2**attempt)
    raise AssetError(f"cannot download {url.rsplit('/', 1)[-1]} from the npm registry: {problem}")


def _matches(data: bytes, integrity: str) -> bool:
    digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
    return integrity == f"sha512-{digest}"


def _wanted() -> str:
    texts = [(HERE / name).read_bytes() for name in ("package.json", "package-lock.json")]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
