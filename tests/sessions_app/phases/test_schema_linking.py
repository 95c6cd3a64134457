"""F4 with a real warehouse: values, formulas, tables, joins, each asked as it should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sessions_app import ledger, services
from sessions_app.check import check
from sessions_app.decided import decided_slice
from sessions_app.models import Session
from tests.sessions_app.kit import Reviewer, transcript
from thoth.contracts.task import DecidedSlice
from thoth.lib.errors import Invalid

pytestmark = pytest.mark.django_db(transaction=True)
Scripted = Callable[..., None]
MOTIVO = "dw.fact_visita.motivo"
ENERGIA = "dw.fact_ablazione.energia"


def rewritten(**intent: Any) -> dict[str, Any]:
    """The rewriting of the stored transcript with other parts of its intent."""
    proposal = transcript()[2]["proposal"]
    return {"step": "rewrite", "proposal": proposal | {"intent": proposal["intent"] | intent}}


def literal(name: str, *columns: str, **more: Any) -> dict[str, Any]:
    options = [
        {
            "id": f"o{n}",
            "label": column,
            "recommended": n == 1,
            "groundings": [{"column": column, "value": name, "method": "exact", "score": "100"}],
        }
        for n, column in enumerate(columns, 1)
    ]
    return {"literal": name, "serves": ["f1"], "options": options} | more


def grounds(*literals: dict[str, Any], **when: Any) -> dict[str, Any]:
    return {"step": "ground_values", "when": when, "proposal": {"literals": list(literals)}}


def filters(*values: str) -> dict[str, Any]:
    return {"filters": [{"id": "f1", "subject": "x", "op": "in", "values": list(values)}]}


def decided(reviewer: Reviewer) -> DecidedSlice:
    return decided_slice(ledger.view(reviewer.session))


def test_obvious_values_are_one_checklist_with_their_rows(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(
        rewritten(**filters("RF", "CRIO")),
        grounds(literal("RF", ENERGIA, obvious=True), literal("CRIO", ENERGIA, obvious=True)),
    )
    widget = reviewer.until("schema_linking")
    assert [o["selected"] for o in widget["options"]] == [True, True]
    assert [o["meta"]["count"] for o in widget["options"]] == [5, 1]
    assert widget["options"][1]["meta"]["preview"]["rows"] == [["CRIO", "3", "2", "2023-02-10"]]
    reviewer.recommended()
    groundings = decided(reviewer).groundings
    assert groundings["RF"].groundings[0].rows == 5
    assert groundings["RF"].checked_at
    assert groundings["RF"].serves == ("f1",)


def test_an_unticked_value_becomes_a_question_of_its_own(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    found = literal("RF", ENERGIA, obvious=True)
    scripted(rewritten(**filters("RF")), grounds(found))
    reviewer.until("schema_linking")
    reviewer.choose()
    widget = reviewer.widget
    assert widget["title"] == "What does «RF» mean in the data?"
    assert [o["id"] for o in widget["options"]] == ["o1", "absent", "look_further"]
    reviewer.choose("absent")
    assert decided(reviewer).absent["RF"].serves == ("f1",)


def test_a_value_in_several_columns_is_grounded_on_those_that_are_chosen(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(
        rewritten(**filters("sincope")),
        grounds(literal("sincope", MOTIVO, ENERGIA, why="It occurs in two columns.")),
    )
    widget = reviewer.until("schema_linking")
    assert widget["widget"] == "multiselect"
    assert [o["selected"] for o in widget["options"]] == [False] * 4
    assert "The source holds no such row now." in widget["options"][1]["description"]
    reviewer.choose("o1", "o2")
    value = decided(reviewer).groundings["sincope"]
    assert [g.column for g in value.groundings] == [MOTIVO, ENERGIA]
    assert (value.combine, value.runners_up) == ("any", ())


def test_of_two_columns_the_one_not_chosen_is_a_runner_up(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(rewritten(**filters("sincope")), grounds(literal("sincope", MOTIVO, ENERGIA)))
    reviewer.until("schema_linking")
    reviewer.choose("o1")
    value = decided(reviewer).groundings["sincope"]
    assert [g.column for g in value.runners_up] == [ENERGIA]


def test_a_value_that_is_not_found_is_recorded_as_absent_only_by_choice(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    missing = literal("laser", searched=[ENERGIA], nearest=["RF"])
    scripted(rewritten(**filters("laser")), grounds(missing))
    widget = reviewer.until("schema_linking")
    assert widget["title"] == "«laser» is not in the data"
    assert "RF" in widget["intro"]
    assert not any(option["recommended"] for option in widget["options"])
    reviewer.choose("absent")
    assert decided(reviewer).absent["laser"].nearest == ("RF",)


def test_a_literal_that_the_proposal_forgets_is_refused(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(rewritten(**filters("RF", "CRIO")), grounds(literal("RF", ENERGIA, obvious=True)))
    with pytest.raises(AssertionError, match="literal_missing"):
        reviewer.until("schema_linking")


def test_a_column_that_does_not_exist_is_refused(reviewer: Reviewer, scripted: Scripted) -> None:
    scripted(rewritten(**filters("RF")), grounds(literal("RF", "dw.fact_ablazione.invented")))
    with pytest.raises(AssertionError, match="unknown_column"):
        reviewer.until("schema_linking")


LONG = {"id": "m2", "label": "lunghe", "agg": "sum", "of": "lunga", "concept": "lunga"}
SQL = "CASE WHEN dw.fact_ablazione.durata_minuti > 75 THEN 1 ELSE 0 END"


def formula(sql: str, *more: dict[str, Any]) -> dict[str, Any]:
    option = {
        "id": "f",
        "label": "longer than 75 minutes",
        "sql": sql,
        "columns": ["dw.fact_ablazione.durata_minuti"],
        "recommended": True,
    }
    return {"step": "formulas", "proposal": {"concept": "lunga", "options": [option, *more]}}


def with_concept(reviewer: Reviewer, scripted: Scripted, *lines: dict[str, Any]) -> dict[str, Any]:
    count = transcript()[2]["proposal"]["intent"]["measures"][0]
    scripted(rewritten(measures=[count, LONG]), *lines)
    return reviewer.until("schema_linking", "formulas")


def test_a_calculated_concept_gets_a_formula_that_the_reviewer_approves(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    widget = with_concept(reviewer, scripted, formula(SQL))
    assert (widget["widget"], widget["artifact"]["text"]) == ("artifact_gate", SQL)
    reviewer.choose("f")
    approved = decided(reviewer).formulas["lunga"]
    assert (approved.sql, approved.source, approved.serves) == (SQL, "synthesised", ("m2",))
    assert approved.columns == ("dw.fact_ablazione.durata_minuti",)


def test_several_formulas_are_a_choice(reviewer: Reviewer, scripted: Scripted) -> None:
    other = {
        "id": "g",
        "label": "longer than 90",
        "sql": SQL.replace("75", "90"),
        "columns": ["dw.fact_ablazione.durata_minuti"],
    }
    widget = with_concept(reviewer, scripted, formula(SQL, other))
    assert widget["widget"] == "select"
    reviewer.choose("g")
    assert "90" in decided(reviewer).formulas["lunga"].sql


def test_the_reviewers_own_formula_is_checked_before_it_counts(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    with_concept(reviewer, scripted, formula(SQL))
    for bad in ("dw.fact_ablazione.invented", "pg_read_file('x')", "1); DROP TABLE x", "a FROM b"):
        with pytest.raises(Invalid) as refused:
            reviewer.choose("own", own={"kind": "artifact", "text": bad})
        assert refused.value.code == "formula_refused"
    assert decided(reviewer).formulas == {}
    own = "dw.fact_ablazione.durata_minuti / 60"
    reviewer.choose("own", own={"kind": "artifact", "text": own})
    approved = decided(reviewer).formulas["lunga"]
    assert (approved.sql, approved.source, approved.serves) == (own, "reviewer", ("m2",))


def test_a_formula_that_the_guard_refuses_is_never_shown(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    with pytest.raises(AssertionError, match="formula_refused"):
        with_concept(reviewer, scripted, formula("pg_sleep(10)"))


def test_a_concept_without_a_formula_keeps_the_stage_open(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    cannot = {"cannot": {"code": "no_formula", "message": "Nothing says what “lunga” is."}}
    widget = with_concept(reviewer, scripted, {"step": "formulas", "proposal": cannot})
    assert "`no_formula`" in widget["intro"]
    assert not any(option["recommended"] for option in widget["options"])
    reviewer.choose("leave_open")
    reviewer.recommended()  # tables and columns
    widget = reviewer.widget
    assert "m2" in widget["intro"]
    assert widget["options"] == []
    assert widget["reserved"] == ["other", "back", "exit"]


JOIN = "dw.dim_paziente.id_paziente=dw.fact_ablazione.id_paziente"
PATIENT = {
    "table": "dw.dim_paziente",
    "why": "the patients",
    "columns": [{"column": "dw.dim_paziente.sesso", "role": "output"}],
}


def linked(*joins: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    tables = [*transcript()[4]["proposal"]["tables"], PATIENT]
    return [
        {"step": "link_schema", "proposal": {"tables": tables}},
        {"step": "link_joins", "proposal": {"joins": list(joins)} | more},
    ]


def test_two_tables_need_a_join_that_the_reviewer_approves(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(*linked({"subject": JOIN, "why": "the key of the patient"}))
    widget = reviewer.until("schema_linking", "link_joins")
    assert [o["selected"] for o in widget["options"]] == [True]
    reviewer.choose(JOIN, **{JOIN: {"kind": "select", "choice": "kind:left"}})
    join = decided(reviewer).joins[JOIN]
    assert join.kind == "left"
    assert reviewer.widget["title"] == "The schema is linked"
    assert check(reviewer.session) == []


def test_joins_that_leave_a_table_apart_are_refused(reviewer: Reviewer, scripted: Scripted) -> None:
    scripted(*linked())
    with pytest.raises(AssertionError, match="joins_incomplete"):
        reviewer.until("schema_linking", "link_joins")


def test_no_way_to_connect_is_said_and_nothing_is_recommended(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    scripted(*linked(cannot={"code": "no_path", "message": "No way."}))
    widget = reviewer.until("schema_linking", "link_joins")
    assert not any(option["recommended"] for option in widget["options"])


def test_unticking_a_table_excludes_it_and_correcting_a_column_replaces_it(
    reviewer: Reviewer, scripted: Scripted
) -> None:
    tables = transcript()[4]["proposal"]["tables"]
    column = tables[0]["columns"][0] | {"alternatives": ["dw.fact_ablazione.durata_minuti"]}
    tables[0]["columns"][0] = column
    scripted({"step": "link_schema", "proposal": {"tables": tables}})
    widget = reviewer.until("schema_linking", "link_schema")
    chosen = [o["id"] for o in widget["options"] if o["selected"]]
    other = {"kind": "select", "choice": "dw.fact_ablazione.durata_minuti"}
    reviewer.choose(*chosen, **{"c:dw.fact_ablazione.data_procedura": other})
    now = decided(reviewer)
    assert "dw.fact_ablazione.durata_minuti" in now.columns
    assert "dw.fact_ablazione.data_procedura" not in now.columns
    assert now.excluded_tables == ("dw.fact_visita",)


def test_hidden_and_identifying_columns(reviewer: Reviewer, scripted: Scripted) -> None:
    found = literal("F", "dw.dim_paziente.sesso", obvious=True)
    scripted(rewritten(**filters("F")), grounds(found))
    widget = reviewer.until("schema_linking")
    preview = widget["options"][0]["meta"]["preview"]
    assert preview["columns"] == ["sesso", "id_paziente", "cognome"]
    assert {row[2] for row in preview["rows"]} == {"•••"}


def test_a_lost_warehouse_blocks_the_stage_and_a_retry_goes_on(
    reviewer: Reviewer, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.sessions_app import kit
    from thoth.workspaces.facade import workspace_get

    dsn = workspace_get("cardio").database.dsn.get_secret_value()
    assert reviewer.widget
    from thoth.warehouse.catalog_models import WarehouseCatalog

    WarehouseCatalog.objects.all().delete()
    kit.describe_workspace("postgresql://nobody@127.0.0.1:1/nowhere")
    reviewer.choose("calendar")
    session = reviewer.session
    assert (session.status, session.failure_code) == ("blocked", "warehouse_unreachable")
    assert check(session) == []
    kit.describe_workspace(dsn)
    services.retry(reviewer.public_id, actor=reviewer.actor)
    assert reviewer.finish().status == Session.Status.FINALISED
