"""Patients, their stays and their deaths together: what every other fact is checked against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thoth.embedded.demo_data.frames import NULL, Bools, Ints
from thoth.embedded.demo_data.patients import Patients, draw_deaths_elsewhere, draw_patients
from thoth.embedded.demo_data.sampling import LAST_DAY, seasonal_days
from thoth.embedded.demo_data.stays import Stays, deaths_in_hospital, draw_stays, last_discharge


@dataclass(frozen=True, slots=True)
class Hospital:
    """`death` is the day of death per patient, NULL for the living."""

    patients: Patients
    stays: Stays
    death: Ints

    def alive(self, patient: Ints, days: Ints) -> Bools:
        """Whether each patient lives on that day and the day is within the data."""
        death = self.death[patient]
        lives: Bools = ((death == NULL) | (days <= death)) & (days <= LAST_DAY)
        return lives

    def outpatient_days(self, rng: np.random.Generator, patient: Ints) -> tuple[Ints, Bools]:
        """A working day for each patient, and whether the patient can come: alive, not admitted."""
        days = seasonal_days(rng, len(patient), on_weekends=False)
        free = self.stays.at(patient, days) < 0
        return days, free & self.alive(patient, days)

    def day_in_stay(self, rng: np.random.Generator, stay: Ints, *, first_days: int) -> Ints:
        """A day of each stay (an index), among its first days."""
        admitted = self.stays.admitted[stay]
        nights = np.minimum(self.stays.last_day[stay] - admitted, first_days)
        drawn: Ints = admitted + np.floor(rng.random(len(stay)) * (nights + 1)).astype(np.int64)
        return drawn


def draw_hospital(seed: int, scale: float) -> Hospital:
    """Who was ever ill, admitted, and dead, for a seed and a scale."""
    patients = draw_patients(seed, scale)
    stays = draw_stays(seed, patients)
    inside = deaths_in_hospital(stays, len(patients))
    elsewhere = draw_deaths_elsewhere(seed, patients, last_discharge(stays, len(patients)))
    return Hospital(patients, stays, np.where(inside == NULL, elsewhere, inside))


def chronological(days: Ints, *ties: Ints) -> Ints:
    """Order by day, then by the tie breakers: how keys are handed out."""
    return np.lexsort((*reversed(ties), days))
