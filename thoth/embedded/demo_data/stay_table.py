"""fact_ricovero: the stays with ward, comorbidity, origin, DRG and refund."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.frames import (
    NULL,
    Ints,
    TableRows,
    day,
    day_key,
    decimal,
    integer,
    label,
    or_null,
    table,
)
from thoth.embedded.demo_data.patients import category_of_diagnosis, free_notes
from thoth.embedded.demo_data.sampling import chance, choose, choose_by_row, stream, whole, years
from thoth.embedded.demo_data.stays import DAY_HOSPITAL, ORDINARY, Stays

_ICU, _SANTA_LUCIA, _OLD_ICU = 2, 6, 10  # department keys

# one row per category of the vocabulary, in its order
_WARD_WEIGHTS = np.array(  # columns: the ten wards, departments 1 to 10
    [
        [33, 10, 42, 0, 2, 8, 3, 2, 1, 0],
        [32, 12, 40, 0, 0, 10, 3, 3, 1, 0],
        [35, 42, 0, 7, 3, 7, 2, 0, 2, 2],
        [42, 17, 2, 0, 1, 12, 19, 6, 2, 0],
        [40, 6, 0, 4, 36, 5, 4, 2, 3, 0],
        [50, 14, 18, 0, 1, 8, 5, 2, 2, 0],
        [45, 12, 3, 0, 2, 12, 20, 5, 0, 1],
        [40, 5, 2, 1, 0, 14, 30, 7, 1, 0],
    ],
    dtype=float,
)
_DRGS = ("138", "139", "116", "117", "121", "122", "127", "104", "105", "144", "141", "143")
_DRG_WEIGHTS = (0.81, 0.53, 2.29, 1.37, 1.58, 1.02, 1.03, 7.94, 5.66, 1.18, 0.72, 0.55)
_DRG_CHOICE = np.array(
    [
        [7, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 7, 3, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 5, 5, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 9, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 5, 5, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 2, 0, 0, 8, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 7, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 9],
    ],
    dtype=float,
)
_COMORBIDITIES = (
    ("Ipertensione arteriosa essenziale", 24),
    ("Fibrillazione atriale", 18),
    ("Diabete mellito tipo 2", 16),
    ("Insufficienza renale cronica", 12),
    ("Scompenso cardiaco congestizio", 9),
    ("Broncopneumopatia cronica ostruttiva", 8),
    ("Iperlipidemia", 7),
    ("Insufficienza mitralica", 4),
    ("Aterosclerosi coronarica", 2),
)


def stay_table(seed: int, stays: Stays, procedure: Ints) -> TableRows:
    """fact_ricovero; `procedure` is the main procedure's key per stay, or NULL."""
    rng = stream(seed, "stay details")
    size = len(stays)
    category = category_of_diagnosis()[stays.diagnosis]
    ward = _wards(rng, stays, category)
    drg = or_null(
        choose_by_row(rng, _DRG_CHOICE, category),
        (stays.discharged != NULL) & ~chance(rng, 0.02, size),
    )
    order = np.argsort(stays.key)
    columns = [
        integer("id_ricovero", stays.key),
        integer("id_paziente", stays.patient + 1),
        integer("id_reparto", ward),
        integer("id_reparto_dimissione", _last_wards(rng, stays, ward)),
        integer("id_diagnosi_principale", stays.diagnosis),
        integer("id_diagnosi_secondaria", _comorbidities(rng, stays)),
        integer("id_procedura_principale", procedure),
        day_key("data_key_ricovero", stays.admitted),
        day("data_ricovero", stays.admitted),
        day("data_dimissione", stays.discharged),
        label("regime", stays.regime, "OD"),
        label("tipo_ricovero", stays.kind, "PUT"),
        label("provenienza", _origins(rng, stays), "1234"),
        label("esito", stays.outcome, "12345"),
        label("codice_drg", drg, _DRGS),
        decimal("peso_drg", _drg_scaled(drg, 10_000), 4),
        decimal("importo_rimborso", _refunds(stays, drg), 2),
        free_notes(rng, "note_dimissione", size, share=0.12),
    ]
    return table("fact_ricovero", [replace(c, values=c.values[order]) for c in columns])


def _wards(rng: np.random.Generator, stays: Stays, category: Ints) -> Ints:
    ward = choose_by_row(rng, _WARD_WEIGHTS, category) + 1
    closed = (ward == _OLD_ICU) & (years(stays.admitted) >= 2020)
    day_case = (stays.regime == DAY_HOSPITAL) & np.isin(ward, (_ICU, _OLD_ICU))
    return np.where(closed, _SANTA_LUCIA, np.where(day_case, 1, ward))


def _last_wards(rng: np.random.Generator, stays: Stays, ward: Ints) -> Ints:
    """Intensive care hands most patients over to Cardiologia; other wards keep theirs."""
    leaves = np.where(np.isin(ward, (_ICU, _OLD_ICU)), 0.72, 0.06)
    moved = chance(rng, leaves, len(stays)) & (stays.regime == ORDINARY)
    return or_null(np.where(moved, 1, ward), stays.discharged != NULL)


def _comorbidities(rng: np.random.Generator, stays: Stays) -> Ints:
    keys = np.array([words.diagnosis_id(name) for name, _ in _COMORBIDITIES])
    drawn = keys[choose(rng, [weight for _, weight in _COMORBIDITIES], len(stays))]
    return or_null(drawn, chance(rng, 0.58, len(stays)) & (drawn != stays.diagnosis))


def _origins(rng: np.random.Generator, stays: Stays) -> Ints:
    by_kind = np.array([[0.02, 0.38, 0.02, 0.58], [0.82, 0.08, 0.03, 0.07], [0, 0, 1.0, 0]])
    origin = choose_by_row(rng, by_kind, stays.kind)
    return or_null(origin, chance(rng, 0.94, len(stays)))


def _drg_scaled(drg: Ints, unit: int) -> Ints:
    weights = whole(np.array(_DRG_WEIGHTS) * unit)
    return or_null(weights[np.where(drg == NULL, 0, drg)], drg != NULL)


def _refunds(stays: Stays, drg: Ints) -> Ints:
    """Euro cents: a tariff per DRG weight that rises a little each year; 40 % for day cases."""
    tariff = 3_150 * (1 + 0.012 * (years(stays.admitted) - 2017))
    share = np.where(stays.regime == DAY_HOSPITAL, 0.4, 1.0)
    weight = np.array(_DRG_WEIGHTS)[np.where(drg == NULL, 0, drg)]
    return or_null(whole(weight * tariff * share * 100), drg != NULL)
