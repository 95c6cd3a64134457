"""The patients: who they are, what they mainly suffer from, when they died."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thoth.embedded.demo_data import vocabulary as words
from thoth.embedded.demo_data.frames import (
    NULL,
    Column,
    Ints,
    TableRows,
    day,
    flag,
    integer,
    label,
    or_null,
    table,
    text,
)
from thoth.embedded.demo_data.sampling import (
    FIRST_DAY,
    LAST_DAY,
    chance,
    choose,
    choose_by_row,
    stream,
    whole,
    years,
)

PATIENTS_AT_SCALE_1 = 52_000
_FEWEST = 200

# how patients are spread over words.CATEGORIES
_PROFILE_WEIGHTS = (0.36, 0.10, 0.20, 0.14, 0.06, 0.04, 0.07, 0.03)
_TAX_MONTHS = "ABCDEHLMPRST"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DAYS_PER_YEAR = 365.25


@dataclass(frozen=True, slots=True)
class Patients:
    """Parallel arrays, one element per patient; `profile` indexes words.CATEGORIES."""

    sex: Ints  # 0 is M, 1 is F
    birth: Ints  # day
    profile: Ints
    diagnosis: Ints  # key of the patient's own main diagnosis

    def __len__(self) -> int:
        return len(self.sex)


def category_of_diagnosis() -> Ints:
    """Index of the category by diagnosis key; element 0 is unused."""
    indices = [words.CATEGORIES.index(row.category) for row in words.DIAGNOSES]
    return np.array([0, *indices], dtype=np.int64)


def diagnoses_in(rng: np.random.Generator, categories: Ints) -> Ints:
    """A diagnosis key for each category index, by the weights of the vocabulary."""
    weights = np.zeros((len(words.CATEGORIES), len(words.DIAGNOSES)))
    for position, row in enumerate(words.DIAGNOSES):
        weights[words.CATEGORIES.index(row.category), position] = row.weight
    return choose_by_row(rng, weights, categories) + 1


def draw_patients(seed: int, scale: float) -> Patients:
    """52,000 patients at scale 1, never fewer than 200. Mostly old, slightly more men."""
    size = max(_FEWEST, round(PATIENTS_AT_SCALE_1 * scale))
    rng = stream(seed, "patients")
    age_at_start = 17 + 78 * rng.beta(4.2, 2.4, size)
    profile = choose(rng, _PROFILE_WEIGHTS, size)
    return Patients(
        sex=choose(rng, (0.57, 0.43), size),
        birth=FIRST_DAY - whole(age_at_start * _DAYS_PER_YEAR),
        profile=profile,
        diagnosis=diagnoses_in(rng, profile),
    )


def draw_deaths_elsewhere(seed: int, patients: Patients, earliest: Ints) -> Ints:
    """Day of death outside hospital, after `earliest`, or NULL; likelier for the old.

    `earliest` is NULL for whoever cannot die elsewhere (dead in hospital, or still there).
    """
    rng = stream(seed, "deaths")
    size = len(patients)
    days_left = np.clip(LAST_DAY - earliest, 1, None)
    age = (LAST_DAY - patients.birth) / _DAYS_PER_YEAR
    # fewer years left, fewer deaths: otherwise they pile up in the last year
    risk = np.clip((age - 45) / 190, 0.005, 0.26) * np.clip(days_left / 2_000, 0, 1)
    dies = chance(rng, risk, size) & (earliest != NULL)
    died = earliest + 1 + np.floor(rng.random(size) * days_left).astype(np.int64)
    return or_null(died, dies & (died <= LAST_DAY))


def patient_table(seed: int, patients: Patients, death: Ints) -> TableRows:
    """dim_paziente."""
    rng = stream(seed, "identities")
    size = len(patients)
    surnames = _named(words.SURNAMES, rng, size)
    names = np.where(
        patients.sex == 0, _named(words.NAMES_M, rng, size), _named(words.NAMES_F, rng, size)
    ).tolist()
    place = or_null(
        choose(rng, [weight for *_, weight in words.PLACES], size), ~chance(rng, 0.03, size)
    )
    return table(
        "dim_paziente",
        [
            integer("id_paziente", np.arange(1, size + 1)),
            text("cognome", surnames.tolist()),
            text("nome", names),
            text("codice_fiscale", _tax_codes(patients, surnames.tolist(), names)),
            _phones(rng, size),
            day("data_nascita", patients.birth),
            label("sesso", patients.sex, "MF"),
            day("data_decesso", death),
            label("comune_residenza", place, [town for town, *_ in words.PLACES]),
            label("provincia", place, [province for _, province, *_ in words.PLACES]),
            label("regione", place, [region for _, _, region, _ in words.PLACES]),
            flag("consenso_ricerca", or_null(choose(rng, (1, 5), size), chance(rng, 0.62, size))),
            free_notes(rng, "note_anagrafiche", size, share=0.08),
        ],
    )


def free_notes(rng: np.random.Generator, name: str, size: int, *, share: float) -> Column:
    """A column of stock phrases, NULL but for `share` of the rows."""
    codes = rng.integers(0, len(words.FREE_NOTES), size)
    return label(name, or_null(codes, chance(rng, share, size)), words.FREE_NOTES)


def _named(names: Sequence[str], rng: np.random.Generator, size: int) -> NDArray[np.str_]:
    """Names with a few common and many rare ones."""
    weights = 1.0 / (np.arange(len(names)) + 6.0)
    return np.array(names)[choose(rng, weights.tolist(), size)]


def _phones(rng: np.random.Generator, size: int) -> Column:
    numbers = 3_200_000_000 + rng.integers(0, 799_999_999, size)
    return integer("telefono", or_null(numbers, chance(rng, 0.82, size)))


def _tax_codes(patients: Patients, surnames: Sequence[str], names: Sequence[str]) -> list[str]:
    """Shaped like an Italian tax code and unique up to 676,000 patients; not a valid one.

    The last five characters count the patients instead of naming a town and a check letter.
    """
    born_year = years(patients.birth) % 100
    months = patients.birth.astype("datetime64[D]").astype("datetime64[M]")
    day_of_month = (patients.birth - months.astype("datetime64[D]").astype(np.int64)) + 1
    month = months.astype(np.int64) % 12
    coded_day = day_of_month + 40 * patients.sex
    rows = zip(surnames, names, born_year.tolist(), month.tolist(), coded_day.tolist(), strict=True)
    return [
        f"{_three(surname)}{_three(name)}{year:02d}{_TAX_MONTHS[month_index]}{day_number:02d}"
        f"{_LETTERS[index % 26]}{index // 26 % 1000:03d}{_LETTERS[index // 26_000 % 26]}"
        for index, (surname, name, year, month_index, day_number) in enumerate(rows)
    ]


def _three(word: str) -> str:
    letters = word.upper()
    consonants = [letter for letter in letters if letter not in "AEIOU"]
    vowels = [letter for letter in letters if letter in "AEIOU"]
    return "".join([*consonants, *vowels, "X", "X"][:3])
