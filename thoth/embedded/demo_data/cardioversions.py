"""Cardioversions, electrical and pharmacological."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.frames import (
    Ints,
    TableRows,
    day,
    day_key,
    integer,
    label,
    or_null,
    table,
)
from thoth.embedded.demo_data.hospital import Hospital, chronological
from thoth.embedded.demo_data.sampling import chance, choose, choose_by_row, stream
from thoth.embedded.demo_data.stays import URGENT

ELECTRICAL, PHARMACOLOGICAL = 0, 1
SUCCESS, FAILURE, RELAPSE = 0, 1, 2
_RHYTHMS = ("fibrillazione atriale", "flutter atriale", "tachicardia atriale", "ritmo sinusale")
_SINUS = 3
_DIAGNOSES = ("Fibrillazione atriale", "Flutter atriale", "Tachicardia atriale")
_DRUGS = ("amiodarone", "flecainide", "propafenone", "vernakalant")
_JOULES = np.array([100, 150, 200, 360])


@dataclass(frozen=True, slots=True)
class Cardioversions:
    """Parallel arrays in chronological order; the key is the position + 1."""

    patient: Ints
    stay: Ints  # index, -1 without one
    days: Ints
    rhythm: Ints  # index into _RHYTHMS, before
    method: Ints

    def __len__(self) -> int:
        return len(self.patient)


def draw_cardioversions(seed: int, hospital: Hospital) -> Cardioversions:
    """Half of the stays for an atrial arrhythmia have one; a quarter of them are outpatients."""
    rng = stream(seed, "cardioversions")
    rhythms = _rhythm_of_diagnosis()
    of_stay = rhythms[hospital.stays.diagnosis]
    share = np.where(hospital.stays.kind == URGENT, 0.56, 0.34)
    stay = np.flatnonzero((of_stay >= 0) & chance(rng, share, len(of_stay)))
    own = rhythms[hospital.patients.diagnosis]
    visitor = np.flatnonzero((own >= 0) & chance(rng, 0.34, len(own)))
    days, can_come = hospital.outpatient_days(rng, visitor)
    visitor = visitor[can_come]
    patient = np.concatenate([hospital.stays.patient[stay], visitor])
    stays = np.concatenate([stay, np.full(len(visitor), -1)])
    days = np.concatenate([hospital.day_in_stay(rng, stay, first_days=3), days[can_come]])
    rhythm = np.concatenate([of_stay[stay], own[visitor]])
    method = choose(rng, (0.66, 0.34), len(patient))
    order = chronological(days, patient)
    return Cardioversions(patient[order], stays[order], days[order], rhythm[order], method[order])


def _rhythm_of_diagnosis() -> Ints:
    rhythms = np.full(len(words.DIAGNOSES) + 1, -1)
    for index, name in enumerate(_DIAGNOSES):
        rhythms[words.diagnosis_id(name)] = index
    return rhythms


def cardioversion_table(seed: int, hospital: Hospital, rows: Cardioversions) -> TableRows:
    """fact_cardioversione."""
    rng = stream(seed, "cardioversion details")
    size = len(rows)
    electrical = rows.method == ELECTRICAL
    outcome = choose_by_row(rng, np.array([[0.84, 0.1, 0.06], [0.63, 0.3, 0.07]]), rows.method)
    after = np.where(outcome == SUCCESS, _SINUS, rows.rhythm)
    joules = _JOULES[choose(rng, (0.12, 0.38, 0.42, 0.08), size)]
    shocks = 1 + choose(rng, (0.74, 0.18, 0.06, 0.02), size)
    clinic = words.department_id("Ambulatorio aritmie")
    ward = np.where(chance(rng, 0.55, size), words.department_id("Elettrofisiologia"), 1)
    return table(
        "fact_cardioversione",
        [
            integer("id_cardioversione", np.arange(1, size + 1)),
            integer("id_paziente", rows.patient + 1),
            integer("id_ricovero", hospital.stays.keys(rows.stay)),
            integer("id_reparto", np.where(rows.stay >= 0, ward, clinic)),
            day_key("data_key_procedura", rows.days),
            day("data_procedura", rows.days),
            label("tipo_cardioversione", rows.method, "EF"),
            label(
                "farmaco", or_null(choose(rng, (0.5, 0.24, 0.17, 0.09), size), ~electrical), _DRUGS
            ),
            integer("energia_joule", or_null(joules, electrical)),
            integer("numero_shock", or_null(shocks, electrical)),
            label("ritmo_pre", rows.rhythm, _RHYTHMS),
            label("ritmo_post", or_null(after, chance(rng, 0.97, size)), _RHYTHMS),
            label("esito_cardioversione", outcome, "SIR"),
        ],
    )
