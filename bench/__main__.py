"""`make bench`: every benchmark, one after the other; writes docs/benchmarks-tables.md.

`python -m bench noise planning` runs only these parts and prints them. What follows a part and is
none is handed to it: `python -m bench kinds 10000000 duckdb` counts ten million rows on DuckDB.
"""

import os
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from . import (
    accounts,
    calibration,
    cubes,
    derived,
    engine,
    filters,
    formats,
    growth,
    keys,
    kinds,
    maps,
    moments,
    noise,
    numbered,
    page,
    peers,
    planning,
    reading,
    rows,
    servers,
    sparse,
)
from .table import Section

PARTS = {
    "planning": planning.sections,
    "noise": noise.sections,
    "calibration": calibration.sections,
    "accounts": accounts.sections,
    "page": page.sections,
    "cubes": cubes.sections,
    "maps": maps.sections,
    "growth": growth.sections,
    "formats": formats.sections,
    "derived": derived.sections,
    "reading": reading.sections,
    "rows": rows.sections,
    "filters": filters.sections,
    "peers": peers.sections,
    "moments": moments.sections,
    "keys": keys.sections,
    "engine": engine.sections,
    "servers": servers.sections,
    "sparse": sparse.sections,
    "numbered": numbered.sections,
    "kinds": kinds.sections,
}
PACKAGES = ("duckdb", "numpy", "scipy", "opendp", "pipeline-dp", "diffprivlib", "dp-accounting")
WHERE = Path(__file__).parents[1] / "docs" / "benchmarks-tables.md"


def main() -> None:
    """Run the parts that are asked for; when none is, all, and write them down."""
    asked: list[tuple[str, list[int | str]]] = []
    for word in sys.argv[1:]:
        if word in PARTS:
            asked.append((word, []))
        else:
            asked[-1][1].append(int(word) if word.isdecimal() else word)
    sections: list[Section] = []
    for name, words in asked or [(name, []) for name in PARTS]:
        print(f"{name} ...", file=sys.stderr, flush=True)
        made: Callable[..., list[Section]] = PARTS[name]
        for section in made(*words):
            print(section.markdown(), flush=True)
            sections.append(section)
    if not asked:
        WHERE.write_text(_page(sections), encoding="utf-8")
        print(f"written to {WHERE.relative_to(Path.cwd())}", file=sys.stderr)


def _page(sections: list[Section]) -> str:
    judged = [pair for section in sections for pair in section.judged()]
    missed = [f"- {place}: {c.text} ({c.wanted})" for place, c in judged if not c.reached]
    verdict = [f"{len(judged) - len(missed)} of {len(judged)} wanted figures were reached."]
    verdict += ["Missed:", "", *missed] if missed else []
    lines = [
        "# Benchmarks: all tables",
        "",
        "Written by `make bench`; do not edit. [Benchmarks](benchmarks.md) is the page of the "
        "result. To repeat the run, type `make bench`: about twelve minutes on two cores, with 3 "
        "GB of disk for a while. The parts `kinds` and `formats` take as long again or more. "
        f"`.venv/bin/python -m bench {next(iter(PARTS))}` runs one part and prints it. Parts: "
        f"{', '.join(f'`{name}`' for name in PARTS)}.",
        "",
        f"Run on {datetime.now(UTC):%Y-%m-%d} on {_machine()}, with {_versions()}. Figures are "
        "medians of CPU time, or of the clock where a table says so. Ours and others took turns in "
        "one run, so ratios mean more than times. Brackets hold the wanted figure; a missed one is "
        "bold.",
        "",
        "\n".join(verdict),
        "",
    ]
    return "\n".join(lines) + "\n" + "\n".join(section.markdown() for section in sections)


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores and {memory:.0f} GB of memory ({platform.machine()})"


def _versions() -> str:
    return f"Python {platform.python_version()}, " + ", ".join(map(_version, PACKAGES))


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


if __name__ == "__main__":
    with TemporaryDirectory() as state:  # the anchors of its ledgers are not the user's
        os.environ["XDG_STATE_HOME"] = state
        main()
