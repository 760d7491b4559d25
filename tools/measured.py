"""Write what a reader needs of all that was measured: three pages, each with its picture.

Rules of this tool:
- every figure is taken from a page that a measurement wrote (benchmarks-tables, coverage-tables,
  nearness-tables), by the names of its section, row and column; a name that is not there any more
  stops it;
- the same pages give the same bytes; `make reference` runs it, and a test makes the pages again.

Decision 146.
"""

import math
import re
from pathlib import Path

from dots import Row, Scale, drawn

DOCS = Path(__file__).parents[1] / "docs"
HOLD = """\
# Coverage of intervals

This page is for readers who ask whether the intervals hold. The intervals hold: a 95 % interval
must hold in at least 95 of 100 releases.

Each figure is of 2,000 releases of one group with n rows, at rho = 1/50 for each question. Chance
changes a figure by up to 1.5 points. An interval that holds more often is safe, and is wider than
necessary. If a group has too few rows, the release shows no mean (`0 shown`).

![How often each interval held in 2,000 releases of 1,000 rows, beside 95 %](pictures/coverage.svg)
"""
HOLD_MORE = """\
An interval covers the noise. An interval does not cover sampling, bounds that cut
values, or errors of the data ([limits](limits.md)).

`make reference` takes these figures from [all tables](coverage-tables.md). The tables also have six
sizes of groups, pure epsilon, many numbers at once, and numbers with a rule of publication. The
tables say how to repeat each figure.
"""
NEAR = """\
# Accuracy of intervals

This page is for readers who ask whether an interval could be shorter. If a group has many rows for
the noise, no interval can be much shorter: most intervals are within 3 % of the best.

A figure says how many percent wider an interval is than the best interval. Only somebody who knows
everything except the noise could make the best interval. The number at the head of a column is a
count, divided by the standard deviation of its noise. So 2,000 stands for a group of some ten
thousand persons at rho = 1/50. `bins` stands for an interval of fewer than eight bins of the curve.

![How much wider each interval is than the best, for three sizes of groups](pictures/nearness.svg)
"""
NEAR_MORE = """\
Differences between two groups are further from the best. Differences of
covariances, correlations and coefficients stay about a third wider than the best. A
[decision](decisions/0059-how-near-to-exact.md) defines the best interval, and says why it is not
always possible.

`make reference` takes these figures from [all tables](nearness-tables.md). The tables also have
eight sizes of groups, pure epsilon, differences, and ten numbers at once. The tables say how to
repeat each figure.
"""
FAST = """\
# Benchmarks

This page is for readers who ask how fast discreet is. Most plans and releases take less than a
second. Times are CPU seconds of one thread, or of both cores where a database counts.

![The time of plans, counts and releases, from a millisecond to a minute](pictures/speed.svg)
"""
FAST_MORE = """\
`make reference` takes these figures from [all tables](benchmarks-tables.md). The
tables name the machine, have every case, and say how to repeat each figure. For engines beside a
query by hand, see [cost of engines](engines-measured.md).
"""
INTERVALS = (
    *("count", "sum", "mean", "variance", "covariance", "regression, its slope"),
    *("median, from the curve", "median, by a choice", "share below 7", "difference of two means"),
    *("ratio of a sum to a count", "share of a histogram", "count between bounds, clamped"),
    "ten counts at once",
)
PARTS = ("200", "2,000", "20,000")
BESIDE = ("mean", "variance", "standard deviation", "covariance", "correlation", "slope", "median")
SPEED = (  # what a reader is told, the section, the row, the column
    (
        "plan 20 questions over 1,000 keys, (epsilon, delta)",
        "Planning and importing",
        "plan 20 statistics",
        "time",
    ),
    ("`import discreet`", "Planning and importing", "`import discreet`", "time"),
    ("`discreet --help`", "Planning and importing", "`discreet --help`", "time"),
    (
        "noise for a million cells, discrete Gaussian",
        "Noise for 1,000,000 cells of a release",
        "discrete_gaussian, 10",
        "noise, ms",
    ),
    (
        "count and mean by key, 10,000,000 rows of Parquet",
        "Engine",
        "count and mean by key, unit a row",
        "CPU s",
    ),
    (
        "the same by hand in SQL, without noise",
        "Engine",
        "the same, clamped and exact, by hand",
        "CPU s",
    ),
    (
        "10,000,000 rows of a CSV file of 326 MB",
        "Reading CSV",
        "326 MB, no cell quoted",
        "discreet, CPU s",
    ),
    ("persons with many rows, DuckDB", "One plan on each engine", "DuckDB, 10,000,000", "CPU s"),
    (
        "the same, PostgreSQL",
        "One plan on each engine",
        "PostgreSQL, 10,000,000",
        "CPU s",
    ),
    ("the same, Spark", "One plan on each engine", "Spark, 10,000,000", "CPU s"),
    (
        "a release of a million counts: plan, run, save",
        "A release of a million cells",
        "1,000,000 keys of a count",
        "plan, run, save: CPU s",
    ),
    (
        "load and verify it",
        "A release of a million cells",
        "1,000,000 keys of a count",
        "load and verify: CPU s",
    ),
    (
        "20 charges in a ledger of 100,000 entries",
        "A long ledger",
        "20 charges, each stored",
        "CPU s again",
    ),
    (
        "counts by 1,000 keys, 100,000 rows: OpenDP, times discreet",
        "Beside other libraries",
        "counts by key | opendp",
        "times discreet",
    ),
    (
        "the same: PipelineDP, times discreet",
        "Beside other libraries",
        "counts by key | pipeline-dp",
        "times discreet",
    ),
)


def cells(page: str, section: str, row: str) -> dict[str, str]:
    """Return the last row of a page that begins so, by columns; a second name is "... again".

    Raises:
        LookupError: the page has no such section or row.
    """
    text = (DOCS / page).read_text("utf-8")
    if section:
        _, there, text = text.partition(f"\n## {section}\n")
        if not there:
            raise LookupError(f"{page} has no section {section}")
        text = text.partition("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    picked = [line for line in rows[2:] if line.startswith(f"| {row}")]
    if not picked:
        raise LookupError(f"{page} has no row {row} in {section}")
    names, values = (line.strip("| ").split(" | ") for line in (rows[0], picked[-1]))
    numbered = [f"{name} again" if name in names[:at] else name for at, name in enumerate(names)]
    return dict(zip(numbered, values, strict=False))


def _wanted_apart(figure: str) -> str:
    """Return a figure without what was wanted of it."""
    return re.sub(r"\*\*|: missed", "", re.sub(r" \([^)]*\)", "", figure))


def coverage() -> str:
    """Return the page of how often intervals hold."""
    lines = ["| interval | n = 30 | n = 1,000 | n = 100,000 |", "| --- | ---: | ---: | ---: |"]
    for name in INTERVALS:
        row = _held(name)
        figures = (row[n] for n in ("n = 30", "n = 1,000", "n = 100,000"))
        lines.append(f"| {name} | {' | '.join(figures)} |")
    return "\n".join([HOLD, *lines, "", HOLD_MORE])


def nearness() -> str:
    """Return the page of how near intervals are to the best."""
    lines = [f"| interval | {' | '.join(PARTS)} |", "| --- | ---: | ---: | ---: |"]
    for name in BESIDE:
        row = _wider(name)
        lines.append(f"| {name} | {' | '.join(row[n] for n in PARTS)} |")
    return "\n".join([NEAR, *lines, "", NEAR_MORE])


def speed() -> str:
    """Return the page of how fast discreet is."""
    lines = ["| what | measured |", "| --- | ---: |"]
    lines += [f"| {what} | {figure} |" for what, figure in _times()]
    return "\n".join([FAST, *lines, "", *_wanted(), FAST_MORE])


def _wanted() -> list[str]:
    """Return how many wanted figures were reached, and those that were missed."""
    text = (DOCS / "benchmarks-tables.md").read_text("utf-8")
    reached = re.search(r"^\d+ of \d+ wanted figures were reached\.$", text, re.MULTILINE)
    if not reached:
        raise LookupError("benchmarks-tables.md does not say how many figures were reached")
    missed = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("- ")]
    return [
        "## Reached and missed",
        "",
        reached[0],
        *(["Missed:", "", *missed] if missed else []),
        "",
    ]


def _held(name: str) -> dict[str, str]:
    return cells("coverage-tables.md", "", f"{name} | zCDP |")


def _wider(name: str) -> dict[str, str]:
    return cells("nearness-tables.md", "", f"{name} | zCDP |")


def _times() -> list[tuple[str, str]]:
    """Return what was timed, and its figure with the unit."""
    times = []
    for what, section, row, column in SPEED:
        figure = _wanted_apart(cells("benchmarks-tables.md", section, row)[column])
        unit = " s" if "CPU s" in column else " ms" if column.endswith(", ms") else ""
        times.append((what, f"{figure}{unit}"))
    return times


def coverage_picture() -> str:
    """Return how often intervals of 1,000 rows hold: a dot for each interval, from 90 to 100 %."""
    shares = [(name, float(_held(name)["n = 1,000"].split(" %")[0])) for name in INTERVALS]
    rows = [Row(name, f"{share} %", (share,)) for name, share in shares]
    scale = Scale(
        lambda share: (share - 90) / 10, ((90, "90 %"), (100, "100 %")), (95, "95 % are promised")
    )
    words = "; ".join(f"{row.name} {row.figure}" for row in rows)
    return drawn(rows, scale, alt=f"How often each interval of 1,000 rows held: {words}.")


def nearness_picture() -> str:
    """Return how much wider intervals are than the best: three sizes of groups a row."""
    rows = []
    for name in BESIDE:
        figures = [_wider(name)[part] for part in PARTS]
        dots = tuple(_percent(figure) for figure in figures)
        rows.append(Row(name, "some bins" if dots == (None,) * 3 else ", ".join(figures), dots))
    scale = Scale(lambda share: share / 15, ((0, "0 %"), (5, "5 %"), (10, "10 %"), (15, "15 %")))
    words = "; ".join(f"{row.name} {row.figure}" for row in rows)
    key = [f"{part} times" for part in PARTS]
    return drawn(rows, scale, key, alt=f"How much wider each interval is than the best: {words}.")


def _percent(figure: str) -> float | None:
    return float(figure.removesuffix(" %")) if figure.endswith(" %") else None


def speed_picture() -> str:
    """Return how long things take, from a millisecond to a hundred seconds, ten times a step."""
    timed = [(what, time, _seconds(time)) for what, time in _times()]
    rows = [
        Row(what.replace("`", ""), time, (took,)) for what, time, took in timed if took is not None
    ]
    marks = ((0.001, "1 ms"), (0.01, "10 ms"), (0.1, "0.1 s"), (1, "1 s"), (10, "10 s"))
    scale = Scale(lambda took: (math.log10(took) + 3) / 5, (*marks, (100, "100 s")))
    words = "; ".join(f"{row.name} {row.figure}" for row in rows)
    return drawn(rows, scale, alt=f"How long it takes: {words}.")


def _seconds(time: str) -> float | None:
    number, _, unit = time.partition(" ")
    return {"s": 1.0, "ms": 0.001}[unit] * float(number) if unit else None


MADE = {
    "coverage.md": coverage,
    "nearness.md": nearness,
    "benchmarks.md": speed,
    "pictures/coverage.svg": coverage_picture,
    "pictures/nearness.svg": nearness_picture,
    "pictures/speed.svg": speed_picture,
}


def main() -> None:
    """Write the pages and their pictures."""
    for name, made in MADE.items():
        (DOCS / name).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
