"""The pairs of unit and key of a list of dicts, for finding keys: the reference, to be read.

Rules of this module:
- which keys of a unit stay is decided once, by a keyed hash of the unit and the key;
- how often a unit has a key does not matter: pairs are distinct;
- a key is its bytes: texts that look or sort alike are two.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ..aggregate import Aggregate, Exact
from ..errors import InputError, shown
from ..finding.pairs import Pairs
from ..fix import write
from ..schema import Table, Unknown
from .evaluate import cell, declared_cell, test
from .protocol import SALTS, quietly, reads_of
from .reading import key_text, unit_of
from .source import is_listed

Hash = Callable[..., int | str]


def check_rows(table: Table, aggregates: tuple[Aggregate, ...]) -> None:
    """Refuse what is no list of dicts, and a column that a question names and nobody declared.

    Which names the rows have is not looked at: a row with one name more must change nothing. A
    declared column that no row has is missing in each; what is made of a row hides a name of it.
    """
    if not is_listed(table.source):
        raise InputError(
            f"{shown(table.name)} is not a list of dicts.",
            kind="source-type",
            why="the reference engine reads rows as dicts of column names and cells",
            fix=(write(of="table", source=[{"ward": "A", "cost": 12}]), "pass a data frame"),
        )
    named = _named(table)
    for leaf in reads_of(table, aggregates):
        if leaf.value not in named:
            raise InputError(
                f"{shown(leaf.value)} is asked for, but declared nowhere.",
                kind="column-not-declared",
                why="a list of dicts has no public names: those of its rows are not looked at, so "
                "that a misspelt one would count as missing",
                fix=f"check its spelling; if it is right, add {shown(leaf.value)!r} to columns or "
                "keys of the table, or read it in a derived column or a condition of the table; "
                f"if it is text, write '{shown(leaf.value)}' in ' '",
            )


def _named(table: Table) -> set[str]:
    """Return the columns that a declaration names, be they declared or read by what is."""
    trees = [*table.trees.values(), *([table.condition.tree] if table.condition else [])]
    names = {leaf.value for tree in trees for leaf in tree.columns()}
    names |= {name for leaf in table.joins for name in (*leaf.gives, leaf.on, leaf.key)}
    return names | {*table.columns, *table.keys, *table.links, str(table.unit.column)}


def candidate(cell: object, declared: Unknown) -> str | None:
    """Return the key that a cell is while keys are looked for; None if it is none.

    A text that is too long is none, and neither is the name of all others.
    """
    text = key_text(cell)
    key = declared.missing if text is None else text
    return None if key is None or len(key) > declared.longest or key == declared.other else key


@dataclass(frozen=True, slots=True, repr=False)
class MemoryPooling:
    """Rows that fit their declaration, not looked at yet."""

    table: Table
    pairs: Pairs
    hash_of: Hash

    def read(self, salt: int) -> "MemoryPool":
        """Read the data once, and fix which keys of each unit stay."""
        return quietly(lambda: self._read(salt % SALTS))

    def _read(self, salt: int) -> "MemoryPool":
        column, declared = self.pairs.column, self.table.unknown[self.pairs.column]
        units: dict[object, set[str]] = {}
        for place, row in enumerate(cast("Iterable[Mapping[str, object]]", self.table.source)):
            if self.table.condition and test(self.table.condition.tree, self.table, row) != 1:
                continue
            named = self.table.unit.column
            unit = place if named is None else unit_of(declared_cell(self.table, row, named))
            key = candidate(cell(self.table, row, column), declared)
            if unit is not None and key is not None:
                units.setdefault(unit, set()).add(key)
        kept = [self._kept(salt, unit, keys) for unit, keys in units.items()]
        return MemoryPool(kept, self.pairs.weights)

    def _kept(self, salt: int, unit: object, keys: set[str]) -> frozenset[str]:
        """Return the keys of one unit that stay."""
        most = len(self.pairs.weights)
        if len(keys) <= most:
            return frozenset(keys)
        order = sorted(keys, key=lambda key: (self.hash_of(salt, unit, key), key.encode()))
        return frozenset(order[:most])


class MemoryPool:
    """The keys of each unit that stayed."""

    __slots__ = ("_keys", "_units", "_weights")

    def __init__(self, units: Iterable[frozenset[str]], weights: tuple[int, ...]) -> None:
        self._units = list(units)
        self._keys = sorted(set().union(*self._units), key=str.encode)
        self._weights = weights

    def noise(self, draw: Callable[[Sequence[bytes]], Sequence[int]]) -> Exact:
        """Return what `draw` makes of the bytes of the keys."""
        return Exact(tuple(draw([key.encode() for key in self._keys])))

    def sums(self, keys_found: frozenset[int]) -> Exact:
        """Return what the units add to each key that was not found."""
        gone = {self._keys[place] for place in keys_found}
        total: Counter[str] = Counter()
        for keys in self._units:
            left = keys - gone
            if left:
                total.update(dict.fromkeys(left, self._weights[len(left) - 1]))
        return Exact(tuple([total[key] for key in self._keys]))

    def names(self, keys_found: frozenset[int]) -> list[str]:
        """Return the text of keys that were found, ordered by its bytes."""
        return [self._keys[place] for place in sorted(keys_found)]

    def close(self) -> None:
        """Do nothing: all is in memory."""
