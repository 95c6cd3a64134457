"""Examinations asked for during stays, at visits, and from outside."""

from __future__ import annotations

from dataclasses import dataclass

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
from thoth.embedded.demo_data.hospital import Hospital, chronological
from thoth.embedded.demo_data.sampling import (
    LAST_DAY,
    chance,
    choose,
    choose_by_row,
    counts,
    stream,
    whole,
)
from thoth.embedded.demo_data.visits import HELD, Visits

_KINDS = (
    "elettrocardiogramma",
    "ecocardiogramma",
    "Holter",
    "test da sforzo",
    "coronarografia",
    "risonanza magnetica cardiaca",
    "troponina",
    "NT-proBNP",
    "creatinina",
    "potassio",
    "INR",
)
_UNITS = ("%", "ng/L", "pg/mL", "mg/dL", "mmol/L", "ratio")
_UNIT_OF_KIND = np.array([-1, 0, -1, -1, -1, 0, 1, 2, 3, 4, 5])
_IN_STAY, _AT_VISIT, _OUTSIDE = range(3)
_KIND_WEIGHTS = np.array(
    [
        [24, 16, 5, 1, 8, 2, 13, 9, 12, 9, 1],
        [30, 27, 15, 7, 0, 2, 0, 6, 6, 4, 3],
        [22, 18, 16, 9, 0, 3, 0, 5, 10, 8, 9],
    ],
    dtype=float,
)


@dataclass(frozen=True, slots=True)
class Examinations:
    """Parallel arrays ordered by day of request; the key is the position + 1."""

    patient: Ints
    visit: Ints  # index, -1 without one
    origin: Ints
    asked: Ints
    done: Ints  # NULL when never done

    def __len__(self) -> int:
        return len(self.patient)


def draw_examinations(seed: int, hospital: Hospital, visits: Visits) -> Examinations:
    """Requests in order of day. What a patient did not live to, or the data do not reach, stays
    undone."""
    rng = stream(seed, "examinations")
    parts = (_during_stays(rng, hospital), _at_visits(rng, visits), _from_outside(rng, hospital))
    patient, visit, asked, done = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    origin = np.repeat(np.arange(3), [len(part[0]) for part in parts])
    done = or_null(done, hospital.alive(patient, done) & chance(rng, 0.965, len(done)))
    order = chronological(asked, patient)
    return Examinations(patient[order], visit[order], origin[order], asked[order], done[order])


def _during_stays(rng: np.random.Generator, hospital: Hospital) -> tuple[Ints, Ints, Ints, Ints]:
    per_stay = counts(rng, np.full(len(hospital.stays), 1.05), dispersion=1.5)
    stay = np.repeat(np.arange(len(hospital.stays)), per_stay)
    done = hospital.day_in_stay(rng, stay, first_days=6)
    asked = np.maximum(
        done - choose(rng, (0.6, 0.3, 0.1), len(stay)), hospital.stays.admitted[stay]
    )
    return hospital.stays.patient[stay], np.full(len(stay), -1), asked, done


def _at_visits(rng: np.random.Generator, visits: Visits) -> tuple[Ints, Ints, Ints, Ints]:
    visit = np.flatnonzero((visits.state == HELD) & chance(rng, 0.46, len(visits)))
    asked = visits.days[visit]
    delay = np.where(chance(rng, 0.45, len(visit)), 0, whole(rng.gamma(1.6, 18, len(visit))))
    return visits.patient[visit], visit, asked, asked + delay


def _from_outside(rng: np.random.Generator, hospital: Hospital) -> tuple[Ints, Ints, Ints, Ints]:
    repeats = counts(rng, np.full(len(hospital.patients), 0.8), dispersion=0.8)
    patient = np.repeat(np.arange(len(hospital.patients)), repeats)
    asked, can_come = hospital.outpatient_days(rng, patient)
    patient, asked = patient[can_come], asked[can_come]
    done = asked + whole(rng.gamma(1.4, 20, len(patient)))
    return patient, np.full(len(patient), -1), asked, done


def examination_table(seed: int, hospital: Hospital, rows: Examinations) -> TableRows:
    """fact_esame."""
    rng = stream(seed, "examination details")
    size = len(rows)
    kind = choose_by_row(rng, _KIND_WEIGHTS, rows.origin)
    reported = rows.done + np.where(rows.origin == _IN_STAY, 0, choose(rng, (5, 2, 1, 1, 1), size))
    known = (rows.done != NULL) & (reported <= LAST_DAY) & chance(rng, 0.965, size)
    unit = _UNIT_OF_KIND[kind]
    clinic = words.department_id("Ambulatorio cardiologia generale")
    ward = choose(rng, (45, 25, 20, 10), size) + 1
    stay = hospital.stays.at(rows.patient, np.where(rows.done == NULL, 0, rows.done))
    return table(
        "fact_esame",
        [
            integer("id_esame", np.arange(1, size + 1)),
            integer("id_paziente", rows.patient + 1),
            integer("id_ricovero", hospital.stays.keys(stay)),
            integer("id_visita", or_null(rows.visit + 1, rows.visit >= 0)),
            integer("id_reparto", np.where(rows.origin == _IN_STAY, ward, clinic)),
            day_key("data_key_esecuzione", rows.done),
            day("data_richiesta", rows.asked),
            day("data_esecuzione", rows.done),
            day("data_referto", or_null(reported, known)),
            label("tipo_esame", kind, _KINDS),
            decimal("valore", or_null(_values(rng, kind), known & (unit >= 0)), 2),
            label("unita_misura", or_null(unit, unit >= 0), _UNITS),
            label("esito_esame", or_null(_results(rng, rows), known), "NPD"),
        ],
    )


def _values(rng: np.random.Generator, kind: Ints) -> Ints:
    """Hundredths of the unit; 0 for examinations without a number."""
    size = len(kind)
    normal, skewed = rng.normal(0, 1, size), rng.lognormal(0, 1, size)
    by_kind = (
        np.zeros(size),
        np.clip(52 + 11 * normal, 12, 76).round(),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.clip(54 + 10 * normal, 14, 78).round(),
        np.clip(24 * skewed**1.4, 3, 9_000).round(),
        np.clip(620 * skewed**1.1, 20, 34_000).round(),
        np.clip(1.05 + 0.28 * skewed * 0.7, 0.5, 9),
        np.clip(4.3 + 0.48 * normal, 2.6, 6.9).round(1),
        np.clip(1.1 + 0.9 * np.abs(normal), 0.9, 6).round(1),
    )
    return whole(np.choose(kind, by_kind) * 100)


def _results(rng: np.random.Generator, rows: Examinations) -> Ints:
    weights = np.array([[0.45, 0.49, 0.06], [0.62, 0.30, 0.08], [0.7, 0.22, 0.08]])
    return choose_by_row(rng, weights, rows.origin)
