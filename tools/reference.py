"""Write the pages that are made: what stands in the code stands on them. `make reference` runs it.

Rules of this tool:
- a page is made from the code alone, and is the same on every machine;
- a test makes each page again and compares it, so that none is behind the code;
- each page says at its head what it is made from.

Decision 123.
"""

import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OLDER = re.compile(r"decisions? ((?:\d+|, | and )+)|\[(?:decision )?\d+\]")
HEAD_OF_DECISIONS = (
    "# Decisions",
    "",
    "Why discreet is built as it is. Each record gives a decision, its reasons, and what was",
    "weighed. A number that is missing was never used. `make reference` makes this page.",
    "",
    "| number | decision | status | later records about it |",
    "| ---: | --- | --- | --- |",
)


def decisions() -> str:
    """Return the index of the decision records: number, title and status of each."""
    titles, stands = {}, {}
    for path in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        title, _, body = path.read_text("utf-8").partition("\n")
        number = int(path.name[:4])
        titles[number] = f"[{re.sub(r'^# 0*[0-9]+[.:] ', '', title)}]({path.name})"
        head = [part for part in body.strip().split("\n\n") if re.match(r"\*[^*]", part)]
        stands[number] = " ".join(" ".join(head).replace("*", "").split()) if head else "Accepted."
    later: dict[int, list[str]] = {number: [] for number in titles}
    for number, text in stands.items():
        for older in {
            int(name) for run in OLDER.finditer(text) for name in re.findall(r"\d+", run[0])
        }:
            if older < number:
                later[older].append(str(number))
    rows = [
        f"| {number} | {title} | {stands[number]} | {', '.join(later[number])} |"
        for number, title in titles.items()
    ]
    return "\n".join([*HEAD_OF_DECISIONS, *rows, ""])


PAGES: dict[str, Callable[[], str]] = {"decisions/index.md": decisions}


def main() -> None:
    """Write each page that is made."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
