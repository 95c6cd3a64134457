"""YAML that holds text and nothing else: no aliases, tags, guessed types or repeated keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from evidence_app.units.findings import Finding, UnitInvalid, error

DEPTH_MAX = 10
_STR, _NULL, _INT, _MAP, _SEQ = (
    f"tag:yaml.org,2002:{name}" for name in ("str", "null", "int", "map", "seq")
)
# What YAML 1.1 takes a plain word for.
_GUESSED = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("bool", "int", "float", "timestamp", "merge", "value")
)
# The parser's words for what has a code of its own.
_PROBLEMS = {"alias": "yaml_alias", "Unicode character escape": "text_surrogate"}
_TAB_INDENT = re.compile(r"^ *\t", re.MULTILINE)
_Report = Callable[[str, yaml.Node, str, str], None]


class _Dumper(yaml.SafeDumper):
    """Lists are indented below their key."""

    def increase_indent(
        self,
        flow: bool = False,  # noqa: FBT001, FBT002 - PyYAML's signature
        indentless: bool = False,  # noqa: ARG002, FBT001, FBT002
    ) -> None:
        return super().increase_indent(flow, False)  # noqa: FBT003

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - aliases are refused on the way in
        return True


def yaml_dump(value: object, *, sort_keys: bool = False) -> str:
    """The one YAML form of `value`."""
    text = yaml.dump(value, Dumper=_Dumper, sort_keys=sort_keys, allow_unicode=True, width=100)
    return str(text)


def yaml_load(text: str, path: str, *, numbers: bool = False) -> dict[str, Any]:
    """The mapping that `text` holds: str, None, list and dict (with `numbers`, int).

    Raises: UnitInvalid with every problem found, each with its line.
    """
    if _TAB_INDENT.search(text):
        line = text[: _TAB_INDENT.search(text).start()].count("\n") + 2  # type: ignore[union-attr]
        message = f"Line {line} is indented with a tab; YAML wants blanks."
        raise UnitInvalid([error("yaml_tab", path, message)])
    node = _compose(text, path)
    findings: list[Finding] = []

    def report(code: str, where: yaml.Node, message: str, field: str) -> None:
        findings.append(error(code, path, f"Line {where.start_mark.line + 2}: {message}", field))

    value = _Reader(report, numbers=numbers).read(node, "", 0)
    if not findings and not isinstance(value, dict):
        findings.append(error("yaml_not_a_mapping", path, "The document must be a mapping."))
    if findings:
        raise UnitInvalid(findings)
    assert isinstance(value, dict)
    return value


def _compose(text: str, path: str) -> yaml.Node:
    try:
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        where = f"Line {mark.line + 2}: " if mark else ""
        message = f"{where}{problem.problem or 'not valid YAML'}."
        said = str(problem.problem)
        code = next((code for word, code in _PROBLEMS.items() if word in said), "yaml_invalid")
        raise UnitInvalid([error(code, path, message)]) from None
    except (yaml.YAMLError, RecursionError, ValueError, MemoryError):
        raise UnitInvalid([error("yaml_invalid", path, "This is not valid YAML.")]) from None
    if node is None:
        raise UnitInvalid([error("yaml_not_a_mapping", path, "The document is empty.")])
    return node


class _Reader:
    """Nodes to plain values; every problem is reported and reading goes on."""

    def __init__(self, report: _Report, *, numbers: bool) -> None:
        self._report = report
        self._numbers = numbers
        self._seen: set[int] = set()

    def read(self, node: yaml.Node, field: str, depth: int) -> Any:
        # A node met twice was written once and repeated by an alias.
        if id(node) in self._seen:
            return self._report("yaml_alias", node, "anchors and aliases aren't allowed.", field)
        self._seen.add(id(node))
        if depth > DEPTH_MAX:
            return self._report("yaml_too_deep", node, f"more than {DEPTH_MAX} levels.", field)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, field)
        return self._collection(node, field, depth)

    def _collection(self, node: yaml.Node, field: str, depth: int) -> Any:
        if node.tag not in (_MAP, _SEQ):
            return self._report("yaml_tag", node, "tags aren't allowed.", field)
        if isinstance(node, yaml.SequenceNode):
            return [
                self.read(item, f"{field}.{index}", depth + 1)
                for index, item in enumerate(node.value)
            ]
        return self._mapping(node, field, depth)

    def _mapping(self, node: yaml.Node, field: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if id(key_node) in self._seen:
                self._report("yaml_alias", key_node, "anchors and aliases aren't allowed.", field)
                continue
            self._seen.add(id(key_node))
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != _STR:
                self._report("yaml_key_not_text", key_node, "a key must be a word.", field)
                continue
            name = f"{field}.{key}".lstrip(".")
            if key in found:
                self._report("yaml_key_twice", key_node, f"{key[:60]} is written twice.", name)
            found[key] = self.read(value_node, name, depth + 1)
        return found

    def _scalar(self, node: yaml.ScalarNode, field: str) -> Any:
        if node.tag == _STR:
            return node.value
        if node.tag == _NULL:
            return None
        if node.tag == _INT and self._numbers and re.fullmatch(r"[0-9]{1,6}", node.value):
            return int(node.value)
        if node.tag not in _GUESSED or node.style:
            return self._report("yaml_tag", node, "tags aren't allowed.", field)
        message = f"{node.value[:60]!r} isn't read as text by YAML; put it in quotes."
        return self._report("yaml_not_text", node, message, field)
