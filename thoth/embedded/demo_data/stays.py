"""Hospital admissions: the backbone that procedures, devices and examinations hang on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.frames import (
    NULL,
    Bools,
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
from thoth.embedded.demo_data.patients import (
    Patients,
    category_of_diagnosis,
    diagnoses_in,
    free_notes,
)
from thoth.embedded.demo_data.sampling import (
    FIRST_DAY,
    LAST_DAY,
    chance,
    choose,
    choose_by_row,
    counts,
    seasonal_days,
    stream,
    whole,
    years,
)

_DAY_BITS = 20  # a day number fits in 20 bits: (patient, day) is one sortable integer
_STILL_IN = LAST_DAY + 1

ORDINARY, DAY_HOSPITAL = 0, 1
PLANNED, URGENT, TRANSFERRED = 0, 1, 2
_DIED = 1  # index of esito '2'
_ICU, _SANTA_LUCIA, _OLD_ICU = 2, 6, 10  # department keys

# one row or element per category of the vocabulary, in its order
_MEAN_ADMISSIONS = np.array([1.95, 1.75, 2.05, 2.75, 1.9, 2.1, 1.3, 1.2])
_DAY_HOSPITAL_SHARE = np.array([0.24, 0.14, 0.07, 0.04, 0.08, 0.09, 0.11, 0.13])
_MEDIAN_STAY_DAYS = np.array([2.6, 3.8, 5.0, 8.2, 9.0, 6.2, 5.2, 4.0])
_DEATH_RATE = np.array([0.016, 0.018, 0.045, 0.072, 0.042, 0.048, 0.034, 0.026])
_READMISSION_RATE = np.array([0.046, 0.034, 0.060, 0.122, 0.056, 0.070, 0.038, 0.034])
_KIND_WEIGHTS = np.array(
    [
        [0.56, 0.40, 0.04],
        [0.44, 0.50, 0.06],
        [0.22, 0.66, 0.12],
        [0.16, 0.78, 0.06],
        [0.72, 0.18, 0.10],
        [0.42, 0.50, 0.08],
        [0.24, 0.72, 0.04],
        [0.30, 0.68, 0.02],
    ]
)
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


@dataclass(frozen=True, slots=True)
class Stays:
    """Parallel arrays, one element per admission, ordered by patient and day of admission.

    `patient` counts from 0; `discharged` and `outcome` are NULL for an open stay. Two stays of
    a patient never share a day.
    """

    patient: Ints
    diagnosis: Ints
    admitted: Ints
    discharged: Ints
    regime: Ints
    kind: Ints
    outcome: Ints
    key: Ints  # id_ricovero: chronological over all patients

    def __len__(self) -> int:
        return len(self.patient)

    @property
    def last_day(self) -> Ints:
        """Discharge, or the last day of the data for an open stay."""
        return np.where(self.discharged == NULL, LAST_DAY, self.discharged)

    def at(self, patient: Ints, days: Ints) -> Ints:
        """Index of the stay that holds each patient on that day, or -1."""
        starts = (self.patient << _DAY_BITS) + self.admitted
        index = np.searchsorted(starts, (patient << _DAY_BITS) + days, side="right") - 1
        found = np.maximum(index, 0)
        inside = (index >= 0) & (self.patient[found] == patient) & (days <= self.last_day[found])
        return np.where(inside, index, -1)

    def keys(self, index: Ints) -> Ints:
        """id_ricovero of each index that `at` returned; NULL for -1."""
        return or_null(self.key[np.maximum(index, 0)], index >= 0)


def draw_stays(seed: int, patients: Patients) -> Stays:
    """Admissions with readmissions, without overlaps, ending with the first death."""
    rng = stream(seed, "stays")
    first = _independent_stays(rng, patients)
    again = _readmissions(rng, first)
    stays = _without_overlaps(_joined(first, again))
    stays = _until_death(stays)
    chronological = np.argsort(stays.admitted, kind="stable")
    keys = np.empty(len(stays), dtype=np.int64)
    keys[chronological] = np.arange(1, len(stays) + 1)
    return replace(stays, key=keys)


def deaths_in_hospital(stays: Stays, patients: int) -> Ints:
    """Day of death by patient, NULL for whoever did not die in hospital."""
    deaths = np.full(patients, NULL)
    died = stays.outcome == _DIED
    deaths[stays.patient[died]] = stays.discharged[died]
    return deaths


def last_discharge(stays: Stays, patients: int) -> Ints:
    """Last day each patient is known to be alive; NULL when dead or still in hospital."""
    latest = np.full(patients, FIRST_DAY)
    np.maximum.at(latest, stays.patient, stays.last_day)
    ended = (stays.outcome == _DIED) | (stays.discharged == NULL)
    latest[stays.patient[ended]] = NULL
    return latest


def _independent_stays(rng: np.random.Generator, patients: Patients) -> Stays:
    repeats = counts(rng, _MEAN_ADMISSIONS[patients.profile], dispersion=0.9)
    patient = np.repeat(np.arange(len(patients)), repeats)
    size = len(patient)
    other = choose(rng, (0.34, 0.09, 0.17, 0.13, 0.06, 0.04, 0.12, 0.05), size)
    source = choose(rng, (0.60, 0.20, 0.20), size)  # own diagnosis, own category, anything
    category = np.where(source == 2, other, patients.profile[patient])
    diagnosis = np.where(source == 0, patients.diagnosis[patient], diagnoses_in(rng, category))
    category = category_of_diagnosis()[diagnosis]
    regime = chance(rng, _DAY_HOSPITAL_SHARE[category], size).astype(np.int64)
    kind = np.where(regime == DAY_HOSPITAL, PLANNED, choose_by_row(rng, _KIND_WEIGHTS, category))
    admitted = np.where(
        kind == PLANNED, seasonal_days(rng, size, on_weekends=False), seasonal_days(rng, size)
    )
    return _stays(rng, patient, diagnosis, admitted, regime, kind)


def _stays(
    rng: np.random.Generator,
    patient: Ints,
    diagnosis: Ints,
    admitted: Ints,
    regime: Ints,
    kind: Ints,
) -> Stays:
    """Stays with a length and an outcome; those that run past the last day stay open."""
    size = len(patient)
    category = category_of_diagnosis()[diagnosis]
    nights = whole(_MEDIAN_STAY_DAYS[category] * rng.lognormal(0.0, 0.62, size))
    nights = np.where(regime == DAY_HOSPITAL, 0, np.clip(nights, 1, 90))
    discharged = or_null(admitted + nights, admitted + nights <= LAST_DAY)
    alive = np.array([0, 2, 3, 4])[choose(rng, (0.86, 0.05, 0.02, 0.07), size)]
    died = chance(rng, _DEATH_RATE[category], size) & (regime == ORDINARY)
    outcome = np.where(regime == DAY_HOSPITAL, 0, np.where(died, _DIED, alive))
    return Stays(
        patient,
        diagnosis,
        admitted,
        discharged,
        regime,
        kind,
        outcome=or_null(outcome, discharged != NULL),
        key=np.zeros(size, dtype=np.int64),
    )


def _readmissions(rng: np.random.Generator, first: Stays) -> Stays:
    """For some stays that ended alive, an urgent one 1 to 30 days later, soon more often."""
    category = category_of_diagnosis()[first.diagnosis]
    returns = (
        chance(rng, _READMISSION_RATE[category], len(first))
        & (first.discharged != NULL)
        & (first.outcome != _DIED)
    )
    patient, size = first.patient[returns], int(returns.sum())
    delay = 1 + np.floor(30 * rng.random(size) ** 1.5).astype(np.int64)
    admitted = first.discharged[returns] + delay
    same = chance(rng, 0.6, size)
    diagnosis = np.where(same, first.diagnosis[returns], diagnoses_in(rng, category[returns]))
    ordinary = np.full(size, ORDINARY)
    stays = _stays(rng, patient, diagnosis, admitted, ordinary, np.full(size, URGENT))
    return _subset(stays, admitted <= LAST_DAY)


def _joined(one: Stays, two: Stays) -> Stays:
    """Both, ordered by patient and day of admission."""
    pairs = {
        field.name: np.concatenate([getattr(one, field.name), getattr(two, field.name)])
        for field in fields(Stays)
    }
    order = np.argsort((pairs["patient"] << _DAY_BITS) + pairs["admitted"], kind="stable")
    return Stays(**{name: values[order] for name, values in pairs.items()})


def _subset(stays: Stays, keep: Bools) -> Stays:
    return Stays(**{field.name: getattr(stays, field.name)[keep] for field in fields(Stays)})


def _without_overlaps(stays: Stays) -> Stays:
    """Drops a stay that begins before, or on the day that, an earlier one of the patient ends."""
    base = stays.patient << _DAY_BITS
    ends = base + np.where(stays.discharged == NULL, _STILL_IN, stays.discharged)
    latest_end = np.maximum.accumulate(ends)
    free = np.ones(len(stays), dtype=bool)
    free[1:] = (base + stays.admitted)[1:] > latest_end[:-1]
    return _subset(stays, free)


def _until_death(stays: Stays) -> Stays:
    """Drops what follows a patient's first fatal stay."""
    size = int(stays.patient.max()) + 1
    death = np.full(size, _STILL_IN)
    died = stays.outcome == _DIED
    np.minimum.at(death, stays.patient[died], stays.discharged[died])
    return _subset(stays, stays.admitted <= death[stays.patient])


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
