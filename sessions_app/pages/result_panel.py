"""The result as its panel shows it: one large number, or the first rows, and the SQL behind them."""

from __future__ import annotations

from dataclasses import dataclass

from sessions_app import ledger, results
from sessions_app.models import Session
from sessions_app.pages.labels import sentence
from sessions_app.results import ResultPage
from thoth.warehouse.facade import RunHandle

# What a reader checks the SQL against.
_FOLLOWED = ("value_grounded", "concept_formula_approved", "join_approved", "join_modified")


@dataclass(frozen=True, slots=True)
class ResultPanel:
    """`figure` is set when the result is one cell; `follows` are decisions as (number, sentence)."""

    session_id: str
    sql: str
    page: ResultPage
    size: int
    figure: str | None
    caption: str
    follows: tuple[tuple[int, str], ...]
    overridden: bool

    @property
    def columns(self) -> list[dict[str, object]]:
        return [{"name": c.name, "numeric": c.numeric} for c in self.page.columns]

    @property
    def next_offset(self) -> int | None:
        after = self.page.offset + self.size
        return after if after < self.page.total else None

    @property
    def previous_offset(self) -> int | None:
        return max(0, self.page.offset - self.size) if self.page.offset else None

    @property
    def last_shown(self) -> int:
        return self.page.offset + len(self.page.rows)


def result_panel(
    session: Session, *, offset: int, size: int, handle: RunHandle | None = None
) -> ResultPanel:
    """The panel; runs the SQL when its result is not stored. Raises: as `result_ensure`."""
    result = results.result_ensure(session, handle=handle)
    page = results.result_page(result, offset=offset, size=size)
    view = ledger.view(session)
    one = page.total == 1 and len(page.columns) == 1
    return ResultPanel(
        session_id=session.public_id,
        sql=result.sql,
        page=page,
        size=size,
        figure=(page.rows[0][0] or "NULL") if one and page.rows else None,
        caption=page.columns[0].name if one else "",
        follows=tuple((row.seq, sentence(row)) for row in view.of_type(*_FOLLOWED)),
        overridden=bool(view.of_type("conformance_overridden")),
    )
