"""Tables, columns and the connections between tables."""

from __future__ import annotations

from collections import defaultdict

from django.utils.translation import gettext as _
from sqlglot import exp

from thoth.warehouse.conformance.decided import ApprovedJoin, Decided
from thoth.warehouse.conformance.facts import Equality, Facts, Frame, Instance, resolve
from thoth.warehouse.conformance.report import Finding, finding


def check_tables(facts: Facts, decided: Decided) -> list[Finding]:
    return [
        finding(
            "tables",
            _("{table} is not among the promoted tables.").format(table=i.table),
            i.node,
            subject=i.table,
            fix=_("Leave it out, or go back and promote it."),
        )
        for i in facts.instances
        if i.table not in decided.slice.tables and not _served_table(i.table, decided)
    ]


def _served_table(table: str, decided: Decided) -> bool:
    """A table between others comes with the joins that lead through it, one with promoted columns too."""
    through = sum(1 for join in decided.joins if join.columns(table))
    owns = any(name.rpartition(".")[0] == table for name in decided.slice.columns)
    return through > 1 or owns


def check_columns(facts: Facts, decided: Decided) -> list[Finding]:
    known = set(decided.slice.columns)
    known |= {name for join in decided.joins for pair in join.pairs for name in pair}
    known |= {name for formula in decided.formulas.values() for name in formula.columns}
    known |= {g.column for value in decided.slice.groundings.values() for g in value.groundings}
    keys = {name for table in decided.slice.tables for name in decided.key(table)}
    result, seen = [], set()
    for ref, node, counted in facts.columns:
        if ref in known or (counted and ref in keys) or ref in seen:
            continue
        seen.add(ref)
        fix = _("Use a promoted column, or go back and promote it.")
        result.append(
            finding(
                "columns", _("{ref} was not promoted.").format(ref=ref), node, subject=ref, fix=fix
            )
        )
    return result


def check_raw(tree: exp.Query) -> list[Finding]:
    """NATURAL is refused: what it joins on changes with the tables."""
    return [
        finding("join", _("NATURAL JOIN does not say what it joins on."), join.this)
        for join in tree.find_all(exp.Join)
        if str(join.args.get("method") or "").upper() == "NATURAL"
    ]


def check_joins(facts: Facts, decided: Decided) -> list[Finding]:
    """Each connection approved and of its kind; nothing unconnected."""
    links = _links(facts)
    result: list[Finding] = []
    for (one, other), equalities in links.items():
        first, second = facts.instance(one), facts.instance(other)
        join = _approved(equalities, decided)
        if join is None and _is_same_key(first, second, equalities, decided):
            continue
        if join is None or (len(join.pairs) == len(equalities) and _weakened(equalities, facts)):
            result.append(_unapproved(equalities[0]))
        else:
            result += _kind(join, first, second, equalities[0])
    return result + _unconnected(facts, links)


def _weakened(equalities: list[Equality], facts: Facts) -> bool:
    """A join's condition under an OR of its own holds only sometimes.

    An OR around a whole EXISTS is none of its own, nor one whose branches are all approved joins.
    """
    for e in equalities:
        around = {facts.instance(i).context.or_id for i in (e.left_instance, e.right_instance)}
        if e.context.or_id is not None and e.context.or_id not in around:
            return True
    return False


Links = dict[tuple[str, str], list[Equality]]


def _links(facts: Facts) -> Links:
    links: Links = defaultdict(list)
    for equality in facts.equalities:
        links[
            min(equality.left_instance, equality.right_instance),
            max(equality.left_instance, equality.right_instance),
        ].append(equality)
    return dict(links)


def _approved(equalities: list[Equality], decided: Decided) -> ApprovedJoin | None:
    """The approved join whose pairs all occur; every equality must belong to an approved one."""
    given = {frozenset((e.left, e.right)) for e in equalities}
    matching = [j for j in decided.joins if {frozenset(p) for p in j.pairs} <= given]
    covered = {frozenset(pair) for join in matching for pair in join.pairs}
    return matching[0] if matching and given <= covered else None


def _is_same_key(
    first: Instance, second: Instance, equalities: list[Equality], decided: Decided
) -> bool:
    """Two rows of one table, linked by the key that a filter on related rows is served by."""
    if first.table != second.table:
        return False
    keys = {
        column
        for f in decided.intent.filters
        if f.op in ("exists", "followed_within", "preceded_within")
        for column in decided.columns(f.id)
    }
    return all(e.left == e.right and e.left in keys for e in equalities)


def _unapproved(equality: Equality) -> Finding:
    left, right = sorted((equality.left, equality.right))
    message = _("{left} = {right} is not an approved join.").format(left=left, right=right)
    fix = _("Use the approved join, or go back and have this one approved.")
    return finding("join", message, equality.node, subject=f"{left}={right}", fix=fix)


def _kind(
    join: ApprovedJoin, first: Instance, second: Instance, equality: Equality
) -> list[Finding]:
    if first.context.depth != second.context.depth or first.anti or second.anti:
        return []  # EXISTS and anti-joins neither keep nor drop rows of the other side
    if first.context.depth > 0:
        return []  # inside EXISTS a kept row without partner makes no difference
    wanted = join.kind.upper()
    later = max(first, second, key=lambda i: int(i.id[1:]))
    actual = later.side or "INNER"
    if actual == wanted:
        return []
    message = _("This join is approved as {wanted}, and the query makes it {actual}.").format(
        wanted=wanted, actual=actual
    )
    return [
        finding(
            "join_kind",
            message,
            equality.node,
            subject=join.subject,
            fix=_("Use {wanted} JOIN.").format(wanted=wanted),
        )
    ]


def _unconnected(facts: Facts, links: Links) -> list[Finding]:
    """Every table of a SELECT is reachable from its first one; one inside EXISTS from outside."""
    result = []
    linked: dict[str, set[str]] = defaultdict(set)
    for one, other in links:
        linked[one].add(other)
        linked[other].add(one)
    for frame in facts.frames:
        members = _members(frame)
        if len(members) < 2 and not frame.context.depth:
            continue
        reached = _reach(members, linked, needs_outside=frame.context.depth > 0)
        result += [
            finding(
                "cross_join",
                _("{table} is connected to nothing.").format(table=facts.instance(i).table),
                facts.instance(i).node,
            )
            for i in members
            if i not in reached
        ]
    return result


def _members(frame: Frame) -> list[str]:
    """The instances of a SELECT, those of its derived tables included."""
    result: list[str] = []
    for source in frame.sources.values():
        result += [source.id] if isinstance(source, Instance) else _members(source)
    return result


def _reach(members: list[str], linked: dict[str, set[str]], *, needs_outside: bool) -> set[str]:
    inside = set(members)
    if needs_outside:
        queue = [i for i in members if linked[i] - inside]
    else:
        queue = members[:1]
    reached = set(queue)
    while queue:
        here = queue.pop()
        for there in (linked[here] & inside) - reached:
            reached.add(there)
            queue.append(there)
    return reached


def members_of(frame: Frame, facts: Facts) -> list[Instance]:
    """The instances that a SELECT reads, through its derived tables too, anti-joined ones left out."""
    return [i for id_ in _members(frame) if not (i := facts.instance(id_)).anti]


def multiplied(instance: Instance, frame: Frame, facts: Facts, decided: Decided) -> bool:
    """Whether `frame`, which reads the instance, can see one of its rows more than once."""
    inside = {i.id for i in members_of(frame, facts)}
    own = next(f for f in facts.frames if f.number == instance.frame)
    if own is not frame and _keeps_apart(own, instance, decided):
        inside -= {i.id for i in members_of(own, facts)} - {instance.id}
    links = {pair: es for pair, es in _links(facts).items() if set(pair) <= inside}
    seen, queue = {instance.id}, [instance.id]
    while queue:
        here = queue.pop()
        for (one, other), equalities in links.items():
            if here not in (one, other):
                continue
            there = other if here == one else one
            if there in seen:
                continue
            if not _looks_up(facts.instance(there), equalities, decided):
                return True
            seen.add(there)
            queue.append(there)
    return False


def _keeps_apart(frame: Frame, instance: Instance, decided: Decided) -> bool:
    """A step without repetitions that shows the instance's key holds each of its rows once per group."""
    if frame.select.args.get("distinct") is None:
        return False
    shown = {resolve(p.unalias(), frame).name for p in frame.select.expressions}
    key = decided.key(instance.table)
    return bool(key) and key <= shown


def _looks_up(instance: Instance, equalities: list[Equality], decided: Decided) -> bool:
    """Whether the equalities find at most one row of the instance."""
    columns = frozenset(e.left if e.left_instance == instance.id else e.right for e in equalities)
    if decided.unique(instance.table, columns):
        return True
    join = _approved(equalities, decided)
    if join is None or _any_side_unique(join, decided):
        return False
    left = next(iter(join.pairs))[0].rpartition(".")[0]
    allowed = {"one_to_one", "one_to_many" if instance.table == left else "many_to_one"}
    return join.cardinality in allowed


def _any_side_unique(join: ApprovedJoin, decided: Decided) -> bool:
    tables = {name.rpartition(".")[0] for pair in join.pairs for name in pair}
    return any(decided.unique(table, join.columns(table)) for table in tables)
