"""How a widget is answered when nobody sits in front of it. Pure.

`recommended` takes what is recommended. `oracle` knows the golds and stands for a reviewer who knows
the answer: it takes the option whose tables, columns, literals, joins and aggregates all occur in
one gold, most covered first, and what is recommended when none does. Both confirm gates, decline
Memory and datamart, and never accept a departure from the decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sessions_app.evaluation.golds import parts_of_fragment, value

PolicyName = Literal["recommended", "oracle"]
Option = dict[str, Any]
Body = dict[str, object]
Widget = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """The question ends here: `reason` is a stable code, `message` what the widget said."""

    reason: str
    message: str = ""


def answer_recommended(widget: Widget) -> Body | Refused:
    """The ui_response (without type and id) that accepts what is recommended."""
    return _answered(widget, _recommended, lambda _option: None)


def answer_oracle(widget: Widget, golds: Iterable[frozenset[str]]) -> Body | Refused:
    """The same, choosing what one gold is made of. `golds` are the parts of each accepted gold."""
    known = [gold for gold in golds if gold]

    def choose(options: list[Option]) -> list[Option]:
        best = _best(options, known)
        return [best] if best is not None else _recommended(options)

    def nested(option: Option) -> str | None:
        children = _children(option)
        if _covered(option, known) or not children:
            return None
        best = _best(children, known)
        return str(best["id"]) if best is not None else None

    if widget["widget"] == "multiselect":
        return _multiselect(widget, lambda o: _kept(o, known, widget), nested)
    return _answered(widget, choose, nested)


Choose = Callable[[list[Option]], list[Option]]
Nested = Callable[[Option], str | None]


def _answered(widget: Widget, choose: Choose, nested: Nested) -> Body | Refused:
    kind = widget["widget"]
    if kind == "multiselect":
        return _multiselect(widget, _ticked, nested)
    if kind not in ("select", "artifact_gate"):
        return Refused("no_recommendation", str(widget.get("title", "")))
    chosen = choose([o for o in widget["options"] if not _needs_words(o)])
    if not chosen:
        return Refused("no_recommendation", str(widget.get("intro") or widget.get("title", "")))
    option = chosen[0]
    body: Body = {"kind": kind, "choice": option["id"]}
    child = _child(option, nested)
    return body | ({"child": child} if child else {})


def _multiselect(widget: Widget, choose: Choose, nested: Nested) -> Body | Refused:
    options = widget["options"]
    chosen = [] if widget["stage"] == "memory" else choose(options)
    if any(_needs_words(option) for option in chosen):
        return Refused("no_recommendation", str(widget.get("title", "")))
    if not chosen and not widget["allow_empty"] and widget["stage"] != "memory":
        return Refused("no_recommendation", str(widget.get("title", "")))
    children = {o["id"]: c for o in chosen if (c := _child(o, nested)) is not None}
    return {
        "kind": "multiselect",
        "choices": [option["id"] for option in chosen],
        "displayed": [option["id"] for option in options],
        "children": children,
    }


def _recommended(options: list[Option]) -> list[Option]:
    return [option for option in options if option["recommended"]][:1]


def _ticked(options: list[Option]) -> list[Option]:
    """The initial selection; a list that comes unticked has recommendations at most."""
    return [o for o in options if o["selected"]] or [o for o in options if o["recommended"]]


def _needs_words(option: Option) -> bool:
    """Whether choosing it means writing something, which no policy does."""
    opens = option.get("opens") or {}
    return bool(opens) and opens["widget"] in ("freetext", "artifact") and not opens["optional"]


def _children(option: Option) -> list[Option]:
    opens = option.get("opens") or {}
    return list(opens.get("options") or ()) if opens.get("widget") == "select" else []


def _child(option: Option, nested: Nested) -> Body | None:
    """The nested answer: the oracle's, else what is preselected where an answer is required."""
    opens = option.get("opens")
    if not opens or opens["widget"] not in ("select", "multiselect"):
        return None
    if opens["widget"] == "multiselect":
        return {
            "kind": "multiselect",
            "choices": [o["id"] for o in opens["options"] if o["selected"]],
        }
    choice = nested(option)
    if choice is None and not opens["optional"]:
        choice = next(
            (o["id"] for o in opens["options"] if o["selected"] or o["recommended"]), None
        )
    return {"kind": "select", "choice": choice} if choice else None


# ---- what the oracle sees


def _kept(options: list[Option], golds: list[frozenset[str]], widget: Widget) -> list[Option]:
    """The initial selection; a line that no gold knows makes room for one that serves the same."""
    kept = _ticked(options)
    for option in list(kept):
        if _covered(option, golds) or not parts_of(option):
            continue
        rivals = [
            o for o in options if o not in kept and _serves(o) and _serves(o) == _serves(option)
        ]
        best = _best(rivals, golds)
        if best is not None:
            kept[kept.index(option)] = best
    if kept and not any(o["selected"] for o in options):
        # A question, not a checklist: several readings may hold, and the golds know which.
        known = [o for o in options if parts_of(o) and _covered(o, golds) and not o["alone"]]
        kept = known or kept
    parents = {o["parent"] for o in kept if o["parent"]} - {o["id"] for o in kept}
    return [o for o in widget["options"] if o in kept or o["id"] in parents]


def _serves(option: Option) -> tuple[str, ...]:
    payload = (option.get("decision") or {}).get("payload", {})
    return tuple(payload.get("serves") or ())


def _best(options: list[Option], golds: list[frozenset[str]]) -> Option | None:
    """The option whose parts all occur in one gold, most parts first, recommended before others."""
    fitting = [o for o in options if parts_of(o) and _covered(o, golds)]
    ranked = sorted(fitting, key=lambda o: (-len(parts_of(o)), not o["recommended"]))
    return ranked[0] if ranked else None


def _covered(option: Option, golds: list[frozenset[str]]) -> bool:
    parts = parts_of(option)
    return any(parts <= gold for gold in golds)


def parts_of(option: Option) -> frozenset[str]:
    """The tables, columns, literals, joins and aggregates that the option's decision speaks of."""
    decision = option.get("decision")
    if not decision:
        return frozenset()
    payload = decision.get("payload", {})
    found: set[str] = set()
    for column in payload.get("columns") or ():
        found |= _column(str(column))
    for grounding in payload.get("groundings") or ():
        found |= _column(str(grounding["column"])) | _grounded(grounding)
    for fragment in (payload.get("filter"), payload.get("sql")):
        found |= parts_of_fragment(str(fragment)) if fragment else set()
    return frozenset(found | _subject(str(decision["type"]), str(decision["subject"])))


def _subject(kind: str, subject: str) -> set[str]:
    if kind.startswith("table_"):
        return {f"table {subject.lower()}"}
    if kind.startswith("column_"):
        return _column(subject)
    if kind.startswith("join_"):
        pairs = [sorted(part.lower().split("=")) for part in subject.split("&")]
        return {"join " + "=".join(pair) for pair in pairs}
    return set()


def _column(name: str) -> set[str]:
    table = name.rpartition(".")[0].lower()
    return {f"column {name.lower()}", f"table {table}"} if table else set()


def _grounded(grounding: dict[str, Any]) -> set[str]:
    """Truth values are columns in a gold, not literals."""
    if grounding.get("op") in ("is_true", "is_false"):
        return set()
    return {f"literal {value(str(grounding['value']))}"}
