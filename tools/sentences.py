"""Draw sentences of the docs, to be checked or judged by a reader: `tools/sentences.py 60 WORD`.

Rules of this tool:
- a sentence is what `tools/words.py` counts as one, of six words or more, with its page;
- names keep their underscores, and the title of a link stands in quotation marks;
- the heading and the sentence before are shown in brackets, since a reader of the page sees them;
- the word is the reader's own: one draw can be repeated, and none can be foreseen;
- of records, proofs and tables that a measurement wrote none is drawn, unless the page is named.
"""

import random
import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import words

ROOT = Path(__file__).parents[1]
MEASURED = ("docs/benchmarks-tables", "docs/coverage-tables", "docs/nearness-tables")
APART = ("docs/decisions/", "docs/laws/", "docs/claims", "docs/denoising-", *MEASURED)
FEWEST = 6
SECTION = re.compile(r"^#+ +", re.MULTILINE)
ANCHOR = re.compile(r"</?a\b[^>]*>")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
BOLD = re.compile(r"(`[^`]*`)|\*{1,2}(?=\S)|(?<=\S)\*{1,2}")
words.MARKS = [*words.MARKS[:2], (ANCHOR, ""), (LINK, r"“\1”"), (BOLD, r"\1")]


@dataclass(frozen=True)
class Sentence:
    """A sentence of a page, with what a reader of the page has just read."""

    page: str
    text: str
    heading: str
    before: str


def sentences(named: list[str]) -> list[Sentence]:
    """Return each sentence with its page: of the pages that are named, or of those of users."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    taken = named or [name for name in pages if not name.startswith(APART)]
    return [
        sentence
        for name in taken
        for sentence in of_page(name, pages[name])
        if len(words.WORD.findall(sentence.text)) >= FEWEST
    ]


def of_page(name: str, text: str) -> list[Sentence]:
    """Return the sentences of a page, each with the heading above and the sentence before."""
    start, *sections = SECTION.split(words.FENCE.sub("\n", text))
    parts = [("", start), *(section.partition("\n")[::2] for section in sections)]
    return [
        Sentence(name, sentence, heading.strip(), before)
        for heading, body in parts
        for before, sentence in pairwise(["", *words.of_page(body)])
    ]


def drawn(count: int, word: str, named: list[str]) -> list[Sentence]:
    """Return so many sentences, each at most once."""
    return random.Random(word).sample(sentences(named), count)


def main(arguments: list[str]) -> None:
    """Print the draw, a sentence a line, and under each what stands before it on its page."""
    count, word, *named = arguments
    for number, sentence in enumerate(drawn(int(count), word, named), 1):
        print(f"{number:3} {sentence.page}: {sentence.text}")
        before = f"; before: {sentence.before}" if sentence.before else ""
        print(f"    (under: {sentence.heading}{before})")


if __name__ == "__main__":
    main(sys.argv[1:])
