"""What an engine does only to be faster, each way off unless it says otherwise.

Rules of this module:
- whatever is on or off, the same integers come out: the suite of the engines is run once more with
  all of it off (`tests/engine/conftest.py`), and each way alone is compared with none;
- what decides whose rows are left out of an answer is no matter of speed: each look at units beyond
  a limit, the short ones too, stands in `guard`. A fault there would change no integer as long as
  bounding holds, so that no comparison with `SLOW` could show it.

Decision 73.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Once:
    """A digest that all rows of a unit share.

    Attributes:
        digest_of: of the unit.
        hash_of: of the digest and some columns: the hash of the dialect.
    """

    digest_of: Callable[[exp.Expression], exp.Expression]
    hash_of: Callable[[Sequence[exp.Expression]], exp.Expression]


@dataclass(frozen=True, slots=True)
class Pruning:
    """How rows are pruned by their hashes, which are whole numbers of 64 bits.

    Attributes:
        least: the least hash that there may be.
        kind: the type of a hash, as DuckDB calls it.
        lists_least: whether MIN(h, n) is the list of the n least.
        reads_again: whether rows are read once more for it, which can take less than to write
            them down.
    """

    least: int
    kind: str
    lists_least: bool = False
    reads_again: bool = False


@dataclass(frozen=True, slots=True)
class Speed:
    """The ways in which an engine counts the same in less time.

    Attributes:
        prunes: the hashes that rows are pruned by; None where they are not (`pruned`).
        takes: an aggregate of whole numbers: how many of 64 places they take, each the same one as
            its equals; never NULL; None where all units are looked at closely
            (`guard.quick_query`).
        one_sort: whether limits of groups, and of rows in each, are met by one sort of all rows
            (`bounding.at_once`).
        lists: whether rows are limited, and looked at, by lists of those of each unit (`listed`):
            the engine keeps lists, and groups by unit what is sorted so as it comes.
        counts_places: whether the position of a whole number among consecutive keys is counted
            (`runs`): a join costs more, and planners take it for one that makes rows.
        sifts: whether filters compare cells as their types, where that is known to be the same
            (`sieve`).
        byte_keys: whether a cell whose bytes may be no text can be compared with a public key: that
            is text, so nothing else equals it (`Match.as_bytes`).
        hashes_late: whether rows are hashed only where a limit can bind, because a hash is dear
            (`ranked`).
        once: how units are digested that are not digested where they are read: once for all rows
            of a unit; None where each row does so for itself, or none needs to (`ranked`).
        first: of the hashes and the numbers of a unit's groups, as an aggregate, the number of the
            group whose hash is the least, and of equal hashes the least number (`one_row`); None
            where rows are ranked.
        ranks_few: whether of keys that nobody knows only those of units with too many are ranked
            (`pool`): what is read for that is written down.
        looks_up: whether a table of a join that brings nothing but its link is looked up, where
            only units are counted (`looked_up`).
        looks_along: whether the rows of a unit are counted in the pass that chooses them, and not
            by a step of their own (`guard.looked_along`).
        date: the day of a count from 1970, where the engine's own YEAR, MONTH and DAY of it give
            what the calendar gives (`civil`); None where nobody compared all days.
    """

    prunes: Pruning | None = None
    takes: Callable[[exp.Expression], exp.Expression] | None = None
    one_sort: bool = False
    lists: bool = False
    counts_places: bool = False
    sifts: bool = False
    byte_keys: bool = False
    hashes_late: bool = False
    once: Once | None = None
    first: Callable[[exp.Expression, exp.Expression], exp.Expression] | None = None
    ranks_few: bool = False
    looks_up: bool = False
    looks_along: bool = False
    date: Callable[[exp.Expression], exp.Expression] | None = None


SLOW = Speed()
