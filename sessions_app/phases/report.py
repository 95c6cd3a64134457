"""What was proved about a query: conformance to the decisions, plan, test run, overrides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from sessions_app.phases.base import StageContext
from sessions_app.phases.cte_text import planned
from sessions_app.types import Row
from sessions_app.warehouse import Departure, Tested
from sessions_app.widgets.request import sha256_of
from thoth.contracts.tools import Explanation


@dataclass(frozen=True, slots=True)
class Checked:
    """A query with its departures from the decisions; none means that it conforms. `notes` are
    worth knowing but contradict nothing."""

    sql: str
    findings: tuple[Departure, ...]
    notes: tuple[Departure, ...] = ()

    def summary(self, overridden: int) -> dict[str, str]:
        """For the ledger: how many departures there are and how many were accepted."""
        return {
            "status": "overridden" if self.findings else "conformant",
            "findings": str(len(self.findings)),
            "overridden": str(overridden),
        }


def checked(ctx: StageContext, sql: str) -> Checked:
    """The query against the approved intent and everything F4 and F6 decided."""
    plan = planned(ctx.artifacts.get("cte_plan.json"))
    approved = {row.subject for row in ctx.view.of_type("cte_approved")}
    steps = tuple(c for c in plan.ctes if c.name in approved) if plan else ()
    found = ctx.warehouse.conformance(sql, ctx.intent, ctx.decided, steps)
    return Checked(
        sql,
        findings=tuple(item for item in found if item.blocks),
        notes=tuple(item for item in found if not item.blocks),
    )


def report_text(
    result: Checked, explained: Explanation, tested: Tested, overridden: Sequence[Row]
) -> str:
    """validation_report.md. An accepted departure stays listed as one."""
    lines = [f"# {_('Validation report')}", "", f"sha256 `{sha256_of(result.sql)}`", ""]
    lines += [f"- {_('Read-only: the guard accepted exactly one query')}"]
    lines += [f"- {_('Plan')}: {_plan(explained)}"]
    lines += [f"- {_('Test run')}: {_run(tested)}"]
    lines += ["", f"## {_('Conformance to the decisions')}", ""]
    reasons = {(r.subject, str(r.payload.get("node"))): r for r in overridden}
    if not result.findings:
        lines.append(f"- {_('The query follows the decisions.')}")
    for finding in result.findings:
        accepted = reasons.get((finding.rule, finding.node))
        state = _("accepted by %s") % accepted.author if accepted else _("open")
        lines.append(f"- **{finding.rule}** ({state}): {finding.sentence}")
        if accepted:
            lines.append(f"  > {accepted.payload.get('reason', '')}")
    lines += [f"- {note.rule}: {note.sentence}" for note in result.notes]
    return "\n".join(lines) + "\n"


def _plan(explained: Explanation) -> str:
    if explained.error:
        return explained.text
    return _("cost %(cost)s, about %(rows)s rows") % {
        "cost": f"{explained.total_cost:.0f}",
        "rows": explained.rows,
    }


def _run(tested: Tested) -> str:
    if tested.error:
        return tested.sentence
    rows = f"{'≥ ' if tested.truncated else ''}{tested.rows}"
    return ngettext("%s row", "%s rows", tested.rows) % rows
