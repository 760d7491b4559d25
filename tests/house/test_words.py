"""Docs, docstrings and messages are written plainly: sentences are short, and begin with a subject.

The limits of `words.toml` may only fall: `make words` shows what stands, `tools/words.py PAGE` which
sentences are long or begin badly.
"""

import importlib.util
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("words", ROOT / "tools" / "words.py")
words = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(words)

LIMITS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@cache
def counts():
    return words.pages()


def test_sentences_of_pages_are_short():
    """At most 25 words, but for 12 of a hundred; of proofs and decisions 20, of old pages more."""
    over = {
        name: round(count.share, 1)
        for name, count in counts().items()
        if count.share > LIMITS["long"].get(name, words.limit(name)) and len(count.long) > 2
    }

    assert over == {}


def test_sentences_of_pages_name_their_subject():
    """Few begin with What, Who, Whatever, That or Where."""
    proofs = sum(
        len(count.badly) for name, count in counts().items() if name.startswith(words.PROOFS)
    )
    pages = sum(len(count.badly) for count in counts().values()) - proofs

    assert pages <= LIMITS["beginnings"]["pages"]
    assert proofs <= LIMITS["beginnings"]["proofs"]


@pytest.mark.slow
def test_docstrings_and_messages_are_plain():
    """The same of what the code says."""
    for name, count in words.code().items():
        assert count.share <= LIMITS["long"][name], (name, count.long)
        assert len(count.badly) <= LIMITS["beginnings"][name], (name, count.badly)


def test_no_limit_is_for_a_page_that_needs_none():
    """A page that is plain, or gone, loses its exception."""
    needless = [
        name
        for name in LIMITS["long"]
        if name.endswith(".md") and (name not in counts() or counts()[name].share <= 12)
    ]

    assert needless == []


def test_the_privacy_promise_can_be_signed():
    """It has at most 600 words, headings and table with it: a board reads it to its end."""
    text = (ROOT / "docs" / "promise.md").read_text("utf-8")
    for mark, plain in words.MARKS:
        text = mark.sub(plain, text)

    assert len(words.WORD.findall(text)) <= 600


LONG = " ".join(["word"] * 26)


@pytest.mark.parametrize(
    ("text", "sentences", "long", "badly"),
    [
        ("One sentence here. And another one.", 2, 0, 0),
        (f"A {LONG}.", 1, 1, 0),
        (f"- {LONG[:50]}\n- Another item\n\n| {LONG} | in a table |", 2, 0, 0),
        (f"```text\n{LONG}\n```\nA line after it.", 1, 0, 0),
        (f"- An item:\n\n    - {LONG}\n    - And another\n\n    More of it.", 4, 1, 0),
        (f"A line before.\n\n    {LONG}\n\nA line after it.", 2, 0, 0),
        ("What is asked is asked. What is it?", 2, 0, 1),
        ("Proposition 1 of Dwork et al. 2014 says `a. B`, e.g. for [a link. Here](x.md).", 1, 0, 0),
        ("The first line\nwhere nothing ends. Where it ends, it ends.", 2, 0, 1),
    ],
)
def test_sentences_are_counted(text, sentences, long, badly):
    """The tool has power: it sees a long sentence and a bad beginning, and no code or table."""
    count = words.counted(words.of_page(text))

    assert (count.sentences, len(count.long), len(count.badly)) == (sentences, long, badly)


def test_docstrings_are_read_by_their_parts():
    """Each parameter is a sentence; an example is none."""
    text = f"Do it.\n\nArgs:\n    a: {LONG}\n    b: what there is.\n\nExample:\n    >>> {LONG}\n"
    count = words.counted(words.of_docstring(text))

    assert (len(count.long), len(count.badly)) == (1, 1)
