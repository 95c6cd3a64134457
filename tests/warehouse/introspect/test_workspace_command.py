"""`tht workspace …` against a real warehouse: output, exit codes, nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line

from tests.warehouse.library import Library
from thoth.warehouse.catalog import catalog_get
from thoth.warehouse.catalog_models import WarehouseCatalog

pytestmark = pytest.mark.django_db
Tht = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.THOTH_HOME = tmp_path
    monkeypatch.setenv("THOTH_BIBLIO_DSN", "")
    monkeypatch.delenv("THOTH_BIBLIO_DSN")
    return tmp_path


@pytest.fixture
def tht(home: Path, capsys: pytest.CaptureFixture[str]) -> Tht:
    def run(*arguments: str) -> tuple[int, str, str]:
        code = 0
        try:
            call_command("workspace", *arguments)
        except CommandError as error:
            code = error.returncode
        out, err = capsys.readouterr()
        return code, out, err

    return run


def new(tht: Tht, dsn: str, *more: str) -> tuple[int, str, str]:
    return tht("new", "biblio", "--dsn", dsn, "--schema", "lib", "--language", "it", *more)


def test_a_small_role_connects_and_the_address_stays_outside_the_file(
    lib: Library, tht: Tht, home: Path
) -> None:
    code, out, _ = new(tht, lib.target.dsn)
    text = (home / "workspaces/biblio/workspace.yaml").read_text()
    assert "${THOTH_BIBLIO_DSN}" in text
    assert "password" not in text + out
    assert "THOTH_BIBLIO_DSN" in out
    assert code == 3  # lib."Loans" has no key: worth a look
    code, out, _ = tht("check", "biblio", "--json")
    answer = json.loads(out)
    assert (code, answer["tables"]) == (3, 9)
    assert [item["code"] for item in answer["findings"]] == ["tables_without_key"]


def test_a_superuser_is_warned_about(lib: Library, tht: Tht) -> None:
    code, out, _ = new(tht, lib.admin, "--json")
    codes = {item["code"] for item in json.loads(out)["findings"]}
    assert code == 3
    assert {"role_superuser", "role_may_write", "role_may_create", "role_server_files"} <= codes


def test_a_role_may_be_named_for_a_larger_login(lib: Library, tht: Tht, home: Path) -> None:
    code, out, _ = new(tht, lib.admin, "--role", lib.role, "--json")
    codes = {item["code"] for item in json.loads(out)["findings"]}
    assert code == 3
    assert "role_may_write" not in codes
    assert lib.role in (home / "workspaces/biblio/workspace.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (
            ["--dsn", "host=127.0.0.1 port=1 dbname=x", "--schema", "lib"],
            1,
            "warehouse_unreachable",
        ),
        (["--dsn", "nonsense", "--schema", "lib"], 2, "workspace_invalid"),
        (["--dsn", "LIB", "--schema", "nowhere"], 2, "schema_unknown"),
        (["--dsn", "LIB", "--dsn", "LIB", "--schema", "lib"], 2, "option_twice"),
        (["--dsn", "LIB", "--schema", "lib", "--language", "tlh"], 2, "workspace_invalid"),
    ],
)
def test_nothing_is_written_when_anything_fails(
    lib: Library, tht: Tht, home: Path, arguments: list[str], code: int, says: str
) -> None:
    given = [lib.target.dsn if part == "LIB" else part for part in arguments]
    exit_code, _, err = tht("new", "biblio", *given)
    assert exit_code == code
    assert says in err
    assert not list(home.rglob("*.yaml"))


def test_a_taken_name_or_variable_is_refused(
    lib: Library, tht: Tht, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOTH_BIBLIO_DSN", "host=elsewhere dbname=x")
    code, _, err = new(tht, lib.target.dsn)
    assert (code, "variable_taken" in err) == (1, True)
    monkeypatch.delenv("THOTH_BIBLIO_DSN")
    new(tht, lib.target.dsn)
    code, _, err = new(tht, lib.target.dsn)
    assert (code, "workspace_exists" in err) == (1, True)


def test_introspection_is_stored_once_per_content(lib: Library, tht: Tht) -> None:
    new(tht, lib.target.dsn)
    first = json.loads(tht("introspect", "biblio", "--json")[1])
    second = json.loads(tht("preprocess", "schema", "biblio", "--json")[1])
    assert first == second
    assert WarehouseCatalog.objects.count() == 1
    assert catalog_get("biblio").version == first["version"]


def test_a_column_hidden_later_counts_at_once(lib: Library, tht: Tht, home: Path) -> None:
    new(tht, lib.target.dsn)
    assert not catalog_get("biblio").by_name["lib.readers"].by_name["email"].hidden
    file = home / "workspaces/biblio/workspace.yaml"
    file.write_text(file.read_text() + "columns: {hidden: [lib.readers.email]}\n")
    assert catalog_get("biblio").by_name["lib.readers"].by_name["email"].hidden


def test_the_current_catalog_costs_one_query(
    lib: Library, tht: Tht, django_assert_num_queries: Any
) -> None:
    new(tht, lib.target.dsn)
    for _ in range(2):  # introspected, then parsed
        catalog_get("biblio")
    with django_assert_num_queries(1):
        catalog_get("biblio")


def test_values_are_indexed(lib: Library, tht: Tht) -> None:
    new(tht, lib.target.dsn)
    code, out, _ = tht("preprocess", "values", "biblio", "--json")
    answer = json.loads(out)
    assert (code, answer["failed"]) == (0, {})
    assert answer["added"] > 10


def test_what_is_not_built_or_not_there_is_said(tht: Tht) -> None:
    code, _, err = tht("preprocess", "evidence", "biblio")
    assert (code, "evidence_not_built" in err) == (2, True)
    code, out, _ = tht("check", "nobody", "--json")
    assert (code, json.loads(out)["code"]) == (1, "workspace_unknown")


def test_misuse_ends_with_2_for_a_shell(home: Path) -> None:
    for arguments in (["check"], ["check", "biblio", "--bogus"], ["preprocess", "all", "biblio"]):
        with pytest.raises(SystemExit) as ended:
            execute_from_command_line(["tht", "workspace", *arguments])
        assert ended.value.code == 2
