"""Poison in expressions and joins: strange cells stop nothing; a planted fault is found by its group."""

from dataclasses import dataclass

import pytest
from poison.cases import BOUNDS, PEOPLE, Share
from poison.expressions import Worked
from poison.expressions import _loose as in_expressions
from poison.joins import loose as in_joins
from poison.long_cells import long_cells
from poison.sources import LOOSE

from discreet.engine import evaluate, memory
from discreet.engine.duckdb import engine


@dataclass(frozen=True)
class Only(Share):
    """Cases whose name holds one of some texts."""

    texts: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        return any(text in name for text in self.texts)


CELLS = ("int of 5000 digits", "object whose __str__ raises", "text lone surrogate")
ROLES = ("z in", "first z of", "second u of")
SOME = Only(texts=tuple(f"{cell} as {role}" for cell in CELLS for role in ROLES))


@pytest.mark.claim("C51")
@pytest.mark.parametrize("fault", [False, True])
def test_a_cell_that_an_expression_takes_as_it_is_is_found(fault, monkeypatch):
    """Where text is compared without being read first, what is no text ends the count."""
    if fault:
        monkeypatch.setattr(evaluate, "read_as", taken_for_text)
    worked = Worked(PEOPLE, BOUNDS, ["A", "B"], has_value=True)

    found = [*in_expressions("rows", LOOSE["rows"], "3 rows", worked, SOME)]

    assert any("failed after the charge" in one.what for one in found) == fault
    assert bool(found) == fault


_READ_AS = evaluate.read_as


def taken_for_text(cell, kind):
    return cell if kind == "text" and cell is not None else _READ_AS(cell, kind)


@pytest.mark.claim("C120")
@pytest.mark.parametrize("kind", ["own", "owner"])
@pytest.mark.parametrize("fault", [False, True])
def test_a_link_that_runs_code_of_a_cell_is_found(kind, fault, monkeypatch):
    """Links that are read by `str` run what an object brings, and some objects raise."""
    if fault:
        monkeypatch.setattr(memory, "key_text", str)

    found = [*in_joins("rows", LOOSE["rows"], kind, SOME)]

    assert any("failed after the charge" in one.what for one in found) == fault
    assert bool(found) == fault


@pytest.mark.claim("C220")
@pytest.mark.parametrize("fault", [False, True])
def test_a_count_that_takes_no_more_room_for_long_cells_is_found(fault, monkeypatch):
    """Where DuckDB gets no more memory than was declared, one unit's cells end the count."""
    if fault:
        monkeypatch.setattr(engine, "in_room", lambda read, *_: read())

    found = [*long_cells(Only(texts=("parquet, a text of a filter, more than all memory",)))]

    assert any("failed after the charge" in one.what for one in found) == fault
    assert bool(found) == fault
