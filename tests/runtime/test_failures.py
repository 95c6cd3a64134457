"""Every end of a run without a proposal is a failure in words that say what to do."""

from __future__ import annotations

import datetime as dt
from typing import get_args

import pytest
from django.utils.translation import override

from thoth.contracts.steps import ClarifyProposal
from thoth.contracts.tools import SchemaSlice, ValueHit, ValueSearch, ValueSpan
from thoth.lib.errors import Forbidden, Upstream
from thoth.runtime.pi import tools as pi_tools
from thoth.runtime.pi.failures import failure_of
from thoth.runtime.pi.runtime import validated
from thoth.runtime.pi.types import Outcome, OutcomeCode, Provider, ToolRefused

PROVIDER = Provider("openai-completions", "http://h/v1", "m")


@pytest.mark.parametrize(
    ("outcome", "code", "says"),
    [
        (
            Outcome("not_installed", message="Run `make setup-pi`."),
            "not_installed",
            "make setup-pi",
        ),
        (Outcome("model_error", status=401), "auth", "THOTH_MODEL_API_KEY"),
        (Outcome("model_error", status=403), "auth", "(403)"),
        (Outcome("model_error", status=404), "refused", "no model m"),
        (Outcome("model_error", status=400), "refused", "(400)"),
        (Outcome("model_error", status=429), "rate_limit", "429"),
        (Outcome("model_error", status=503), "refused", "later"),
        (Outcome("model_error", message="Connection error."), "refused", "http://h/v1"),
        (Outcome("model_error", message="terminated: other side closed"), "malformed", "again"),
        (Outcome("no_proposal", text="secret words"), "malformed", "proposed nothing"),
        (Outcome("no_proposal", refusals=("a: b",)), "schema_invalid", "a: b"),
        (Outcome("budget", model_requests=24, tool_calls=3), "oversized", "24 requests"),
        (Outcome("timeout"), "timeout", "longer"),
        (Outcome("cancelled"), "cancelled", "stopped"),
        (Outcome("output_limit"), "oversized", "more than it may"),
        (Outcome("crashed", exit_code=-9), "crashed", "log"),
    ],
)
def test_failures(outcome: Outcome, code: str, says: str) -> None:
    failure = failure_of(outcome, PROVIDER)
    assert failure.code == code
    assert says in failure.message
    assert "secret words" not in failure.message


def test_no_outcome_is_without_words() -> None:
    for code in set(get_args(OutcomeCode)) - {"proposed"}:
        assert failure_of(Outcome(code, message="m"), PROVIDER).message


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"ambiguity": {"concept": "a", "title": "b", "options": []}}, "ambiguity.options"),
        ({"sql": "DROP"}, "sql: Extra"),
        ({"addressed": [{"text_id": 5, "reading": "x"}]}, "addressed.0.text_id"),
        ({"ambiguity": {"exclusive": "true"}}, "ambiguity.exclusive"),
        ({"addressed": [{"text_id": "t1", "reading": "a\x00"}]}, "cannot be stored"),
        ({"addressed": [{"text_id": "t1", "reading": "\ud800"}]}, "cannot be stored"),
        ({f"f{n}": 1 for n in range(9)}, "(and 4 more)"),
    ],
)
def test_a_proposal_is_validated_strictly(args: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError) as refused:
        validated(ClarifyProposal, args)
    assert says in str(refused.value)
    assert "DROP" not in str(refused.value)


class Tools:
    """A toolbox of three tools, one of which the stage does not have."""

    names = frozenset({"search_values", "render_schema"})

    def search_values(self, text: str) -> ValueSearch:
        if text == "down":
            raise Upstream("warehouse_unavailable", "It is down.")
        moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
        hit = ValueHit(
            column="s.t.c", value="Rossi", score=99, match="exact", rows=3, indexed_at=moment
        )
        return ValueSearch(spans=(ValueSpan(text="r", start=0, end=1, hits=(hit,)),))

    def render_schema(self, tables: tuple[str, ...]) -> SchemaSlice:
        return SchemaSlice(tables=(), rendered=f"{tables[0]}: e.g. Rossi")

    def explain_sql(self, _sql: str) -> None:
        raise Forbidden("tool_not_in_stage", "Not here.")


def call(name: str, args: dict[str, object], *, withhold: bool = False) -> str:
    return pi_tools.call(Tools(), name, args, withhold=withhold)  # type: ignore[arg-type]


def test_values_are_withheld_from_a_model_elsewhere() -> None:
    assert "Rossi" in call("search_values", {"text": "r"})
    assert "Rossi" in call("render_schema", {"tables": ["s.t"]})
    assert "Rossi" not in call("search_values", {"text": "r"}, withhold=True)
    assert "s.t.c" in call("search_values", {"text": "r"}, withhold=True)
    assert "Rossi" not in call("render_schema", {"tables": ["s.t"]}, withhold=True)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("search_values", {"text": 5}),
        ("search_values", {"text": " "}),
        ("search_values", {"text": "a\x00"}),
        ("render_schema", {"tables": "s.t"}),
        ("render_schema", {"tables": [5]}),
        ("explain_sql", {"sql": "SELECT 1"}),
    ],
)
def test_a_call_that_cannot_be_answered_is_told_to_the_model(
    name: str, args: dict[str, object]
) -> None:
    with pytest.raises(ToolRefused):
        call(name, args)


def test_a_source_that_is_down_ends_the_step() -> None:
    with pytest.raises(Upstream):
        call("search_values", {"text": "down"})


def test_failures_are_in_the_readers_language() -> None:
    with override("it"):
        for code in set(get_args(OutcomeCode)) - {"proposed", "not_installed"}:
            message = failure_of(Outcome(code, message="m"), PROVIDER).message
            with override("en"):
                assert message != failure_of(Outcome(code, message="m"), PROVIDER).message
