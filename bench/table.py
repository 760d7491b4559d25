"""What a benchmark says: tables of cells, each of which may have been wanted below or above."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Cell:
    """One number, what was wanted of it, and whether it is so (None: nothing was wanted)."""

    text: str
    wanted: str = ""
    reached: bool | None = None

    def markdown(self) -> str:
        wanted = f" ({self.wanted})" if self.wanted else ""
        return f"**{self.text}{wanted}: missed**" if self.reached is False else self.text + wanted


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the report, with what its columns mean."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell | str]]

    def judged(self) -> list[tuple[str, Cell]]:
        """Return the cells of which something was wanted, each with its place."""
        return [
            (f"{self.title}, {row[0]}, {column}", cell)
            for row in self.rows
            for column, cell in zip(self.columns, row, strict=True)
            if isinstance(cell, Cell) and cell.wanted
        ]

    def markdown(self) -> str:
        lines = [[*self.columns], ["---"] * len(self.columns)]
        lines += [[c.markdown() if isinstance(c, Cell) else c for c in row] for row in self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"## {self.title}\n\n{self.about}\n\n{table}\n"


def got(
    value: float, unit: str = "", *, most: float | None = None, least: float | None = None
) -> Cell:
    """Return a cell of three digits, wanted at most or at least so much."""
    text = f"{three(value)} {unit}".strip()
    if most is not None:
        return Cell(text, f"≤ {three(most)}", value <= most)
    if least is not None:
        return Cell(text, f"≥ {three(least)}", value >= least)
    return Cell(text)


def three(value: float) -> str:
    """Return a number with three digits."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def seconds(act: Callable[[], object], *, clock: Clock = time.process_time) -> float:
    """Return how long an act takes: CPU time of this process, which other processes hardly move."""
    start = clock()
    act()
    return clock() - start


def median(act: Callable[[], object], *, rounds: int, clock: Clock = time.process_time) -> float:
    """Return the median of so many timed rounds, after one that is not timed."""
    act()
    return statistics.median(seconds(act, clock=clock) for _ in range(rounds))


def medians(acts: Sequence[Callable[[], object]], *, rounds: int) -> list[float]:
    """Return the median of each act; they take turns, so that a busy machine slows all alike."""
    taken = [[seconds(act) for act in acts] for _ in range(rounds + 1)][1:]
    return [statistics.median(column) for column in zip(*taken, strict=True)]
