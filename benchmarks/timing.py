"""How benchmarks measure time: medians of repeated calls, absolute and as ratios within one run.

A shared machine makes every absolute figure true for that minute only, so each report begins with how
loaded the machine was, and what can be compared with something is compared in the same run.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """The measured seconds of repeated calls, in the order they were made; `cpu_s` is what this
    process itself worked for each, which hardly changes with the load of the machine."""

    samples_s: tuple[float, ...]
    cpu_s: tuple[float, ...] = ()

    @property
    def cpu_median_ms(self) -> float:
        return statistics.median(self.cpu_s) * 1000

    @property
    def median_ms(self) -> float:
        return statistics.median(self.samples_s) * 1000

    @property
    def p95_ms(self) -> float:
        """The smallest sample that 95 % of the samples do not exceed."""
        ordered = sorted(self.samples_s)
        return ordered[max(0, -(-95 * len(ordered) // 100) - 1)] * 1000


def timed(call: Callable[[], object], *, repeat: int, warm_up: int = 1) -> Timing:
    """`repeat` calls one after the other, after `warm_up` that do not count."""
    for _ in range(warm_up):
        call()
    samples, cpu = [], []
    for _ in range(repeat):
        started, worked = time.perf_counter(), time.process_time()
        call()
        samples.append(time.perf_counter() - started)
        cpu.append(time.process_time() - worked)
    return Timing(tuple(samples), tuple(cpu))


def alternating(
    calls: Sequence[Callable[[], object]], *, repeat: int, warm_up: int = 1
) -> list[Timing]:
    """The calls in turns, `repeat` rounds: what disturbs the machine disturbs all of them alike."""
    samples: list[list[float]] = [[] for _ in calls]
    for number in range(warm_up + repeat):
        for place, call in enumerate(calls):
            taken = timed(call, repeat=1, warm_up=0).samples_s[0]
            if number >= warm_up:
                samples[place].append(taken)
    return [Timing(tuple(values)) for values in samples]


def machine() -> str:
    """The line that every report begins with."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, load of 1, 5, 15 minutes: {load}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Aligned text: the first column to the left, the others to the right."""
    lines = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def met(*, holds: bool) -> str:
    """The word for a goal in a table."""
    return "met" if holds else "MISSED"
