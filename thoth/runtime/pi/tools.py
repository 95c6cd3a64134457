"""The toolbox as tools of Pi: their schemas, and the answers as bounded text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from thoth.contracts.tools import SchemaSlice, ValueSearch
from thoth.lib.errors import ThothError, Upstream
from thoth.lib.limits import FREE_TEXT_MAX_CHARS, SQL_MAX_BYTES, TOOL_TABLES_MAX
from thoth.runtime.pi.types import Args, ToolRefused, ToolSpec
from thoth.runtime.port import Toolbox

WITHHELD = "(values are withheld from this model)"


def _text(name: str, what: str, max_length: int = FREE_TEXT_MAX_CHARS) -> Mapping[str, object]:
    field = {"type": "string", "description": what, "minLength": 1, "maxLength": max_length}
    return {"type": "object", "properties": {name: field}, "required": [name]}


_TABLES: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "tables": {
            "type": "array",
            "description": "Full names, schema.table",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": TOOL_TABLES_MAX,
        }
    },
    "required": ["tables"],
}
_SPECS = {
    spec.name: spec
    for spec in (
        ToolSpec(
            "search_values",
            "Find in which columns words of a text are stored as values, best match first.",
            _text("text", "The words to look for"),
        ),
        ToolSpec(
            "search_evidence",
            "Search the curated domain knowledge that this stage may use.",
            _text("query", "What to look for"),
        ),
        ToolSpec(
            "search_memory",
            "Search what was clarified in earlier sessions.",
            _text("query", "What to look for"),
        ),
        ToolSpec(
            "search_schema",
            "Find tables and columns whose names or comments fit a text.",
            _text("text", "What to look for"),
        ),
        ToolSpec("render_schema", "Describe tables: columns, types, comments, keys.", _TABLES),
        ToolSpec("join_paths", "How tables connect by foreign keys, best first.", _TABLES),
        ToolSpec(
            "explain_sql",
            "Check a SELECT against the rules and estimate its cost. It is not run.",
            _text("sql", "One SELECT", SQL_MAX_BYTES),
        ),
    )
}


def tool_specs(names: Iterable[str]) -> tuple[ToolSpec, ...]:
    """The tools of a stage, in a fixed order."""
    wanted = set(names)
    return tuple(spec for name, spec in _SPECS.items() if name in wanted)


def propose_spec(schema: Mapping[str, object]) -> ToolSpec:
    """The tool that ends the step."""
    description = "Answer the step. Call it exactly once, when you know enough."
    return ToolSpec("propose", description, schema, terminal=True)


def call(tools: Toolbox, name: str, args: Args, *, withhold: bool) -> str:
    """The answer's text. Raises: ToolRefused with words for the model; Upstream for the caller."""
    try:
        result = _call_of(tools, name, args)()
    except Upstream:
        raise
    except ThothError as error:
        raise ToolRefused(f"{error.code}: {error.message}") from None
    if withhold and isinstance(result, ValueSearch | SchemaSlice):
        return _without_values(result)
    return str(result.text)  # type: ignore[attr-defined]


def _call_of(tools: Toolbox, name: str, args: Args) -> Callable[[], object]:
    method = getattr(tools, name)
    required = _SPECS[name].parameters["required"]
    assert isinstance(required, list)
    key = str(required[0])
    value = args.get(key)
    if key == "tables":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ToolRefused("tables must be a list of names, schema.table.")
        return lambda: method(tuple(value))
    if not isinstance(value, str) or not value.strip() or "\x00" in value:
        raise ToolRefused(f"{key} must be a text.")
    return lambda: method(value)


def _without_values(result: ValueSearch | SchemaSlice) -> str:
    """Where something is, without what is stored there."""
    if isinstance(result, ValueSearch):
        found = [
            f"«{span.text}»: {hit.column} ({hit.match}, score {hit.score:.0f})"
            for span in result.spans
            for hit in span.hits
        ]
        return "\n".join([*found, WITHHELD])
    lines = []
    for table in result.tables:
        lines.append(f"{table.full_name}: {table.comment}".rstrip(": "))
        shown = (column for column in table.columns if not column.hidden)
        lines += [f"  {c.name} {c.type} {c.comment}".rstrip() for c in shown]
        lines += [
            f"  ({', '.join(key.columns)}) -> {key.ref_table} ({', '.join(key.ref_columns)})"
            for key in table.foreign_keys
        ]
    return "\n".join([*lines, WITHHELD])
