"""Templates compile, migrations are complete, and what is documented is what exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.template.loader import get_template

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(
    str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").rglob("*.html")
)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_compiles(name: str) -> None:
    get_template(name)


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_every_setting_from_the_environment_is_documented() -> None:
    read = set()
    for file in (ROOT / "thoth/settings").glob("*.py"):
        read |= set(re.findall(r'env_\w+\(\s*"(THOTH_\w+)"', file.read_text()))
    documented = set(re.findall(r"^\| `(THOTH_\w+)`", _operators(), re.MULTILINE))
    assert len(read) > 20
    assert documented == read


def test_no_page_loads_anything_from_elsewhere() -> None:
    for name in TEMPLATES:
        text = (ROOT / "templates" / name).read_text()
        assert not re.search(r"""(src|href)=["'](https?:)?//""", text), name
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text), name
        assert not re.search(r"""\son[a-z]+=["']""", text), name


def test_compose_publishes_on_this_machine_only() -> None:
    services = _compose()["services"]
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:8000:8000"]
    assert not any("network_mode" in service for service in services.values())


def test_compose_passes_only_settings_that_exist() -> None:
    known = set(re.findall(r"^\| `(THOTH_\w+)`", _operators(), re.MULTILINE))
    for name in ("migrate", "web", "worker", "beat"):
        environment = _compose()["services"][name]["environment"]
        assert set(environment) <= known, name
        assert environment["THOTH_LEDGER_KEY"].startswith("${THOTH_LEDGER_KEY:?"), name


def test_compose_holds_no_secret() -> None:
    for service in _compose()["services"].values():
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET|_KEY|URL", key):
                assert "${" in value, key


def test_only_the_migration_is_the_tables_owner() -> None:
    services = _compose()["services"]
    assert services["migrate"]["environment"]["THOTH_DB_USER"] == "thoth_owner"
    assert {services[n]["environment"]["THOTH_DB_USER"] for n in ("web", "worker", "beat")} == {
        "thoth"
    }


def test_the_image_does_not_run_as_root() -> None:
    users = re.findall(r"^USER (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert users[-1] == "thoth"


def test_browser_assets_are_pinned_exactly_and_by_content() -> None:
    package = json.loads((ROOT / "static/package.json").read_text())
    lock = json.loads((ROOT / "static/package-lock.json").read_text())["packages"]
    assert set(package["vendor"]) == set(package["dependencies"])
    for name, version in package["dependencies"].items():
        entry = lock[f"node_modules/{name}"]
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert entry["version"] == version
        assert entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry


def test_htmx_and_its_event_stream_come_with_a_package() -> None:
    from django.contrib.staticfiles import finders

    for name in ("htmx-2.min.js", "ext/hx-sse-2.min.js"):
        assert finders.find(f"django_htmx/{name}"), name


def _operators() -> str:
    return (ROOT / "docs/operators.md").read_text()


def _compose() -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    document: dict[str, dict[str, dict[str, dict[str, str]]]] = yaml.safe_load(
        (ROOT / "compose.yaml").read_text()
    )
    return document
