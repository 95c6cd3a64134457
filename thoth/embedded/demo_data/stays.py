"""Hospital admissions: the backbone that procedures, devices and examinations hang on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from thoth.embedded.demo_data.frames import (
    NULL,
    Bools,
    Ints,
    or_null,
)
from thoth.embedded.demo_data.patients import (
    Patients,
    category_of_diagnosis,
    diagnoses_in,
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
)

_DAY_BITS = 20  # a day number fits in 20 bits: (patient, day) is one sortable integer
_STILL_IN = LAST_DAY + 1

ORDINARY, DAY_HOSPITAL = 0, 1
PLANNED, URGENT, TRANSFERRED = 0, 1, 2
DIED = 1  # index of esito '2'

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
    died = stays.outcome == DIED
    deaths[stays.patient[died]] = stays.discharged[died]
    return deaths


def last_discharge(stays: Stays, patients: int) -> Ints:
    """Last day each patient is known to be alive; NULL when dead or still in hospital."""
    latest = np.full(patients, FIRST_DAY)
    np.maximum.at(latest, stays.patient, stays.last_day)
    ended = (stays.outcome == DIED) | (stays.discharged == NULL)
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
    outcome = np.where(regime == DAY_HOSPITAL, 0, np.where(died, DIED, alive))
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
        & (first.outcome != DIED)
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
    died = stays.outcome == DIED
    np.minimum.at(death, stays.patient[died], stays.discharged[died])
    return _subset(stays, stays.admitted <= death[stays.patient])
