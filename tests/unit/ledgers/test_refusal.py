"""What is said of a charge: the same words in the code and in the docs, each in three lines."""

from pathlib import Path

import pytest

from discreet.errors import BudgetError, DiscreetError, EngineError, InternalError, LedgerError
from discreet.ledgers.refusal import MARK, Standing, said_in, told, words_of

LEDGER = Path("visits.ledger")
DOCS = " ".join((Path(__file__).parents[3] / "docs" / "ledger.md").read_text("utf-8").split())
STATES = ["new", "unknown", "open", "unseen", "void", "answered"]


@pytest.mark.parametrize("state", STATES)
def test_the_docs_list_what_is_said_of_each_state(state):
    """Word for word, and no clause holds the sign that ends it in a note."""
    why, fix = words_of(Standing(state, 17), LEDGER)

    assert f"| {why} |" in DOCS
    assert ";" not in why
    assert why
    assert fix


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    "kind",
    [
        EngineError,
        LedgerError,
        InternalError,
        BudgetError,
        KeyboardInterrupt,
        ValueError,
        SystemExit,
    ],
)
def test_every_error_says_what_stands_in_the_ledger(kind, state):
    """Ours in its own class, with its own first line; any other in a note, and otherwise as it was."""
    ours = issubclass(kind, DiscreetError)
    error = kind("it stopped.", why="so", fix="mend it") if ours else kind()
    why, fix = words_of(Standing(state, 17), LEDGER)

    found = told(error, LEDGER, lambda: Standing(state, 17))

    assert type(found) is type(error)
    if ours:
        itself = state == "new" or (state == "void" and isinstance(error, BudgetError))
        assert (why in found.why) is not itself
        assert found.what == error.what
        assert (found.fix.endswith(fix)) or itself
    else:
        assert found is error
        assert found.__notes__[-1] == f"{MARK}{why}; {fix}"
        assert said_in(found) == (why, fix)


def test_a_lack_of_memory_becomes_three_lines():
    """Python's own says nothing at all."""
    found = told(MemoryError(), LEDGER, lambda: Standing("open", 17))

    assert isinstance(found, EngineError)
    assert "charge 17 stays spent" in found.why
    assert "discreet ledger void visits.ledger 17 --why REASON" in found.fix


def test_an_exception_of_somebody_else_has_no_note_of_ours():
    """Notes that others add are not taken for it."""
    error = ValueError("x")
    error.add_note("other: nothing was charged; ask again")

    assert said_in(error) is None
    assert said_in(ValueError()) is None
