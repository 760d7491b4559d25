"""A refusal that several rooms need is written in one of them, so that all say the same."""

import re
from pathlib import Path

import pytest

from discreet.errors import InputError, LedgerError, names_shown
from discreet.exact.number import flag
from discreet.fix import leave_out
from discreet.ledgers.sqlite_errors import missing
from discreet.paths import taken

SRC = Path(__file__).parents[2] / "src" / "discreet"
HOMES = {  # what begins a refusal, and the one file that writes it
    r"is neither true nor false\.": "exact/number.py",
    r"(is there|exists) already\.\"": "paths.py",
    r"there is no ledger": "ledgers/sqlite_errors.py",
}


@pytest.mark.parametrize("words", HOMES)
def test_a_shared_refusal_is_written_once(words):
    """Elsewhere stand the reason and the fix, which differ."""
    written = [
        path.relative_to(SRC).as_posix()
        for path in sorted(SRC.rglob("*.py"))
        for _ in re.findall(words, path.read_text("utf-8"))
    ]

    assert written == [HOMES[words]]


def test_they_have_three_parts_and_the_class_of_who_must_act():
    """The caller, or whoever keeps the ledger; the reason and the fix are the room's."""
    assert str(missing("a.ledger", why="w", fix="f")) == (
        "there is no ledger a.ledger.\n  why: w\n  fix: f"
    )
    assert type(missing("a.ledger", why="w", fix="f")) is LedgerError
    assert type(taken("a\x1b.csv", why="w", fix="f")) is InputError
    assert taken("a\x1b.csv", why="w", fix="f").what == "a\\x1b.csv is there already."
    assert type(taken("a.ledger", why="w", fix="f", error=LedgerError)) is LedgerError
    with pytest.raises(InputError, match="share = 1 is neither true nor false") as refused:
        flag(1, "share", why="w", fix=leave_out("share"))
    assert flag(value=False, name="share", why="w") is False
    assert refused.value.why == "w"


def test_many_names_are_cut_at_one_length():
    """And steer no terminal."""
    assert names_shown(["a", 2]) == "a, 2"
    assert names_shown(["a", "b\x1b"], "; ") == "a; b\\x1b"
    assert len(names_shown(range(1_000))) == 300
