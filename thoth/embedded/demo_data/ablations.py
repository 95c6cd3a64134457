"""Ablations and the manoeuvres and diseases recorded for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
    flag,
    integer,
    label,
    or_null,
    table,
)
from thoth.embedded.demo_data.hospital import Hospital, chronological
from thoth.embedded.demo_data.patients import free_notes
from thoth.embedded.demo_data.sampling import chance, choose, choose_by_row, stream, whole, years
from thoth.embedded.demo_data.stays import ORDINARY, URGENT

ATRIAL_FIBRILLATION, FLUTTER = 0, 1
# label of the disease, the diagnosis it corresponds to, share of such stays with an ablation
_DISEASES = (
    ("fibrillazione atriale", "Fibrillazione atriale", 0.36),
    ("flutter atriale", "Flutter atriale", 0.42),
    ("tachicardia da rientro nodale", "Tachicardia parossistica sopraventricolare", 0.55),
    ("tachicardia ventricolare", "Tachicardia ventricolare parossistica", 0.30),
    ("tachicardia atriale", "Tachicardia atriale", 0.40),
    ("extrasistolia ventricolare", "Extrasistolia ventricolare", 0.35),
    ("sindrome di Wolff-Parkinson-White", "Sindrome di Wolff-Parkinson-White", 0.65),
)
DISEASES = tuple(name for name, *_ in _DISEASES)
_ENERGIES = ("RF", "CRIO", "PFA", "LAS")
RADIOFREQUENCY, CRYO, PULSED, LASER = range(4)
_MANOEUVRES = (
    ("ablazione", "Ablazione transcatetere di aritmia"),
    ("isolamento delle vene polmonari", "Isolamento delle vene polmonari"),
    ("studio elettrofisiologico", "Studio elettrofisiologico"),
    ("mappaggio elettroanatomico", "Mappaggio elettroanatomico"),
    ("puntura transettale", "Puntura transettale"),
)
ABLATION, ISOLATION, STUDY, MAPPING, PUNCTURE = range(5)
_OUTPATIENT_SHARE = 0.055  # of the patients whose own disease can be ablated


@dataclass(frozen=True, slots=True)
class Ablations:
    """Parallel arrays in chronological order; the key is the position + 1."""

    patient: Ints
    stay: Ints  # index, -1 without one
    days: Ints
    disease: Ints  # index into DISEASES
    catheter: Bools

    def __len__(self) -> int:
        return len(self.patient)


def disease_of_diagnosis() -> Ints:
    """Index into DISEASES by diagnosis key, -1 for what no ablation treats."""
    indices = np.full(len(words.DIAGNOSES) + 1, -1)
    for index, (_, diagnosis, _) in enumerate(_DISEASES):
        indices[words.diagnosis_id(diagnosis)] = index
    return indices


def draw_ablations(seed: int, hospital: Hospital) -> Ablations:
    """Ablations during stays for an arrhythmia, and a few without a stay."""
    rng = stream(seed, "ablations")
    stay = _ablated_stays(rng, hospital)
    visitor = _ablated_outpatients(rng, hospital)
    days, can_come = hospital.outpatient_days(rng, visitor)
    visitor, visitor_days = visitor[can_come], days[can_come]
    patient = np.concatenate([hospital.stays.patient[stay], visitor])
    stays = np.concatenate([stay, np.full(len(visitor), -1)])
    days = np.concatenate([hospital.day_in_stay(rng, stay, first_days=2), visitor_days])
    own = hospital.patients.diagnosis[visitor]
    diagnosis = np.concatenate([hospital.stays.diagnosis[stay], own])
    disease = disease_of_diagnosis()[diagnosis]
    surgical = chance(rng, 0.13, len(patient)) & (disease == ATRIAL_FIBRILLATION)
    surgical &= (stays >= 0) & (hospital.stays.regime[stays] == ORDINARY)
    order = chronological(days, patient)
    return Ablations(patient[order], stays[order], days[order], disease[order], ~surgical[order])


def _ablated_stays(rng: np.random.Generator, hospital: Hospital) -> Ints:
    disease = disease_of_diagnosis()[hospital.stays.diagnosis]
    share = np.array([share for *_, share in _DISEASES])[disease]
    growth = 0.72 + 0.075 * (years(hospital.stays.admitted) - 2017)
    urgency = np.where(hospital.stays.kind == URGENT, 0.45, 1.25)
    chosen = (disease >= 0) & chance(rng, share * growth * urgency, len(disease))
    return np.flatnonzero(chosen)


def _ablated_outpatients(rng: np.random.Generator, hospital: Hospital) -> Ints:
    treatable = disease_of_diagnosis()[hospital.patients.diagnosis] >= 0
    return np.flatnonzero(treatable & chance(rng, _OUTPATIENT_SHARE, len(treatable)))


def ablation_tables(seed: int, hospital: Hospital, ablations: Ablations) -> Iterator[TableRows]:
    """fact_ablazione, fact_ablazione_procedura_patologia."""
    yield _ablation_table(stream(seed, "ablation details"), hospital, ablations)
    yield _manoeuvre_table(stream(seed, "manoeuvres"), ablations)


def _ablation_table(
    rng: np.random.Generator, hospital: Hospital, ablations: Ablations
) -> TableRows:
    size = len(ablations)
    energy = _energies(rng, ablations)
    catheter = ablations.catheter
    department = np.where(
        catheter, words.department_id("Elettrofisiologia"), words.department_id("Cardiochirurgia")
    )
    success = choose(rng, (0.07, 0.93), size)
    return table(
        "fact_ablazione",
        [
            integer("id_ablazione", np.arange(1, size + 1)),
            integer("id_paziente", ablations.patient + 1),
            integer("id_ricovero", hospital.stays.keys(ablations.stay)),
            integer("id_reparto", department),
            day_key("data_key_procedura", ablations.days),
            day("data_procedura", ablations.days),
            day("data_prenotazione", _booked(rng, hospital, ablations)),
            flag("ablazione_transcatetere", catheter.astype(np.int64)),
            label("energia", energy, _ENERGIES),
            integer("durata_minuti", _durations(rng, ablations, energy)),
            decimal("fluoroscopia_minuti", _fluoroscopy(rng, ablations), 1),
            flag("successo_acuto", or_null(success, chance(rng, 0.97, size))),
            label("complicanza", _complications(rng, ablations, energy), "NVTIF"),
            integer("numero_procedura", _ordinal(ablations.patient)),
            free_notes(rng, "note_operatore", size, share=0.15),
        ],
    )


def _energies(rng: np.random.Generator, ablations: Ablations) -> Ints:
    """Cryo only for fibrillation, pulsed field from 2021 on and growing, surgery often without."""
    year = years(ablations.days)
    weights = np.array([[0.97, 0.02, 0.0, 0.01], [0.56, 0.41, 0.0, 0.03], [0.62, 0.3, 0.0, 0.08]])
    fibrillation = ablations.disease == ATRIAL_FIBRILLATION
    row = np.where(ablations.catheter, fibrillation.astype(np.int64), 2)
    energy = choose_by_row(rng, weights, row)
    pulsed = chance(rng, np.clip((year - 2020) * 0.11, 0, 1), len(ablations))
    energy = np.where(pulsed & fibrillation & ablations.catheter, PULSED, energy)
    return or_null(energy, ablations.catheter | ~chance(rng, 0.35, len(ablations)))


def _durations(rng: np.random.Generator, ablations: Ablations, energy: Ints) -> Ints:
    by_energy = np.array([132.0, 98.0, 74.0, 150.0])[np.where(energy == NULL, 0, energy)]
    usual = np.where(ablations.catheter, by_energy, by_energy + 95)
    learning = 1 - 0.018 * (years(ablations.days) - 2017)
    minutes = whole(usual * learning * rng.lognormal(0, 0.24, len(ablations)))
    return or_null(np.clip(minutes, 25, 480), chance(rng, 0.96, len(ablations)))


def _fluoroscopy(rng: np.random.Generator, ablations: Ablations) -> Ints:
    """Tenths of a minute; some catheter procedures use none, surgery does not apply."""
    tenths = whole(rng.gamma(2.2, 55, len(ablations)))
    tenths = np.where(chance(rng, 0.14, len(ablations)), 0, tenths)
    return or_null(tenths, ablations.catheter & chance(rng, 0.93, len(ablations)))


def _complications(rng: np.random.Generator, ablations: Ablations, energy: Ints) -> Ints:
    weights = np.array(
        [
            [0.944, 0.036, 0.013, 0.007, 0.0],
            [0.925, 0.032, 0.01, 0.008, 0.025],
            [0.895, 0.0, 0.055, 0.05, 0.0],
        ]
    )
    row = np.where(ablations.catheter, (energy == CRYO).astype(np.int64), 2)
    return or_null(choose_by_row(rng, weights, row), chance(rng, 0.94, len(ablations)))


def _booked(rng: np.random.Generator, hospital: Hospital, ablations: Ablations) -> Ints:
    """Day of entry in the waiting list; urgent stays mostly skip it."""
    size = len(ablations)
    urgent = (ablations.stay >= 0) & (hospital.stays.kind[ablations.stay] == URGENT)
    listed = chance(rng, np.where(urgent, 0.15, 0.96), size)
    waited = np.clip(whole(rng.lognormal(3.9, 0.75, size)), 1, 540)
    return or_null(ablations.days - waited, listed)


def _ordinal(patient: Ints) -> Ints:
    """1 for a patient's first row, 2 for the second, ... in the given order."""
    order = np.argsort(patient, kind="stable")
    grouped = patient[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    sizes = np.diff(np.r_[starts, len(grouped)])
    ordinal = np.empty(len(patient), dtype=np.int64)
    ordinal[order] = np.arange(len(patient)) - np.repeat(starts, sizes) + 1
    return ordinal


def _manoeuvre_table(rng: np.random.Generator, ablations: Ablations) -> TableRows:
    position, manoeuvre, disease = _manoeuvres(rng, ablations)
    procedures = np.array([words.procedure_id(name) for _, name in _MANOEUVRES])
    procedure = procedures[manoeuvre]
    surgical = ~ablations.catheter[position] & (manoeuvre == ABLATION)
    procedure[surgical] = words.procedure_id("Ablazione chirurgica di aritmia")
    diagnoses = np.array([words.diagnosis_id(name) for _, name, _ in _DISEASES])
    coded = (disease != NULL) & chance(rng, 0.94, len(disease))
    return table(
        "fact_ablazione_procedura_patologia",
        [
            integer("id_ablazione", position + 1),
            integer("progressivo", _ordinal(position)),
            integer("id_procedura", procedure),
            integer("id_diagnosi", or_null(diagnoses[np.where(coded, disease, 0)], coded)),
            label("patologia", disease, DISEASES),
            label("procedure_type", manoeuvre, [name for name, _ in _MANOEUVRES]),
        ],
    )


def _manoeuvres(rng: np.random.Generator, ablations: Ablations) -> tuple[Ints, Ints, Ints]:
    """(position of the ablation, manoeuvre, disease or NULL), grouped by ablation; 1 to 4 each."""
    size = len(ablations)
    fibrillation = ablations.disease == ATRIAL_FIBRILLATION
    isolation = fibrillation & chance(rng, 0.78, size)
    flutter_too = fibrillation & chance(rng, 0.16, size)
    puncture = fibrillation & ablations.catheter & ~flutter_too & chance(rng, 0.5, size)
    studied, linked = chance(rng, 0.55, size), chance(rng, 0.35, size)
    mapped = chance(rng, 0.6, size)
    nothing, atrial = np.full(size, NULL), np.full(size, FLUTTER)
    parts = (
        (np.ones(size, dtype=bool), isolation.astype(np.int64), ablations.disease),
        (studied, np.full(size, STUDY), np.where(linked, ablations.disease, nothing)),
        (mapped, np.full(size, MAPPING), ablations.disease),
        (flutter_too, np.full(size, ABLATION), atrial),
        (puncture, np.full(size, PUNCTURE), nothing),
    )
    position = np.concatenate([np.flatnonzero(present) for present, *_ in parts])
    manoeuvre = np.concatenate([kind[present] for present, kind, _ in parts])
    disease = np.concatenate([treated[present] for present, _, treated in parts])
    order = np.argsort(position, kind="stable")
    return position[order], manoeuvre[order], disease[order]
