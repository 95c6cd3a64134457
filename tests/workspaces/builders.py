"""A valid workspace.yaml to break in one place."""

from __future__ import annotations

import copy

MINIMAL: dict[str, object] = {
    "schema_version": 1,
    "name": "ward",
    "language": "en",
    "database": {
        "type": "postgresql",
        "dsn": "postgresql://reader:hunter2@db.example/ward",
        "schemas": ["public"],
    },
}


def make_document(**changes: object) -> dict[str, object]:
    """The minimal document; `database__dsn=…` sets a nested key, None removes one."""
    document = copy.deepcopy(MINIMAL)
    for path, value in changes.items():
        node: dict[str, object] = document
        *parents, last = path.split("__")
        for parent in parents:
            child = node.setdefault(parent, {})
            assert isinstance(child, dict)
            node = child
        if value is None:
            node.pop(last, None)
        else:
            node[last] = value
    return document
