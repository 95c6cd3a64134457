"""From the text of a workspace.yaml to a Workspace, or to an error that says where it is wrong."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections.abc import Callable, Hashable
from pathlib import Path

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from thoth.workspaces.errors import WorkspaceInvalid
from thoth.workspaces.models import Workspace

FILE_MAX_BYTES = 64 * 1024
NESTING_MAX = 20
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class _Loader(yaml.CSafeLoader):
    """YAML's safe types only; a key written twice is an error, not the last one wins."""

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002 - PyYAML's signature
    ) -> dict[Hashable, object]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                message = f"the key {key} is written twice"
                raise yaml.constructor.ConstructorError(None, None, message, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def workspace_parse(text: str, *, file: Path) -> Workspace:
    """The workspace that `text` describes, with `${VAR}` taken from the environment.

    `file` is only named in errors. Raises: WorkspaceInvalid.
    """
    document = _expand(_load(text, file), file)
    try:
        # Through JSON: strict there still takes an array for a tuple.
        return Workspace.model_validate_json(json.dumps(document))
    except ValidationError as error:
        raise _invalid(file, [_problem(item) for item in error.errors()]) from None


def _load(text: str, file: Path) -> object:
    if len(text.encode()) > FILE_MAX_BYTES:
        raise _invalid(file, [("", f"the file is larger than {FILE_MAX_BYTES} bytes")])
    try:
        _refuse_tricks(text, file)
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise _invalid(file, [("", f"{where}{error.problem}")]) from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        raise _invalid(file, [("", "the file is not valid YAML")]) from None
    if not isinstance(document, dict):
        raise _invalid(file, [("", "the file must be a mapping of keys")])
    return document


def _refuse_tricks(text: str, file: Path) -> None:
    """Refuse what makes a small file huge (aliases) or exhausts the stack (nesting)."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _invalid(file, [("", f"aliases (*{event.anchor}) are not allowed")])
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > NESTING_MAX:
            raise _invalid(file, [("", f"nested too deeply (more than {NESTING_MAX} levels)")])


def _expand(document: object, file: Path) -> object:
    problems: list[tuple[str, str]] = []
    expanded = _walk(document, "", lambda key, text: _substitute(key, text, problems))
    if problems:
        raise _invalid(file, problems)
    return expanded


def _walk(node: object, key: str, leaf: Callable[[str, str], str]) -> object:
    if isinstance(node, dict):
        return {
            str(name): _walk(value, f"{key}.{name}".lstrip("."), leaf)
            for name, value in node.items()
        }
    if isinstance(node, list):
        return [_walk(value, f"{key}.{index}", leaf) for index, value in enumerate(node)]
    if isinstance(node, str):
        return leaf(key, node)
    if isinstance(node, (dt.date, bytes, set)):
        return str(node)
    return node


def _substitute(key: str, text: str, problems: list[tuple[str, str]]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if not _VARIABLE_NAME.match(name):
            problems.append((key, f"${{{name}}} is not the name of an environment variable"))
            return ""
        value = os.environ.get(name, "")
        if not value:
            problems.append((key, f"the environment variable {name} is not set"))
        return value

    return _VARIABLE.sub(value_of, text)


def _problem(item: ErrorDetails) -> tuple[str, str]:
    key = ".".join(str(part) for part in item["loc"])
    message = item["msg"].removeprefix("Value error, ")
    return key, "unknown key" if item["type"] == "extra_forbidden" else message


def _invalid(file: Path, problems: list[tuple[str, str]]) -> WorkspaceInvalid:
    lines = [f"{key}: {message}" if key else message for key, message in problems]
    return WorkspaceInvalid(
        "workspace_invalid",
        f"{file}: " + "; ".join(lines) + ".",
        file=str(file),
        problems=[{"key": key, "message": message} for key, message in problems],
    )
