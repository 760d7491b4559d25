"""Write docs/measured.md, what a reader needs of all that was measured, and its picture.

Rules of this tool:
- every figure is taken from a page that a measurement wrote (benchmarks, coverage, nearness), by
  the names of its section, row and column; a name that is not there any more stops it;
- the same pages give the same bytes; `make reference` runs it, and a test makes the page again.

Decision 127.
"""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = "pictures/coverage.svg"
HEAD = (
    "# What was measured: speed and intervals",
    "",
    "This page is for readers who want the result and not the protocol. `make reference` takes",
    "its figures from the pages that the measurements wrote: [benchmarks](benchmarks.md),",
    "[coverage of intervals](coverage.md), [accuracy of intervals](nearness.md). Those pages say",
    "on which machine, with which data, and how to repeat each figure.",
)
HOLD = (
    "## Do the intervals hold?",
    "",
    "Yes. A 95 % interval must hold in at least 95 of 100 releases. Each figure is of 2,000",
    "releases of one group with n rows, at rho = 1/50 for each question; luck moves it by up to",
    "1.5 points. An interval that holds more often is safe, and wider than it would have to be.",
    "If a group has too few rows, the release shows no mean (`0 shown`).",
    "",
    f"![The share of 2,000 releases in which each interval held, beside 95 %]({PICTURE})",
)
NEAR = (
    "## How near are they to the best?",
    "",
    "The figures say how much wider an interval is than it would be if all but the noise were",
    "known. The columns say how many times a count is the deviation of its own noise. So 2,000",
    "stands for a group of some ten thousand persons at rho = 1/50. `bins` stands for an",
    "interval of fewer than eight bins of the curve.",
)
FAST = (
    "## How fast is it?",
    "",
    "Most plans and releases take less than a second. Times are CPU seconds of one thread, or of",
    "both cores where a database counts, on the machine that benchmarks.md names.",
)
INTERVALS = (
    *("count", "sum", "mean", "variance", "covariance", "regression, its slope"),
    *("median, from the curve", "median, by a choice", "share below 7", "difference of two means"),
    *("ratio of a sum to a count", "share of a histogram", "count between bounds, clamped"),
    "ten counts at once",
)
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
        "count and mean by 1,000 keys, 10,000,000 rows of Parquet",
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
WIDE, ROW, LEFT, TOP = 640, 22, 220, 28
LOW, HIGH, WANTED = 90.0, 100.0, 95.0


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


def page() -> str:
    """Return the page."""
    lines = [*HEAD, "", *HOLD, "", "| interval | n = 30 | n = 1,000 | n = 100,000 |"]
    lines += ["| --- | ---: | ---: | ---: |"]
    for name in INTERVALS:
        row = cells("coverage.md", "", f"{name} | zCDP |")
        figures = (row[n] for n in ("n = 30", "n = 1,000", "n = 100,000"))
        lines.append(f"| {name} | {' | '.join(figures)} |")
    lines += ["", *NEAR, "", "| interval | 200 | 2,000 | 20,000 |", "| --- | ---: | ---: | ---: |"]
    for name in BESIDE:
        row = cells("nearness.md", "", f"{name} | zCDP |")
        lines.append(f"| {name} | {' | '.join(row[n] for n in ('200', '2,000', '20,000'))} |")
    lines += ["", *FAST, "", "| what | measured |", "| --- | ---: |"]
    for what, section, row, column in SPEED:
        figure = _wanted_apart(cells("benchmarks.md", section, row)[column])
        unit = " s" if "CPU s" in column else " ms" if column.endswith(", ms") else ""
        lines.append(f"| {what} | {figure}{unit} |")
    return "\n".join([*lines, ""])


def picture() -> str:
    """Return the picture of how often intervals hold, for n = 1,000, as SVG."""
    high = TOP + ROW * len(INTERVALS) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDE}" height="{high}" fill="#ffffff"/>',
        f'<line x1="{_x(WANTED)}" y1="{TOP - 8}" x2="{_x(WANTED)}" y2="{high - 20}"'
        ' stroke="#b5442e" stroke-dasharray="4 3"/>',
        f'<text x="{_x(WANTED)}" y="{TOP - 13}" text-anchor="middle" fill="#b5442e">95 %</text>',
    ]
    for number, name in enumerate(INTERVALS):
        share = float(cells("coverage.md", "", f"{name} | zCDP |")["n = 1,000"].split(" %")[0])
        y = TOP + ROW * number + 8
        parts += [
            f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end" fill="#30475e">{name}</text>',
            f'<line x1="{LEFT}" y1="{y}" x2="{WIDE - 60}" y2="{y}" stroke="#e3e8ee"/>',
            f'<circle cx="{_x(share)}" cy="{y}" r="4" fill="#30475e"/>',
            f'<text x="{WIDE - 50}" y="{y + 4}" fill="#30475e">{share} %</text>',
        ]
    for mark in (LOW, HIGH):
        parts.append(
            f'<text x="{_x(mark)}" y="{high - 6}" text-anchor="middle" fill="#66717d">'
            f"{mark:.0f} %</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _x(share: float) -> float:
    return round(LEFT + (WIDE - 60 - LEFT) * (share - LOW) / (HIGH - LOW), 1)


def main() -> None:
    """Write the page and its picture."""
    (DOCS / "measured.md").write_text(page(), encoding="utf-8")
    (DOCS / PICTURE).write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
