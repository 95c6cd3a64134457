"""The whole warehouse as COPY text, from a seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.ablations import Ablations, ablation_tables, draw_ablations
from thoth.embedded.demo_data.cardioversions import (
    Cardioversions,
    cardioversion_table,
    draw_cardioversions,
)
from thoth.embedded.demo_data.devices import Devices, device_table, draw_devices, procedure_of_kind
from thoth.embedded.demo_data.dimensions import dimension_tables
from thoth.embedded.demo_data.examinations import draw_examinations, examination_table
from thoth.embedded.demo_data.frames import NULL, Ints, TableRows
from thoth.embedded.demo_data.hospital import Hospital, draw_hospital
from thoth.embedded.demo_data.patients import category_of_diagnosis, patient_table
from thoth.embedded.demo_data.sampling import chance, choose_by_row, stream
from thoth.embedded.demo_data.stay_table import stay_table
from thoth.embedded.demo_data.visits import draw_visits, visit_table


def generate(seed: int, scale: float = 1.0) -> Iterator[TableRows]:
    """The tables (name, columns, batches of COPY text), dimensions first, then facts.

    The same seed and scale give the same bytes. Scale 1 is 52,000 patients and over 500,000 fact
    rows; the least is 200 patients. Each table's batches are made as they are read.
    """
    hospital = draw_hospital(seed, scale)
    ablations = draw_ablations(seed, hospital)
    cardioversions = draw_cardioversions(seed, hospital)
    devices = draw_devices(seed, hospital)
    visits = draw_visits(seed, hospital)
    examinations = draw_examinations(seed, hospital, visits)
    main = _main_procedures(seed, hospital, ablations, cardioversions, devices)
    yield from dimension_tables()
    yield patient_table(seed, hospital.patients, hospital.death)
    yield stay_table(seed, hospital.stays, main)
    yield from ablation_tables(seed, hospital, ablations)
    yield cardioversion_table(seed, hospital, cardioversions)
    yield device_table(seed, hospital, devices)
    yield visit_table(seed, hospital, visits)
    yield examination_table(seed, hospital, examinations)


def _main_procedures(
    seed: int,
    hospital: Hospital,
    ablations: Ablations,
    cardioversions: Cardioversions,
    devices: Devices,
) -> Ints:
    """Key of each stay's main procedure, or NULL; an ablation outranks a device, a device a shock."""
    main = _procedures_without_a_table(seed, hospital)
    shocks = np.array(
        [
            words.procedure_id("Cardioversione elettrica"),
            words.procedure_id("Cardioversione farmacologica"),
        ]
    )
    catheter = words.procedure_id("Ablazione transcatetere di aritmia")
    surgical = words.procedure_id("Ablazione chirurgica di aritmia")
    _overlay(main, cardioversions.stay, shocks[cardioversions.method])
    _overlay(main, devices.stay, procedure_of_kind()[devices.kind])
    _overlay(main, ablations.stay, np.where(ablations.catheter, catheter, surgical))
    return main


def _overlay(main: Ints, stay: Ints, procedure: Ints) -> None:
    inside = stay >= 0
    main[stay[inside]] = procedure[inside]


_TREATMENTS = (
    "Coronarografia",
    "Angioplastica coronarica",
    "Bypass aortocoronarico",
    "Sostituzione della valvola aortica",
    "Plastica della valvola mitrale",
    "Ecocardiogramma",
    "Studio elettrofisiologico",
)
_TREATMENT_SHARE = np.array([0.16, 0.12, 0.88, 0.24, 0.66, 0.32, 0.22, 0.18])  # by category
_TREATMENT_WEIGHTS = np.array(
    [
        [0, 0, 0, 0, 0, 0.45, 0.55],
        [0, 0, 0, 0, 0, 0.6, 0.4],
        [0.36, 0.54, 0.10, 0, 0, 0, 0],
        [0.4, 0.12, 0, 0.02, 0.03, 0.43, 0],
        [0.1, 0, 0.04, 0.52, 0.3, 0.04, 0],
        [0.42, 0, 0, 0, 0, 0.58, 0],
        [0.22, 0, 0, 0, 0, 0.74, 0.04],
        [0.2, 0.02, 0, 0, 0, 0.78, 0],
    ]
)


def _procedures_without_a_table(seed: int, hospital: Hospital) -> Ints:
    """Catheter laboratory, surgery and diagnostics: recorded on the stay only."""
    rng = stream(seed, "procedures")
    category = category_of_diagnosis()[hospital.stays.diagnosis]
    keys = np.array([words.procedure_id(name) for name in _TREATMENTS])
    drawn = keys[choose_by_row(rng, _TREATMENT_WEIGHTS, category)]
    return np.where(chance(rng, _TREATMENT_SHARE[category], len(category)), drawn, NULL)
