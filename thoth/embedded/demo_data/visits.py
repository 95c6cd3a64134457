"""Outpatient appointments and what was measured at them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.frames import (
    Bools,
    Column,
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
from thoth.embedded.demo_data.patients import diagnoses_in
from thoth.embedded.demo_data.sampling import chance, choose, choose_by_row, counts, stream, whole

HELD, CANCELLED, MISSED = 0, 1, 2
FIRST, FOLLOW_UP, URGENT = 0, 1, 2
_REASONS = (
    "controllo dispositivo",
    "fibrillazione atriale",
    "scompenso cardiaco",
    "ipertensione",
    "dolore toracico",
    "palpitazioni",
    "dispnea",
    "sincope",
    "soffio cardiaco",
    "valutazione preoperatoria",
)
# one row or element per category of the vocabulary, in its order
_REASON_WEIGHTS = np.array(
    [
        [4, 46, 3, 10, 4, 25, 3, 3, 0, 2],
        [44, 8, 4, 12, 3, 7, 4, 14, 1, 3],
        [4, 6, 8, 22, 42, 4, 9, 1, 1, 3],
        [12, 9, 50, 8, 3, 2, 14, 1, 0, 1],
        [2, 8, 12, 8, 5, 4, 20, 4, 30, 7],
        [14, 7, 38, 6, 6, 9, 14, 4, 0, 2],
        [3, 5, 3, 42, 16, 7, 8, 10, 2, 4],
        [1, 5, 2, 34, 22, 14, 8, 3, 2, 9],
    ],
    dtype=float,
)
_MEAN_VISITS = np.array([3.9, 4.4, 3.3, 4.6, 3.2, 3.8, 2.5, 1.8])
_STATE_WEIGHTS = np.array([[0.80, 0.08, 0.12], [0.85, 0.08, 0.07], [0.95, 0.01, 0.04]])
_CLINIC_OF_REASON = {
    "controllo dispositivo": "Ambulatorio dispositivi",
    "fibrillazione atriale": "Ambulatorio aritmie",
    "palpitazioni": "Ambulatorio aritmie",
    "scompenso cardiaco": "Ambulatorio scompenso",
}


@dataclass(frozen=True, slots=True)
class Visits:
    """Parallel arrays in chronological order; the key is the position + 1."""

    patient: Ints
    days: Ints
    kind: Ints
    state: Ints

    def __len__(self) -> int:
        return len(self.patient)


def draw_visits(seed: int, hospital: Hospital) -> Visits:
    """Appointments on working days, of living patients outside their stays."""
    rng = stream(seed, "visits")
    repeats = counts(rng, _MEAN_VISITS[hospital.patients.profile], dispersion=1.1)
    patient = np.repeat(np.arange(len(hospital.patients)), repeats)
    days, can_come = hospital.outpatient_days(rng, patient)
    patient, days = patient[can_come], days[can_come]
    order = chronological(days, patient)
    patient, days = patient[order], days[order]
    size = len(patient)
    initial = np.zeros(size, dtype=bool)
    initial[np.unique(patient, return_index=True)[1]] = True
    kind = np.where(initial & chance(rng, 0.85, size), FIRST, FOLLOW_UP)
    kind = np.where(chance(rng, 0.09, size), URGENT, kind)
    return Visits(patient, days, kind, choose_by_row(rng, _STATE_WEIGHTS, kind))


def visit_table(seed: int, hospital: Hospital, visits: Visits) -> TableRows:
    """fact_visita."""
    rng = stream(seed, "visit details")
    size = len(visits)
    held = visits.state == HELD
    reason = choose_by_row(rng, _REASON_WEIGHTS, hospital.patients.profile[visits.patient])
    systolic, diastolic = _pressures(rng, size)
    measured = held & chance(rng, 0.93, size)
    rate = np.clip(whole(rng.normal(74, 13, size)), 38, 170)
    return table(
        "fact_visita",
        [
            integer("id_visita", np.arange(1, size + 1)),
            integer("id_paziente", visits.patient + 1),
            integer("id_reparto", _clinics(rng, reason)),
            integer("id_diagnosi", _diagnoses(rng, hospital, visits)),
            day_key("data_key_visita", visits.days),
            day("data_visita", visits.days),
            day("data_prenotazione", _booked(rng, visits)),
            label("tipo_visita", visits.kind, "PCU"),
            label("stato_visita", visits.state, "EAN"),
            label("motivo", reason, _REASONS),
            integer("pressione_sistolica", or_null(systolic, measured)),
            integer("pressione_diastolica", or_null(diastolic, measured)),
            integer("frequenza_cardiaca", or_null(rate, held & chance(rng, 0.9, size))),
            *_body(rng, hospital, visits),
        ],
    )


def _pressures(rng: np.random.Generator, size: int) -> tuple[Ints, Ints]:
    systolic = np.clip(whole(rng.normal(134, 18, size)), 85, 220)
    diastolic = np.clip(whole(0.42 * systolic + rng.normal(22, 7, size)), 45, 120)
    return systolic, diastolic


def _clinics(rng: np.random.Generator, reason: Ints) -> Ints:
    general = "Ambulatorio cardiologia generale"
    names = [_CLINIC_OF_REASON.get(name, general) for name in _REASONS]
    clinic = np.array([words.department_id(name) for name in names])[reason]
    elsewhere = chance(rng, 0.16, len(reason))
    return np.where(elsewhere, words.department_id("Ambulatorio Santa Lucia"), clinic)


def _diagnoses(rng: np.random.Generator, hospital: Hospital, visits: Visits) -> Ints:
    size = len(visits)
    own = hospital.patients.diagnosis[visits.patient]
    other = diagnoses_in(rng, choose(rng, (10, 5, 8, 8, 5, 2, 30, 32), size))
    diagnosis = np.where(chance(rng, 0.68, size), own, other)
    return or_null(diagnosis, (visits.state == HELD) & chance(rng, 0.8, size))


def _booked(rng: np.random.Generator, visits: Visits) -> Ints:
    waited = np.clip(whole(rng.lognormal(3.3, 0.8, len(visits))), 0, 400)
    return or_null(visits.days - waited, visits.kind != URGENT)


def _body(rng: np.random.Generator, hospital: Hospital, visits: Visits) -> tuple[Column, Column]:
    """Height belongs to the patient; weight moves a little from visit to visit."""
    size, people = len(visits), len(hospital.patients)
    height = whole(rng.normal(np.where(hospital.patients.sex == 0, 173.0, 160.5), 6.8, people))
    height = np.clip(height, 138, 204)
    index = np.clip(rng.normal(27.1, 4.6, people), 16.5, 52)
    kilos = (index * (height / 100) ** 2)[visits.patient] * rng.normal(1, 0.025, size)
    measured: Bools = (visits.state == HELD) & chance(rng, 0.74, size)
    return (
        decimal("peso_kg", or_null(whole(kilos * 10), measured), 1),
        integer("altezza_cm", or_null(height[visits.patient], measured)),
    )
