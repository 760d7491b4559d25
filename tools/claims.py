"""Put the claims in their order, and write which tests and mutants try to break each.

`make reference` runs it.

Rules of this tool:
- the words of a claim are written by hand, in docs/claims.md; a row may be added anywhere on it;
- a claim stands under the part of the code that the first path of its last column names, by number;
- docs/claims-tests.md is made from the marks of the tests and from `mutants/*.toml` alone.

Decision 140.
"""

import re
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "discreet"
CLAIMS = ROOT / "docs" / "claims.md"
TESTS = ROOT / "docs" / "claims-tests.md"
ROW = re.compile(r"^\| C(\d+) \|.*\|$", re.MULTILINE)
MARK = re.compile(r"pytest\.mark\.claim\(\s*\"(C\d+)\"\s*\)")
PATH = re.compile(r"`([^`]+)`")
COLUMNS = "| claim | what holds | source | where |\n| --- | --- | --- | --- |"
CHAPTERS = {  # and the parts of the code that belong to each
    "Numbers and randomness": ("exact", "entropy.py"),
    "Privacy loss": ("privacy",),
    "Noise": ("noise",),
    "Declarations and expressions": ("schema", "expressions", "plan_file", "text.py"),
    "Questions and their sensitivity": ("statistic", "finding", "aggregate.py", "transform.py"),
    "Reading and counting": ("engine",),
    "Plans and prices": ("plans",),
    "Ledgers": ("ledgers",),
    "Releases": ("releases", "document"),
    "Reports and files": ("report",),
    "Numbers made of a release": ("derive", "post", "maps", "members.py"),
    "Calculator": ("calculator",),
    "Audits": ("audit",),
    "Command line, errors and pages": (
        "cli",
        "calls.py",
        "errors.py",
        "errors.md",
        "fix.py",
        "paths.py",
        "docs",
    ),
    "The code as a whole": ("__init__.py",),
}
LAST = "The code as a whole"
HEAD_OF_TESTS = """\
# Tests of each claim

This page is made from the marks of the tests and from the list of mutants: `make reference`.
[The claims](claims.md) say what holds. `pytest --claim C07` runs the tests of one claim.
`make mutants CLAIMS=C07` breaks it on purpose, and fails if its tests let that pass.

| claim | its tests, in `tests/` | its mutants, in `mutants/` |
| --- | --- | --- |
"""


def chapter(row: str) -> str:
    """Return the heading under which a claim stands."""
    first = PATH.search(row.rsplit("|", 2)[1])
    part = first[1].split("/")[0] if first else ""
    return next((title for title, parts in CHAPTERS.items() if part in parts), LAST)


def ordered(text: str) -> str:
    """Return the page of claims with each claim in its chapter, by number."""
    rows = sorted(ROW.finditer(text), key=lambda row: int(row[1]))
    listed = {title: [row[0] for row in rows if chapter(row[0]) == title] for title in CHAPTERS}
    head = re.split(r"^(?:## |\| claim \|)", text, maxsplit=1, flags=re.MULTILINE)[0].rstrip()
    parts = [
        f"## {title}\n\n{COLUMNS}\n" + "\n".join(each) for title, each in listed.items() if each
    ]
    return "\n\n".join([head, *parts]) + "\n"


def lost(text: str) -> list[str]:
    """Return the paths of the last column that are not there, each with its claim."""
    return [
        f"C{row[1]}: {path}"
        for row in ROW.finditer(text)
        for path in PATH.findall(row[0].rsplit("|", 2)[1])
        if not any((root / path).exists() for root in (SOURCE, ROOT))
    ]


def marks() -> dict[str, list[str]]:
    """Return for each claim the files of tests that bear its mark."""
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for claim in dict.fromkeys(MARK.findall(path.read_text("utf-8"))):
            files[claim].append(path.relative_to(ROOT / "tests").as_posix())
    return files


def mutants() -> dict[str, list[str]]:
    """Return for each claim the files that list its mutants."""
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "mutants").glob("*.toml")):
        listed = tomllib.loads(path.read_text("utf-8"))["mutant"]
        for claim in dict.fromkeys(mutant["claim"] for mutant in listed):
            files[claim].append(path.name)
    return files


def tests() -> str:
    """Return the page of tests: each claim with the files that bear its mark, and its mutants."""
    broken, lines = mutants(), []
    for claim, files in sorted(marks().items(), key=lambda item: int(item[0][1:])):
        cells = [", ".join(f"`{name}`" for name in names) for names in (files, broken[claim])]
        lines.append(f"| {claim} | {' | '.join(cells)} |")
    return HEAD_OF_TESTS + "\n".join(lines) + "\n"


def main() -> None:
    """Write both pages."""
    CLAIMS.write_text(ordered(CLAIMS.read_text("utf-8")), encoding="utf-8")
    TESTS.write_text(tests(), encoding="utf-8")


if __name__ == "__main__":
    main()
