"""A stored ui_request as the templates draw it: every mark, number and typed word in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sessions_app.pages.diagram import Diagram, diagram_of_options
from sessions_app.pages.documents import linking_diagram
from sessions_app.pages.labels import group_label

CHOICES = frozenset({"select", "multiselect", "artifact_gate"})
WITHOUT_ANSWER = frozenset({"info", "artifact"})
NUMBERED = 9
# The stable code that ends the introduction of a refusal, a paragraph of its own.
_LAST_CODE = re.compile(r"\s*`([a-z][a-z0-9_]*)`\s*\Z")


@dataclass(frozen=True, slots=True)
class Draft:
    """What the reviewer had filled in when their answer was refused."""

    choices: frozenset[str] = frozenset()
    children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""
    other_text: str = ""


@dataclass(frozen=True, slots=True)
class ChildView:
    """The widget an option opens. `name` is its form field, `text` what it holds."""

    kind: str
    name: str
    title: str
    optional: bool
    text: str = ""
    options: tuple[OptionView, ...] = ()


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option. `number` is its key on the keyboard (1 to 9) or None."""

    id: str
    label: str
    description: str
    recommended: bool
    checked: bool
    number: int | None = None
    group: str = ""
    risk: str = ""
    count: object = None
    preview: Mapping[str, Any] | None = None
    evidence: str = ""
    evidence_score: str = ""
    signals: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    child: ChildView | None = None
    nested: tuple[OptionView, ...] = ()


@dataclass(frozen=True, slots=True)
class WidgetView:
    """The widget. `raw` is set for a kind nobody knows; `diagram` for a tree of tables. `code` is the
    stable name of what is not understood: for a tooltip, not for reading. `report` is what was proved
    about the text to approve, as Markdown; `departs` when it lists accepted departures."""

    id: str
    kind: str
    title: str
    intro: str
    phase: str
    stage: str
    reserved: tuple[str, ...]
    allow_empty: bool
    artifact: Mapping[str, Any] | None
    options: tuple[OptionView, ...]
    raw: Mapping[str, Any] | None
    diagram: Diagram | None
    draft: Draft | None = None
    code: str = ""
    report: str = ""
    departs: bool = False

    @property
    def takes_choices(self) -> bool:
        return self.kind in CHOICES

    @property
    def is_multiple(self) -> bool:
        return self.kind == "multiselect"

    @property
    def takes_answer(self) -> bool:
        """Is there something to confirm? A choice without options leaves only the controls."""
        return self.kind not in WITHOUT_ANSWER and bool(self.options or self.kind not in CHOICES)

    @property
    def is_tree(self) -> bool:
        return any(option.nested for option in self.options)


def widget_view(request: Mapping[str, Any], draft: Draft | None = None) -> WidgetView:
    """The view of a stored request; with `draft`, what was filled in stays filled in."""
    kind = str(request.get("widget", ""))
    options = _options(request, draft) if kind in CHOICES else ()
    known = kind in CHOICES | WITHOUT_ANSWER | {"freetext"}
    intro, code = _without_code(str(request.get("intro", "")))
    return WidgetView(
        id=str(request.get("id", "")),
        kind=kind,
        title=str(request.get("title", "")),
        intro=intro,
        phase=str(request.get("phase", "")),
        stage=str(request.get("stage", "")),
        reserved=tuple(request.get("reserved", ())),
        allow_empty=bool(request.get("allow_empty")),
        artifact=request.get("artifact"),
        options=options,
        raw=None if known else request,
        diagram=_diagram(request),
        draft=draft,
        code=code,
        report=_report(request),
        departs=_departs(request),
    )


def _report(request: Mapping[str, Any]) -> str:
    reports = [(option.get("meta") or {}).get("report") for option in request.get("options", ())]
    return next((str(report) for report in reports if report), "")


def _departs(request: Mapping[str, Any]) -> bool:
    decided = [(option.get("decision") or {}) for option in request.get("options", ())]
    proofs = [(one.get("payload") or {}).get("conformance") or {} for one in decided]
    return any(proof.get("status") == "overridden" for proof in proofs)


def _without_code(intro: str) -> tuple[str, str]:
    found = _LAST_CODE.search(intro)
    return (intro[: found.start()], found.group(1)) if found else (intro, "")


def _diagram(request: Mapping[str, Any]) -> Diagram | None:
    artifact = request.get("artifact") or {}
    if artifact.get("kind") == "schema_linking":
        return linking_diagram(artifact.get("text", ""))
    return diagram_of_options(request.get("options", ()))


def _options(request: Mapping[str, Any], draft: Draft | None) -> tuple[OptionView, ...]:
    stored = request.get("options", ())
    sql = (request.get("artifact") or {}).get("text", "")
    views = {option["id"]: _option(option, draft, sql) for option in stored}
    children: dict[str, list[OptionView]] = {}
    for option in stored:
        if option.get("parent"):
            children.setdefault(option["parent"], []).append(views[option["id"]])
    tops = [
        replace(views[option["id"]], nested=tuple(children.get(option["id"], ())))
        for option in stored
        if not option.get("parent")
    ]
    return tuple(
        replace(view, number=index if index <= NUMBERED else None)
        for index, view in enumerate(tops, start=1)
    )


def _option(option: Mapping[str, Any], draft: Draft | None, sql: str) -> OptionView:
    meta = option.get("meta") or {}
    checked = option["id"] in draft.choices if draft else bool(option.get("selected"))
    return OptionView(
        id=option["id"],
        label=option["label"],
        description=option.get("description", ""),
        recommended=bool(option.get("recommended")),
        checked=checked,
        group=group_label(option.get("group") or ""),
        risk=str(meta.get("risk") or ""),
        count=meta.get("count"),
        preview=meta.get("preview"),
        evidence=str(meta.get("evidence") or ""),
        evidence_score=str(meta.get("evidence_score") or ""),
        signals=tuple((str(k), str(v)) for k, v in (meta.get("signals") or {}).items()),
        alone=bool(option.get("alone")),
        child=_child(option, draft, sql),
    )


def _child(option: Mapping[str, Any], draft: Draft | None, sql: str) -> ChildView | None:
    opens = option.get("opens")
    if not opens:
        return None
    given = draft.children.get(option["id"]) if draft else None
    return ChildView(
        kind=opens["widget"],
        name=f"child-{option['id']}",
        title=opens.get("title", ""),
        optional=bool(opens.get("optional")),
        text=_child_text(opens, given, sql),
        options=tuple(_child_option(item, given) for item in opens.get("options") or ()),
    )


def _child_text(opens: Mapping[str, Any], given: tuple[str, ...] | None, sql: str) -> str:
    if given is not None:
        return given[0] if given else ""
    return sql if opens["widget"] == "artifact" else ""


def _child_option(item: Mapping[str, Any], given: tuple[str, ...] | None) -> OptionView:
    checked = bool(item.get("selected")) if given is None else item["id"] in given
    return OptionView(
        id=item["id"],
        label=item["label"],
        description=item.get("description", ""),
        recommended=bool(item.get("recommended")),
        checked=checked,
    )
