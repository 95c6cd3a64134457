"""Recorded requests and answers of the contract against Qdrant's OpenAPI description.

`python -m tests.vector.contract.openapi RECORDED.json OPENAPI.json`: exit 1 lists what does not fit.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator


def main(recorded: Path, description: Path) -> int:
    """0: everything fits, or there is no description to compare with."""
    if not description.exists():
        print(f"{description} is not there: nothing was compared with it.")
        return 0
    document = json.loads(description.read_text(encoding="utf-8"))
    exchanges = json.loads(recorded.read_text(encoding="utf-8"))
    problems = {text for exchange in exchanges for text in _problems(document, exchange)}
    for text in sorted(problems):
        print(text)
    print(f"{len(exchanges)} exchanges, {len(problems)} kinds of problems")
    return 1 if problems or not exchanges else 0


def _problems(document: dict[str, Any], exchange: dict[str, Any]) -> list[str]:
    operation = _operation(document, exchange)
    name = f"{exchange['method']} {exchange['path']}"
    if operation is None:
        return [f"{name}: not described"]
    found = []
    body = operation.get("requestBody")
    if body and exchange["status"] < 300:
        found += _against(document, body["content"], exchange["request"], f"{name} request")
    answer = operation["responses"].get(str(exchange["status"]))
    if answer and "content" in answer:
        found += _against(
            document, answer["content"], json.loads(exchange["answer"]), f"{name} answer"
        )
    return found


def _operation(document: dict[str, Any], exchange: dict[str, Any]) -> dict[str, Any] | None:
    paths = sorted(document["paths"], key=lambda path: path.count("{"))
    for path in paths:
        pattern = re.sub(r"\{[^}]+\}", "[^/]+", path)
        if (
            re.fullmatch(pattern, exchange["path"])
            and exchange["method"].lower() in (document["paths"][path])
        ):
            found: dict[str, Any] = document["paths"][path][exchange["method"].lower()]
            return found
    return None


def _against(document: dict[str, Any], content: Any, value: Any, where: str) -> list[str]:
    schema = {**content["application/json"]["schema"], "components": document["components"]}
    errors = Draft7Validator(_nullable(schema)).iter_errors(value)
    return [f"{where}: {error.message[:200]} at {list(error.path)}" for error in errors]


def _nullable(schema: Any) -> Any:
    # OpenAPI 3.0 says `nullable` where JSON Schema has a type.
    if isinstance(schema, list):
        return [_nullable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _nullable(item) for key, item in schema.items() if key != "nullable"}
    return {"anyOf": [inner, {"type": "null"}]} if schema.get("nullable") is True else inner


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
