"""Draw sentences of the docs, for a person who runs what they say: `python tools/drawn.py 60`.

Rules of this tool:
- each sentence of the pages is as likely as another, and so is each row of a table;
- the number that is printed draws the same again; without it another draw is made;
- who draws checks all that are drawn, and leaves none out.

Decision 128.
"""

import random
import re
import sys
from pathlib import Path

from words import FENCE, of_page

ROOT = Path(__file__).parents[1]
NEW = (
    *("panel", "wages", "monthly-table", "heat-map", "postgres", "spark"),
    *("from-opendp", "from-tumult", "from-smartnoise", "keep-a-ledger", "install", "promise"),
    *("first-release", "privacy-loss", "unit-bounds-keys", "read-a-report", "python"),
)
ROW = re.compile(r"^\|(?! ---)(.+)\|$", re.MULTILINE)


def statements(text: str) -> list[str]:
    """Return the sentences of a page, and the rows of its tables without their heads."""
    plain = FENCE.sub("\n", text)
    rows = ROW.findall(re.sub(r"^\|.*\|\n(?=\| ?-)", "", plain, flags=re.MULTILINE))
    return [*of_page(text), *(row.strip() for row in rows)]


def drawn(count: int, number: int, pages: tuple[str, ...] = NEW) -> list[tuple[str, str]]:
    """Return so many statements of pages, with the names of the pages."""
    every = [
        (page, statement)
        for page in pages
        for statement in statements((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    ]
    return random.Random(number).sample(every, count)


def main(arguments: list[str]) -> None:
    """Print the statements of a draw."""
    count = int(arguments[0]) if arguments else 60
    number = int(arguments[1]) if len(arguments) > 1 else random.SystemRandom().randrange(10**6)
    print(f"draw {number}")
    for place, (page, statement) in enumerate(drawn(count, number), 1):
        print(f"{place:3} {page}: {statement}")


if __name__ == "__main__":
    main(sys.argv[1:])
