"""Named steps: the CTEs of the query are those of the approved plan, word for word in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import sqlglot
from django.utils.translation import gettext as _
from sqlglot import exp
from sqlglot.errors import SqlglotError

from thoth.warehouse.conformance.report import Finding, finding


class Step(Protocol):
    """A step of the plan: CteDraft or CteSummary."""

    @property
    def name(self) -> str: ...
    @property
    def sql(self) -> str: ...


def check_ctes(tree: exp.Query, plan: Sequence[Step | str]) -> list[Finding]:
    given = {cte.alias: cte for cte in tree.find_all(exp.CTE)}
    approved = {s if isinstance(s, str) else s.name: s for s in plan}
    result = [
        finding("ctes", _("The approved step {name} is not used.").format(name=name), subject=name)
        for name in approved
        if name not in given
    ]
    for name, cte in given.items():
        if name not in approved:
            message = _("The step {name} is not in the approved plan.").format(name=name)
            result.append(finding("ctes", message, cte, subject=name))
        elif not _same(cte.this, approved[name]):
            message = _("The step {name} differs from its approved text.").format(name=name)
            result.append(finding("ctes", message, cte, subject=name))
    return result


def _same(body: exp.Expr, step: Step | str) -> bool:
    if isinstance(step, str):
        return True
    try:
        return bool(body == sqlglot.parse_one(step.sql, read="postgres"))
    except SqlglotError:
        return False
