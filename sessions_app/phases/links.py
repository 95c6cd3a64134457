"""F4, tables, columns and joins: a tree to prune, then the ways that connect what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from sessions_app.phases import consequences, linking_state
from sessions_app.phases.base import ProposalRefused, StageContext
from sessions_app.widgets.request import Draft, Opens, Option
from sessions_app.words import join_words, role_words
from thoth.contracts.decisions import (
    ColumnCorrected,
    ColumnPromoted,
    JoinApproved,
    JoinModified,
    TableExcluded,
    TablePromoted,
    decision,
)
from thoth.contracts.schema import Catalog
from thoth.contracts.steps import JoinsProposal, LinkedColumn, LinkedJoin, LinkedTable, LinkProposal
from thoth.lib.limits import OPTIONS_MAX


def tables_widget(ctx: StageContext, proposal: LinkProposal) -> Draft:
    """Tables with their columns, the recommended ones ticked."""
    if not any(table.recommended for table in proposal.tables):
        raise ProposalRefused("schema_invalid", "At least one table must be recommended.")
    _check_names(ctx.warehouse.catalog, proposal.tables)
    options = [o for table in proposal.tables for o in _table_options(ctx, table)]
    shown, dropped = _bounded(options)
    intro = _("Untick what the question does not need; open a column to correct it.")
    if dropped:
        intro += " " + _("%d candidates did not fit and are not shown.") % dropped
    return Draft(
        widget="multiselect",
        title=_("Which tables and columns does the question need?"),
        intro=intro,
        options=shown,
    )


def joins_widget(ctx: StageContext, proposal: JoinsProposal) -> Draft:
    """The joins between the promoted tables, with the tables in between that they need."""
    _check_names(ctx.warehouse.catalog, proposal.extra_tables)
    _check_joins(ctx, proposal)
    extra = [o for table in proposal.extra_tables for o in _table_options(ctx, table)]
    joins = [_join_option(ctx, join) for join in proposal.joins]
    return Draft(
        widget="multiselect",
        title=_("How are the tables connected?"),
        intro=_(
            "Each line becomes a join; open it to choose another way or to keep unmatched rows."
        ),
        options=(*extra, *joins),
    )


def _table_options(ctx: StageContext, table: LinkedTable) -> Iterator[Option]:
    catalog = ctx.warehouse.catalog
    known = catalog.table(table.table)
    signals = {"score": table.score} if table.score else {}
    identifier = f"t:{table.table}"
    payload = {"why": table.why, "signals": signals, "serves": table.serves}
    yield Option(
        id=identifier,
        label=f"`{table.table}`",
        description=" · ".join(p for p in (table.why, known.comment if known else "") if p),
        recommended=table.recommended,
        selected=_ticked(ctx, identifier, recommended=table.recommended),
        meta=consequences.meta(signals=signals, provenance=["schema"]),
        decision=decision(
            "table_promoted", table.table, TablePromoted(**payload), detail=table.why
        ),
        decision_deselected=decision(
            "table_excluded", table.table, TableExcluded(why=table.why), detail=_("not needed")
        ),
    )
    for column in table.columns:
        yield _column_option(ctx, identifier, column)


def _column_option(ctx: StageContext, parent: str, column: LinkedColumn) -> Option:
    identifier = f"c:{column.column}"
    known = ctx.warehouse.catalog.column(column.column)
    payload = ColumnPromoted(
        role=column.role,
        why=column.why,
        signals={"score": column.score} if column.score else {},
        serves=column.serves,
    )
    role = role_words(column.role)
    detail = f"{role}: {column.why}" if column.why else role
    parts = [role, known.type if known else "", column.why, known.comment if known else ""]
    return Option(
        id=identifier,
        label=f"`{column.column.rpartition('.')[2]}`",
        description=" · ".join(part for part in parts if part),
        parent=parent,
        recommended=column.recommended,
        selected=_ticked(ctx, identifier, recommended=column.recommended),
        meta=consequences.meta(signals=payload.signals),
        decision=decision("column_promoted", column.column, payload, detail=detail),
        opens=_corrections(column, payload) if column.alternatives else None,
    )


def _corrections(column: LinkedColumn, payload: ColumnPromoted) -> Opens:
    keep = Option(id="keep", label=_("Keep %s") % column.column, selected=True)
    options = [keep]
    for name in column.alternatives:
        fields = payload.model_dump() | {"replaces": column.column}
        detail = _("instead of %s") % column.column
        corrected = decision(
            "column_corrected", name, ColumnCorrected.model_validate(fields), detail=detail
        )
        options.append(Option(id=name, label=name, decision=corrected))
    title = _("Another column instead")
    return Opens(widget="select", title=title, options=tuple(options), optional=True)


def _join_option(ctx: StageContext, join: LinkedJoin) -> Option:
    payload = JoinApproved(
        kind=join.kind, cardinality=join.cardinality, declared=join.declared, why=join.why
    )
    source = _("foreign key") if join.declared else _("inferred, no foreign key")
    parts = [*join_words(join.kind, join.cardinality), source, join.why]
    return Option(
        id=join.subject,
        label=f"`{join.subject.replace('=', ' = ').replace('&', ' and ')}`",
        description=" · ".join(part for part in parts if part),
        recommended=join.recommended,
        selected=_ticked(ctx, join.subject, recommended=join.recommended),
        decision=decision("join_approved", join.subject, payload, detail=" · ".join(parts[:2])),
        opens=_other_ways(join, payload),
    )


def _other_ways(join: LinkedJoin, payload: JoinApproved) -> Opens:
    fields = payload.model_dump()
    other = "left" if join.kind == "inner" else "inner"
    turned = JoinModified.model_validate(fields | {"kind": other})
    label = _("keep rows without a match (left)") if other == "left" else _("matching rows only")
    options = [
        Option(id="keep", label=_("As proposed"), selected=True),
        Option(
            id=f"kind:{other}",
            label=label,
            decision=decision("join_modified", join.subject, turned, detail=label),
        ),
    ]
    for subject in join.alternatives:
        changed = JoinModified.model_validate(fields)
        detail = _("instead of %s") % join.subject
        options.append(
            Option(
                id=subject,
                label=subject,
                decision=decision("join_modified", subject, changed, detail=detail),
            )
        )
    title = _("Another way")
    return Opens(widget="select", title=title, options=tuple(options), optional=True)


def _ticked(ctx: StageContext, identifier: str, *, recommended: bool) -> bool:
    """As it stood when the reviewer answered in words; what the words brought in, as recommended."""
    kept = ctx.kept_choices
    seen = ctx.last is not None and ctx.last.request.option(identifier) is not None
    return identifier in kept if kept is not None and seen else recommended


def _check_names(catalog: Catalog, tables: Iterable[LinkedTable]) -> None:
    for table in tables:
        if catalog.table(table.table) is None:
            raise ProposalRefused("unknown_table", f"There is no table {table.table}.")
        for column in table.columns:
            for name in (column.column, *column.alternatives):
                known = catalog.column(name)
                if known is None or known.hidden:
                    raise ProposalRefused("unknown_column", f"There is no column {name}.")


def _check_joins(ctx: StageContext, proposal: JoinsProposal) -> None:
    """Every side exists, and all joins together connect what is promoted."""
    for join in proposal.joins:
        for subject in (join.subject, *join.alternatives):
            for side in (s for pair in subject.split("&") for s in pair.split("=")):
                if ctx.warehouse.catalog.column(side) is None:
                    raise ProposalRefused("unknown_column", f"There is no column {side}.")
    tables = [*ctx.decided.tables, *(t.table for t in proposal.extra_tables)]
    joins = [*ctx.decided.joins, *(join.subject for join in proposal.joins)]
    left = linking_state.unconnected(tables, joins)
    if left:
        raise ProposalRefused("joins_incomplete", "Not connected: " + ", ".join(left))


def _bounded(options: list[Option]) -> tuple[tuple[Option, ...], int]:
    """At most OPTIONS_MAX, recommended ones first to stay, order kept; and how many were dropped."""
    if len(options) <= OPTIONS_MAX:
        return tuple(options), 0
    ranked = sorted(range(len(options)), key=lambda i: (not options[i].recommended, i))
    kept = set(ranked[:OPTIONS_MAX])
    ids = {options[i].id for i in kept}
    shown = [o for i, o in enumerate(options) if i in kept and (not o.parent or o.parent in ids)]
    return tuple(shown), len(options) - len(shown)
