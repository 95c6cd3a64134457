"""Implanted devices, their replacements and removals."""

from __future__ import annotations

from dataclasses import dataclass, fields

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
from thoth.embedded.demo_data.sampling import chance, choose, choose_by_row, stream, whole

KINDS = ("PM", "ICD", "CRT-P", "CRT-D", "ILR")
PACEMAKER, DEFIBRILLATOR, CRT_P, CRT_D, LOOP_RECORDER = range(5)
_FIRST, _REPLACEMENT, _UPGRADE = 0, 1, 2
_INDICATIONS = (
    "blocco atrioventricolare",
    "malattia del nodo del seno",
    "fibrillazione atriale",
    "tachicardia ventricolare",
    "scompenso cardiaco",
    "prevenzione primaria",
    "sincope",
)
# diagnosis of the stay: share of such stays with an implant, indication, weights over KINDS
_RULES: dict[str, tuple[float, int, tuple[float, ...]]] = {
    "Blocco atrioventricolare completo": (0.80, 0, (0.90, 0.01, 0.08, 0.01, 0)),
    "Blocco atrioventricolare di secondo grado": (0.70, 0, (0.93, 0, 0.06, 0.01, 0)),
    "Malattia del nodo del seno": (0.76, 1, (0.97, 0.01, 0.02, 0, 0)),
    "Blocco di branca sinistra": (0.34, 4, (0.1, 0, 0.4, 0.5, 0)),
    "Fibrillazione atriale": (0.17, 2, (0.55, 0, 0.05, 0, 0.40)),
    "Tachicardia ventricolare parossistica": (0.48, 3, (0, 0.80, 0, 0.2, 0)),
    "Fibrillazione ventricolare": (0.70, 3, (0, 0.9, 0, 0.1, 0)),
    "Arresto cardiaco": (0.45, 3, (0, 0.92, 0, 0.08, 0)),
    "Scompenso cardiaco congestizio": (0.13, 4, (0.05, 0.34, 0.16, 0.45, 0)),
    "Scompenso cardiaco sistolico acuto su cronico": (0.16, 4, (0, 0.38, 0.1, 0.52, 0)),
    "Cardiomiopatia dilatativa": (0.42, 5, (0, 0.72, 0.03, 0.25, 0)),
    "Cardiomiopatia ipertrofica": (0.30, 5, (0, 0.98, 0, 0.02, 0)),
    "Sincope e collasso": (0.62, 6, (0.2, 0, 0, 0, 0.8)),
}
_LEADS = np.array(
    [[0.06, 0.30, 0.64, 0], [0, 0.7, 0.3, 0], [0, 0, 0.2, 0.8], [0, 0, 0.1, 0.9], [1.0, 0, 0, 0]]
)
_COST_EUR = np.array([2_350, 9_800, 4_900, 13_400, 1_550])
_LIFE_DAYS = (400, 2_300)
_PROCEDURES = (
    "Impianto di pacemaker",
    "Impianto di defibrillatore",
    "Impianto di pacemaker biventricolare",
    "Impianto di defibrillatore biventricolare",
    "Impianto di loop recorder",
)


@dataclass(frozen=True, slots=True)
class Devices:
    """Parallel arrays; in chronological order once drawn, and the key is the position + 1."""

    patient: Ints
    stay: Ints  # index, -1 without one
    implanted: Ints
    removed: Ints  # NULL while in place
    kind: Ints
    reason: Ints
    indication: Ints

    def __len__(self) -> int:
        return len(self.patient)


def draw_devices(seed: int, hospital: Hospital) -> Devices:
    """First implants during stays; some are removed, and most of those replaced the same day."""
    rng = stream(seed, "devices")
    first = _first_implants(rng, hospital)
    second = _replacements(rng, hospital, first)
    together = {
        field.name: np.concatenate([getattr(first, field.name), getattr(second, field.name)])
        for field in fields(Devices)
    }
    order = chronological(together["implanted"], together["patient"])
    return Devices(**{name: values[order] for name, values in together.items()})


def procedure_of_kind() -> Ints:
    """Procedure key by index of KINDS."""
    return np.array([words.procedure_id(name) for name in _PROCEDURES])


def _first_implants(rng: np.random.Generator, hospital: Hospital) -> Devices:
    rule_of_diagnosis = np.full(len(words.DIAGNOSES) + 1, -1)
    for index, name in enumerate(_RULES):
        rule_of_diagnosis[words.diagnosis_id(name)] = index
    rule = rule_of_diagnosis[hospital.stays.diagnosis]
    share = np.array([share for share, *_ in _RULES.values()])[rule]
    stay = np.flatnonzero((rule >= 0) & chance(rng, share, len(rule)))
    stay = stay[_is_first(hospital.stays.patient[stay])]
    rule = rule[stay]
    weights = np.array([weights for *_, weights in _RULES.values()])
    implanted = hospital.day_in_stay(rng, stay, first_days=5)
    patient, size = hospital.stays.patient[stay], len(stay)
    life = rng.integers(*_LIFE_DAYS, size)
    gone = chance(rng, 0.34, size) & hospital.alive(patient, implanted + life)
    indication = np.array([indication for _, indication, _ in _RULES.values()])[rule]
    return Devices(
        patient,
        stay,
        implanted,
        removed=or_null(implanted + life, gone),
        kind=choose_by_row(rng, weights, rule),
        reason=np.full(size, _FIRST),
        indication=or_null(indication, chance(rng, 0.96, size)),
    )


def _is_first(patient: Ints) -> Bools:
    """True at a patient's first row; rows are grouped by patient."""
    first = np.ones(len(patient), dtype=bool)
    first[1:] = patient[1:] != patient[:-1]
    return first


def _replacements(rng: np.random.Generator, hospital: Hospital, first: Devices) -> Devices:
    replaced = (
        (first.removed != NULL) & chance(rng, 0.8, len(first)) & (first.kind != LOOP_RECORDER)
    )
    patient, implanted, size = first.patient[replaced], first.removed[replaced], int(replaced.sum())
    upgrade_to = np.array([CRT_P, CRT_D, CRT_P, CRT_D, LOOP_RECORDER])[first.kind[replaced]]
    changes = upgrade_to != first.kind[replaced]
    upgraded = changes & chance(rng, 0.15, size)
    return Devices(
        patient,
        hospital.stays.at(patient, implanted),
        implanted,
        removed=np.full(size, NULL),
        kind=np.where(upgraded, upgrade_to, first.kind[replaced]),
        reason=np.where(upgraded, _UPGRADE, _REPLACEMENT),
        indication=or_null(first.indication[replaced], chance(rng, 0.4, size)),
    )


def device_table(seed: int, hospital: Hospital, devices: Devices) -> TableRows:
    """fact_dispositivo."""
    rng = stream(seed, "device details")
    size = len(devices)
    maker = choose(rng, [weight for *_, weight in words.MAKERS], size)
    clinic = words.department_id("Ambulatorio dispositivi")
    ward = np.where(chance(rng, 0.8, size), words.department_id("Elettrofisiologia"), 1)
    cents = whole(_COST_EUR[devices.kind] * rng.normal(1, 0.06, size).clip(0.7, 1.4) * 100)
    return table(
        "fact_dispositivo",
        [
            integer("id_dispositivo", np.arange(1, size + 1)),
            integer("id_paziente", devices.patient + 1),
            integer("id_ricovero", hospital.stays.keys(devices.stay)),
            integer("id_reparto", np.where(devices.stay >= 0, ward, clinic)),
            integer("id_procedura", procedure_of_kind()[devices.kind]),
            day_key("data_key_impianto", devices.implanted),
            day("data_impianto", devices.implanted),
            day("data_espianto", devices.removed),
            label("tipo_dispositivo", devices.kind, KINDS),
            label("motivo_intervento", devices.reason, "PSU"),
            label("indicazione", devices.indication, _INDICATIONS),
            label("produttore", maker, [name for name, *_ in words.MAKERS]),
            label("modello", maker * len(KINDS) + devices.kind, _models()),
            label("numero_serie", np.arange(size), _serials(rng, maker)),
            integer("numero_elettrocateteri", choose_by_row(rng, _LEADS, devices.kind)),
            flag("monitoraggio_remoto", or_null(choose(rng, (4, 6), size), chance(rng, 0.8, size))),
            decimal("costo_eur", or_null(cents, chance(rng, 0.86, size)), 2),
        ],
    )


def _models() -> list[str]:
    return [f"{family} {kind}" for _, family, _ in words.MAKERS for kind in KINDS]


def _serials(rng: np.random.Generator, maker: Ints) -> list[str]:
    """Unique: a shuffled number behind the maker's letters."""
    numbers = (1_000_000 + rng.permutation(len(maker))).tolist()
    letters = [name[:2].upper() for name, *_ in words.MAKERS]
    return [f"{letters[m]}{number}" for m, number in zip(maker.tolist(), numbers, strict=True)]
