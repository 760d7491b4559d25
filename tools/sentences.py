"""Draw sentences of the docs, to be checked or judged by a reader: `tools/sentences.py 60 WORD`.

Rules of this tool:
- a sentence is what `tools/words.py` counts as one, of six words or more, with its page;
- the word is the reader's own: one draw can be repeated, and none can be foreseen;
- of records, proofs and tables that a measurement wrote none is drawn, unless the page is named.
"""

import random
import sys
from pathlib import Path

import words

ROOT = Path(__file__).parents[1]
MEASURED = ("docs/benchmarks-tables", "docs/coverage-tables", "docs/nearness-tables")
APART = ("docs/decisions/", "docs/laws/", "docs/claims", "docs/denoising-", *MEASURED)
FEWEST = 6
words.MARKS = [(mark, plain) for mark, plain in words.MARKS if plain != "code"]


def sentences(named: list[str]) -> list[tuple[str, str]]:
    """Return each sentence with its page: of the pages that are named, or of those of users."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    taken = named or [name for name in pages if not name.startswith(APART)]
    return [
        (name, sentence)
        for name in taken
        for sentence in words.of_page(pages[name])
        if len(words.WORD.findall(sentence)) >= FEWEST
    ]


def drawn(count: int, word: str, named: list[str]) -> list[tuple[str, str]]:
    """Return so many sentences, each at most once."""
    return random.Random(word).sample(sentences(named), count)


def main(arguments: list[str]) -> None:
    """Print the draw, a sentence a line."""
    count, word, *named = arguments
    for number, (page, sentence) in enumerate(drawn(int(count), word, named), 1):
        print(f"{number:3} {page}: {sentence}")


if __name__ == "__main__":
    main(sys.argv[1:])
