"""A wrong workspace.yaml is refused with its file, its key and no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.workspaces.builders import make_document
from thoth.workspaces.errors import WorkspaceInvalid
from thoth.workspaces.models import Workspace
from thoth.workspaces.reading import workspace_parse

FILE = Path("home/workspaces/ward/workspace.yaml")
ROOT = Path(__file__).parents[2]


def parse(**changes: object) -> Workspace:
    return workspace_parse(yaml.safe_dump(make_document(**changes)), file=FILE)


BROKEN = [
    ("unknown top key", {"colour": "red"}, "colour: unknown key"),
    ("unknown nested key", {"database__port": 5432}, "database.port: unknown key"),
    ("missing key", {"database__schemas": None}, "database.schemas: Field required"),
    ("other file format", {"schema_version": 2}, "schema_version: "),
    ("unbuilt database", {"database__type": "mariadb"}, "database.type: mariadb databases"),
    ("unbuilt transport", {"database__transport": "ssh"}, "database.transport: transport ssh"),
    ("unset variable", {"database__dsn": "${NOT_SET_42}"}, "database.dsn: the environment variable NOT_SET_42"),
    ("odd variable", {"name": "${a b}"}, "name: ${a b} is not the name"),
    ("dsn is nonsense", {"database__dsn": "hunter2 at home"}, "database.dsn: is not a PostgreSQL"),
    ("dsn without database", {"database__dsn": "host=x"}, "database.dsn: names no database"),
    ("no schema", {"database__schemas": []}, "database.schemas: "),
    ("schema twice", {"database__schemas": ["a", "a"]}, "database.schemas: a is listed twice"),
    ("text for a number", {"execution__max_rows": "10"}, "execution.max_rows: "),
    ("zero rows", {"execution__max_rows": 0}, "execution.max_rows: "),
    ("unknown operation", {"execution__allow": ["drop"]}, "execution.allow.0: "),
    ("short column", {"columns__hidden": ["table.col"]}, "columns.hidden: table.col must be"),
    ("column elsewhere", {"columns__hidden": ["x.t.c"]}, "columns: x.t.c is in none of"),
    ("path as name", {"name": "../ward"}, "name: use a-z"),
    ("unknown language", {"language": "de"}, "language: "),
    ("undeclared outside model", {"model__provider": "anthropic"}, "model: provider anthropic is not"),
    ("evidence of another layout", {"evidence": {"layout_version": 1, "repository": "r"}}, "evidence.layout_version"),
    ("evidence pattern on sources", {"evidence": {"layout_version": 2, "repository": "r", "patterns": ["source/*"]}}, "evidence.patterns: source/*"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"), [c[1:] for c in BROKEN], ids=[c[0] for c in BROKEN]
)
def test_a_broken_file_is_refused_naming_file_and_key(
    changes: dict[str, object], expected: str
) -> None:
    with pytest.raises(WorkspaceInvalid) as caught:
        parse(**changes)
    assert caught.value.code == "workspace_invalid"
    assert caught.value.message.startswith(f"{FILE}: {expected}")
    assert "hunter2" not in caught.value.message + str(caught.value.extra)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\na: 2\n", "line 2: the key a is written twice"),
        ("database:\n  dsn: x\n  dsn: y\n", "line 3: the key dsn is written twice"),
        ("a: [1\n", "line 2: "),
        ("- a\n", "the file must be a mapping"),
        ("", "the file must be a mapping"),
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("a: !!python/object/apply:os.getcwd []\n", "line 1: could not determine a constructor"),
        ("? [a, b]\n: 1\n", "not valid YAML"),
        ("a: " + "x" * 70_000, "larger than"),
        ("a: \x07", "not valid YAML"),
        ("a: " + "[\n" * 20_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_not_plain_yaml_is_refused(text: str, expected: str) -> None:
    with pytest.raises(
        WorkspaceInvalid, match=r"^home/workspaces/ward/workspace\.yaml: "
    ) as caught:
        workspace_parse(text, file=FILE)
    assert expected in caught.value.message


def test_variables_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARD_PASSWORD", "s3cret")
    workspace = parse(database__dsn="postgresql://u:${WARD_PASSWORD}@h/d")
    assert workspace.database.dsn.get_secret_value() == "postgresql://u:s3cret@h/d"
    assert "s3cret" not in repr(workspace) + str(workspace.model_dump())


def test_a_variable_is_expanded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTER", "${INNER}")
    assert parse(execution__role="${OUTER}").execution.role == "${INNER}"


def test_defaults_are_those_of_the_documentation() -> None:
    workspace = parse()
    assert workspace.execution.allow == ("cte_test", "explain", "preview", "aggregate", "export")
    assert (workspace.database.transport, workspace.evidence, workspace.vector) == (
        "direct",
        None,
        None,
    )
    assert workspace.model.provider == "analyst"
    assert not workspace.model.withholds_values


@pytest.mark.parametrize(
    ("model", "withholds"),
    [
        ({"provider": "ollama", "base_url": "http://127.0.0.1:11434"}, False),
        ({"provider": "vllm", "base_url": "http://[::1]:8000/v1"}, False),
        (
            {"provider": "vllm", "base_url": "http://127.0.0.1.evil.example/", "external": True},
            True,
        ),
        ({"provider": "anthropic", "external": True}, True),
        ({"provider": "anthropic", "external": True, "allow_values": True}, False),
    ],
)
def test_values_are_withheld_from_models_elsewhere(
    model: dict[str, object], withholds: bool
) -> None:
    assert parse(model=model).model.withholds_values is withholds


def test_the_example_workspace_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOTH_CARDIOLOGIA_DSN", "postgresql://r:p@127.0.0.1/cardiologia")
    file = ROOT / "workspaces/cardiologia/workspace.yaml"
    assert workspace_parse(file.read_text(), file=file).name == "cardiologia"
