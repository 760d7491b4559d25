"""Noise, drawn before any data is read, and choices, settled before.

Rules of this module:
- nothing here sees data: how many numbers are drawn follows from the declaration;
- what costs more than was charged is refused.

Decision 26.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

from ..aggregate import Aggregate, Choice, Rank, Sparse
from ..errors import InternalError
from ..noise.law import CoinSource, Integers, Law, Streams
from ..plans.price import Act, cost_of
from ..privacy.loss import Loss
from ..schema import Table
from ..sensitivity import Sensitivity
from .price import covered


class Secrets(CoinSource, Streams, Protocol):
    """All that a run draws, in one object: an audit draws the same for two tables (`audit`)."""

    def salt(self) -> int:
        """Return what chooses among the rows of a unit."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DrawnNoise:
    """Drawn noise on its way to the door, as the array that its law made."""

    values: Integers


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Picks:
    """A choice on its way to the door: its law, how many picks, and the coins that decide them.

    The key of the coins was drawn before data is read, so that the choice is settled for whatever
    data there is. With a rank there is one pick in each group, and what is compared is how far
    each bin of the group lies from it, or from as far beyond it as `off` says. A choice leaves out
    what its `of` does.
    """

    law: Law
    count: int
    coins: CoinSource
    rank: Rank | None = None
    off: int = 0
    of: Choice | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SparseNoise:
    """The noise of many cells on its way to the door, of which only sums over a threshold pass.

    Attributes:
        cells: how many there are.
        threshold: from which sum on one passes.
        lifted: the cells whose noise alone reaches it, over all cells, with that noise.
        below: returns the noise of others, by their numbers; it was settled with `lifted`.
    """

    cells: int
    threshold: int
    lifted: Mapping[int, int]
    below: Callable[[Sequence[int]], Sequence[int]]


Fresh = DrawnNoise | Picks | SparseNoise


def drawn(
    asked: Sequence[tuple[Law, Sensitivity, int]],
    *,
    paid: Loss,
    coins: CoinSource,
    sparse: Sequence[Sparse | None] = (),
    secrets: Streams | None = None,
) -> list[Fresh]:
    """Return fresh noise for each vector, from laws that together cost no more than was charged.

    Args:
        asked: for each vector its law, its sensitivity and how many cells it has.
        paid: the loss that stands in the ledger.
        coins: secret bytes.
        sparse: for each vector which of its sums are told, where it is not all of them.
        secrets: by which the noise of a sparse vector is named; fresh ones without.
    """
    acts = [Act(law, moved) for law, moved, _ in asked]
    if not covered(acts, paid):
        cost = cost_of(acts, paid)
        raise InternalError(
            f"the noise costs {cost}, but {paid} was paid.",
            kind="charge-mismatch",
            why="a plan's law, sensitivity and price do not belong together",
            fix="please report it, with the plan",
        )
    fresh = list[Fresh]()
    for (law, _, cells), some in zip(asked, sparse or [None] * len(asked), strict=True):
        if some is not None:
            from .sparse import drawn_sparsely

            fresh.append(drawn_sparsely(law, some, cells, coins, secrets))
        elif law.chooses:
            fresh.append(Picks(law, cells, coins))
        else:
            fresh.append(DrawnNoise(law.draws(cells, coins)))
    return fresh


def parts_drawn(
    acts: Sequence[Act],
    table: Table,
    *,
    paid: Loss,
    coins: CoinSource,
    secrets: Streams | None = None,
) -> list[Fresh]:
    """Return fresh noise for each vector of a plan, in order; of a shared one in its parts.

    Args:
        acts: the vectors as they are priced.
        table: the declaration, which knows how many cells there are.
        paid, coins, secrets: as for `drawn`.
    """
    sizes = [act.sizes(table) for act in acts]
    asked = [(act.law, act.moved, sum(mine)) for act, mine in zip(acts, sizes, strict=True)]
    sparse = [act.aggregates[0].sparse for act in acts]
    noise = drawn(asked, paid=paid, coins=coins, sparse=sparse, secrets=secrets)
    parts: dict[tuple[int, int], Fresh] = {}
    for act, mine, whole in zip(acts, sizes, noise, strict=True):
        aimed = whole if act.aggregates[0].choice is None else _aimed(whole, act.aggregates[0])
        pieces = [aimed] if len(mine) == 1 else _apart(aimed, mine)
        parts.update(zip(act.places, pieces, strict=True))
    return [parts[place] for place in sorted(parts)]


def _aimed(noise: Fresh, aggregate: Aggregate) -> Fresh:
    """Return a choice with what it is among: some numbers, or how far bins lie from a rank."""
    if aggregate.choice is None or not isinstance(noise, Picks):
        return noise
    rank = aggregate.choice.rank
    if rank is None or aggregate.bins is None:
        return replace(noise, of=aggregate.choice)
    return replace(noise, rank=rank, off=rank.off(noise.law.half_width, aggregate.bins.count))


def _apart(noise: Fresh, sizes: Sequence[int]) -> list[Fresh]:
    """Return noise in pieces of these sizes: each number of it is in one."""
    if not isinstance(noise, DrawnNoise) or len(sizes) == 1:
        return [noise]
    ends = [*accumulate(sizes)]
    if ends[-1:] != [len(noise.values)]:
        raise InternalError(
            "noise was drawn for another number of cells.",
            kind="internal-fault",
            why="each number has noise of its own, which is used once",
            fix="please report it, with the plan",
        )
    return [
        DrawnNoise(noise.values[end - size : end]) for end, size in zip(ends, sizes, strict=True)
    ]
