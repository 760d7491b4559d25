"""Random graphs of joins: each pair of features occurs, and a join that reaches another unit is found.

The planted fault is what stood at 9c5393a: nothing asked whether facts and owners are one source,
or whether the facts name a unit, too.
"""

from dataclasses import dataclass
from itertools import combinations, product

import pytest
from poison.cases import Share
from poison.join_graphs import PRODUCTIONS, join_graphs

from discreet.engine.duckdb import connect, frames

pytestmark = pytest.mark.claim("C120")
SPELLINGS = ("the facts", "the facts renamed")


@dataclass(frozen=True)
class Named(Share):
    """Cases of these names; which are asked for is kept."""

    names: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        return name in self.names


def test_each_pair_of_features_occurs():
    """But for no owner without a second table, which is no join."""
    sizes = [len(values) for values in PRODUCTIONS.values()]
    every = sum(one * other for one, other in combinations(sizes, 2))
    share = Share(10**9)  # of which no case is tried

    assert [*join_graphs(share)] == []
    assert str(share.tally) == f"0 of 6,156 cases, 0 of {every - 1} pairs of features"


@pytest.mark.parametrize("owner", SPELLINGS)
@pytest.mark.parametrize("fault", [False, True])
def test_facts_that_are_their_own_owners_are_found(owner, fault, monkeypatch):
    """In both spellings: with the unit's name in the facts, and with another one."""
    if fault:
        monkeypatch.setattr(connect, "check_apart", lambda *_: None)
        monkeypatch.setattr(frames, "check_taken", lambda *_: None)
    rest = product(("all", "derived"), ("arrow", "pandas"))
    names = {f"name no unit, {owner}, none, the unit, rows, {a}, {b}" for a, b in rest}

    found = [*join_graphs(Named(names=frozenset(names)))]

    assert bool(found) == fault
    assert all("moved" in each.what for each in found)
