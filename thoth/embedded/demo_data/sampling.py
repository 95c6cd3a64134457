"""Random draws that all tables share: named streams, weighted choices, days with a season."""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Sequence

import numpy as np

from thoth.embedded.demo_data.frames import Bools, Floats, Ints

EPOCH = dt.date(1970, 1, 1)
FIRST_DAY = (dt.date(2017, 1, 1) - EPOCH).days
LAST_DAY = (dt.date(2024, 12, 31) - EPOCH).days  # the day the data were extracted

# 2020 dips: elective work stopped for months
_YEAR_WEIGHTS = (0.110, 0.117, 0.124, 0.090, 0.116, 0.130, 0.150, 0.163)
_MONTH_WEIGHTS = (1.18, 1.10, 1.08, 0.99, 1.00, 0.95, 0.90, 0.72, 0.98, 1.05, 1.04, 1.01)
_WEEKEND_WEIGHT = 0.45


def stream(seed: int, name: str) -> np.random.Generator:
    """A generator of its own for `name`: adding a table does not move the numbers of another."""
    entropy = np.random.SeedSequence([seed, zlib.crc32(name.encode())])
    return np.random.Generator(np.random.PCG64(entropy))


def choose(rng: np.random.Generator, weights: Sequence[float], size: int) -> Ints:
    """`size` indices into `weights`, drawn in proportion to them."""
    return choose_by_row(rng, np.array([weights], dtype=float), np.zeros(size, dtype=np.int64))


def choose_by_row(rng: np.random.Generator, weights: Floats, rows: Ints) -> Ints:
    """One index per element of `rows`, drawn with the weights of that row of the matrix."""
    bounds = np.cumsum(weights, axis=1)
    bounds /= bounds[:, -1:]
    bounds[:, -1] = 1.0
    drawn = rng.random(len(rows))
    chosen = np.zeros(len(rows), dtype=np.int64)
    for column in range(weights.shape[1] - 1):
        chosen += drawn >= bounds[rows, column]
    return chosen


def chance(rng: np.random.Generator, probability: float | Floats, size: int) -> Bools:
    """True with the given probability, one or one per element."""
    return np.asarray(rng.random(size) < probability)


def whole(values: Floats) -> Ints:
    """Rounded to whole numbers."""
    return np.rint(values).astype(np.int64)


def years(days: Ints) -> Ints:
    """Calendar year of each day."""
    return days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970


def months(days: Ints) -> Ints:
    """Calendar month of each day, 1 to 12."""
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1


def weekdays(days: Ints) -> Ints:
    """ISO weekday of each day: 1 is Monday. 1970-01-01 was a Thursday."""
    return (days + 3) % 7 + 1


def calendar() -> Ints:
    """Every day the warehouse covers, ascending."""
    return np.arange(FIRST_DAY, LAST_DAY + 1)


def seasonal_days(rng: np.random.Generator, size: int, *, on_weekends: bool = True) -> Ints:
    """Days of 2017-2024: more each year but 2020, more in winter, fewer at weekends."""
    days = calendar()
    weights = np.take(_YEAR_WEIGHTS, years(days) - 2017) * np.take(_MONTH_WEIGHTS, months(days) - 1)
    weekend = _WEEKEND_WEIGHT if on_weekends else 0.0
    bounds = np.cumsum(np.where(weekdays(days) > 5, weights * weekend, weights))
    drawn: Ints = days[np.searchsorted(bounds, rng.random(size) * bounds[-1], side="right")]
    return drawn


def counts(rng: np.random.Generator, means: Floats, dispersion: float) -> Ints:
    """Events per patient, many with none and few with a lot (gamma-Poisson)."""
    rates = rng.gamma(dispersion, 1.0 / dispersion, len(means)) * means
    return rng.poisson(rates).astype(np.int64)
