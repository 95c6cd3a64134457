"""Names inside intents and decisions, as a person reads them."""

from __future__ import annotations

from typing import get_args

import pytest
from django.utils.translation import override

from sessions_app import words
from thoth.contracts.decisions import ColumnPromoted, JoinApproved
from thoth.contracts.intent import Aggregate, Dimension, Filter, Grain, Measure, Operator, Order


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (Filter(id="f1", subject="transcatetere", op="is_true"), "f1: transcatetere è vero"),
        (Filter(id="f1", subject="età", op=">=", values=("75",), kind="number"), "f1: età >= 75"),
        (
            Filter(id="f2", subject="reparto", op="=", values=("Utic",), negated=True),
            "f2: non: reparto è «Utic»",
        ),
        (
            Filter(id="f3", subject="ricovero", op="followed_within", amount=30, unit="day"),
            "f3: ricovero è seguito entro 30 giorni",
        ),
        (
            Filter(id="f4", subject="esito", op="=", values=("1",), within="f3"),
            "f4: esito è «1» (entro f3)",
        ),
    ],
)
def test_a_condition_is_a_sentence(item: Filter, expected: str) -> None:
    with override("it"):
        assert words.filter_words(item) == expected


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (Measure(id="m1", label="n", agg="count", of="*"), "m1: numero di righe"),
        (
            Measure(id="m1", label="n", agg="count", of="paziente", distinct=True),
            "m1: numero di «paziente» distinti",
        ),
        (
            Measure(id="m1", label="n", agg="avg", of="durata", unit="day"),
            "m1: media di «durata» [giorni]",
        ),
        (
            Measure(id="m3", label="n", agg="value", of="*", numerator="m1", denominator="m2"),
            "m3: m1 / m2",
        ),
    ],
)
def test_a_measure_is_a_sentence(measure: Measure, expected: str) -> None:
    with override("it"):
        assert words.measure_words(measure) == expected


def test_a_group_says_its_grain_and_an_order_its_direction() -> None:
    with override("it"):
        group = Dimension(id="d1", label="anno", of="data procedura", grain="year")
        assert words.dimension_words(group) == "d1: data procedura, per anno"
        assert words.order_words(Order(by="m1", direction="desc")) == "m1, decrescente"


def test_every_stable_name_has_words_in_both_languages() -> None:
    names = {
        words.role_words: get_args(ColumnPromoted.model_fields["role"].annotation),
        lambda kind: words.join_words(kind, "")[0]: get_args(
            JoinApproved.model_fields["kind"].annotation
        ),
        lambda many: words.join_words("", many)[1]: get_args(
            JoinApproved.model_fields["cardinality"].annotation
        ),
        lambda op: words.filter_words(Filter(id="f1", subject="x", op=op))[6:]: [
            op for op in get_args(Operator) if op.isidentifier()
        ],
        lambda agg: words.measure_words(Measure(id="m1", label="", agg=agg, of="*"))[4:]: get_args(
            Aggregate
        ),
        lambda grain: words.dimension_words(Dimension(id="d1", label="", of="x", grain=grain))[
            7:
        ]: get_args(Grain),
    }
    for say, stable in names.items():
        assert stable
        for name in stable:
            with override("en"):
                english = say(name)
            with override("it"):
                assert say(name) != english, name
            assert "_" not in english
