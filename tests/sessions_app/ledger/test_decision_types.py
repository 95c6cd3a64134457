"""Every type of decision, legacy ones included, can be read; every current one written somewhere."""

from __future__ import annotations

import pytest

from sessions_app import rules, workflow
from sessions_app.errors import LedgerRefused
from sessions_app.types import Row
from sessions_app.view import effective
from tests.sessions_app.builders import examples
from thoth.contracts.decisions import LEGACY_TYPES, META_TYPES, PAYLOADS, Payload

EXAMPLES = examples()


def test_there_is_an_example_of_every_type():
    assert {example.type for example in EXAMPLES} == set(PAYLOADS)


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.type for e in EXAMPLES])
def test_a_row_of_every_type_can_be_read(example):
    row = Row(1, example.type, "F1", "clarification", example.subject, payload=example.payload)
    assert isinstance(row.typed(), PAYLOADS[example.type])
    view = effective(workflow.default(), [row])
    assert view.rows == (() if example.type in ("phase_reopened", "decision_retracted") else (row,))


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.type for e in EXAMPLES])
def test_what_is_stored_of_a_payload_reads_back_equal(example):
    if example.type in LEGACY_TYPES:
        with pytest.raises(LedgerRefused):
            rules.payload_of(example)
        return
    stored = rules.payload_of(example)
    assert PAYLOADS[example.type].model_validate(stored) == example.typed()


def test_any_payload_may_carry_texts_and_its_origin():
    for payload in PAYLOADS.values():
        assert issubclass(payload, Payload)
        assert {"text_ids", "restored_from"} <= payload.model_fields.keys()


def test_every_type_that_is_not_meta_or_legacy_is_emitted_by_exactly_the_phases_of_the_workflow():
    emitted = {kind for phase in workflow.default().phases for kind in phase.emits}
    assert emitted == PAYLOADS.keys() - META_TYPES - LEGACY_TYPES
