"""Browser assets: what the lock names is unpacked whole, anything else changes nothing."""

from __future__ import annotations

import base64
import hashlib
import http.server
import importlib.util
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).parents[2] / "static/fetch_assets.py"


def package(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


PACKAGE = package({"dist/a.js": "alert", "LICENSE": "MIT"})


class Registry(http.server.BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PACKAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[str]:
    Registry.asked = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/npm"
        server.shutdown()


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: str) -> ModuleType:
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "fetch_assets.py").write_text(SOURCE.read_text())
    spec = importlib.util.spec_from_file_location("fetch_assets", folder / "fetch_assets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_registry", registry)
    lock(folder, PACKAGE)
    return module


def lock(folder: Path, data: bytes, wanted: str = "dist/a.js") -> None:
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    entry = {"version": "1.2.3", "integrity": integrity}
    vendor = {"@scope/lib": {"lib/a.js": wanted, "lib/LICENSE": "LICENSE"}}
    (folder / "package.json").write_text(json.dumps({"vendor": vendor}))
    document = {"packages": {"node_modules/@scope/lib": entry}}
    (folder / "package-lock.json").write_text(json.dumps(document))


def test_it_unpacks_what_is_wanted_from_the_configured_registry(assets: ModuleType) -> None:
    assert assets.main() == 0
    assert (assets.VENDOR / "lib/a.js").read_text() == "alert"
    assert Registry.asked == ["/npm/@scope/lib/-/lib-1.2.3.tgz"]
    assert assets.is_current()


def test_another_clone_is_served_from_the_cache(assets: ModuleType) -> None:
    assets.main()
    (assets.VENDOR / ".stamp").unlink()
    assert assets.main() == 0
    assert len(Registry.asked) == 1


@pytest.mark.parametrize(
    ("data", "wanted", "complaint"),
    [
        (b"something else", "dist/a.js", "sha512 differs"),
        (PACKAGE, "dist/missing.js", "no file dist/missing.js"),
    ],
)
def test_what_is_not_as_locked_changes_nothing(
    assets: ModuleType,
    capsys: pytest.CaptureFixture[str],
    data: bytes,
    wanted: str,
    complaint: str,
) -> None:
    assets.main()
    lock(assets.HERE, data, wanted)
    assert assets.main() == 1
    assert complaint in capsys.readouterr().err
    assert (assets.VENDOR / "lib/a.js").read_text() == "alert"
    assert not assets.is_current()
    assert [p.name for p in assets.HERE.glob(".vendor-*")] == []


def test_a_damaged_cache_is_not_trusted(assets: ModuleType) -> None:
    assets.main()
    for file in assets.cache_folder().iterdir():
        file.write_bytes(b"damaged")
    (assets.VENDOR / ".stamp").unlink()
    assert assets.main() == 0
    assert len(Registry.asked) == 2


def test_npmrc_names_the_registry(
    assets: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("npm_config_registry")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert assets.registry() == assets.PUBLIC_REGISTRY
    (tmp_path / ".npmrc").write_text("fund=false\nregistry = https://npm.example/x\n")
    assert assets.registry() == "https://npm.example/x/"
