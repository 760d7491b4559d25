"""One pair of neighbors through the real path, with the same secrets: what moves, and what differs.

The path is that of a release: `prepared_for`, then `released`, which draws, counts and adds. Beside
it the same rows, in another order, are counted once more to whole numbers before noise. So noise is
what was released less what was counted; it must be the same for both neighbors, wherever it is
seen. Of a choice and of cells that are told sparsely no number is taken at its word: what is
compared there are the numbers that are chosen among, and the noise of cells that show.

Rules of this module:
- the numbers that are opened here are of made-up rows, and of nothing else;
- no declared sensitivity, noise or price is believed here: none is looked at.

Decision 119.
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace

from ..aggregate import Exact, Noisy
from ..engine.protocol import Pool
from ..engine.select_engine import engine_for
from ..errors import DiscreetError
from ..plans.line import places
from ..plans.plan import Plan
from ..privacy.loss import Loss
from ..releases.run import prepared_for, released
from .dice import Script
from .sources import Place, as_they_are, turned
from .worlds import Layout, Neighbors, World

Cellwise = Mapping[int, int]  # numbers by their places; all others are 0


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one table.

    Attributes:
        outcome: "answered", or in which step it failed.
        words: what was said: a message, warnings, and what was printed.
        plan: the plan that was answered.
        noisy, exact: each vector as it was released, and as it was counted.
    """

    outcome: str
    words: str = ""
    plan: Plan | None = None
    noisy: tuple[Noisy, ...] = ()
    exact: tuple[Cellwise, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """Both neighbors of a pair."""

    before: Seen
    after: Seen


def replayed(
    plan: Plan, layout: Layout, pair: Neighbors, place: Place, case: str, paid: Loss
) -> Replayed:
    """Return what comes of both neighbors under the same secrets."""
    before, after = (
        seen(plan, layout, world, place, case, paid) for world in (pair.before, pair.after)
    )
    return Replayed(before, after)


def seen(plan: Plan, layout: Layout, world: World, place: Place, case: str, paid: Loss) -> Seen:
    """Return what comes of one table."""
    printed, step, secrets = io.StringIO(), "before the charge", Script(case.encode())
    with (
        warnings.catch_warnings(record=True) as warned,
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of a driver's sockets, with their ports
        try:
            here = replace(plan, table=place(layout, world, as_they_are))
            prepared = prepared_for(here)
            step = "after the charge"
            answered, noisy = released(here, prepared, paid=paid, secrets=secrets)
            step = "in another order"
            salt = Script(case.encode()).salt()
            exact = counted(replace(plan, table=place(layout, world, turned)), salt)
        except Exception as error:  # noqa: BLE001 - which failure it is is what is compared
            return Seen(f"failed {step}: {type(error).__name__}", _message(error))
    words = "\n".join([printed.getvalue(), *(str(item.message) for item in warned)])
    return Seen("answered", words, answered, noisy, exact)


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, DiscreetError) else ""


def counted(plan: Plan, salt: int) -> tuple[Cellwise, ...]:
    """Return each vector of a plan before noise, after its public matrix."""
    exact = prepared_for(plan).count(salt)
    pairs = zip(places(plan.aggregates), plan.aggregates, strict=True)
    return tuple(_opened(exact[at].transformed(item.transform)) for at, item in pairs)


def _opened(exact: Exact) -> Cellwise:
    """Return the integers of made-up rows."""
    return exact.cells_opened_by_the_door()


@dataclass(frozen=True, slots=True)
class Pooled:
    """What the units of one table add to each key of a column, by rounds that ask for fewer keys.

    Attributes:
        sums: of each set of keys that were found before, what is added to each key by its text.
    """

    sums: Mapping[frozenset[str], Mapping[str, int]]


def pooled(
    plan: Plan,
    layout: Layout,
    world: World,
    place: Place,
    case: str,
    keys: Sequence[frozenset[str]],
) -> list[Pooled]:
    """Return for each finding of a plan what the keys of made-up rows have, in a round.

    Args:
        plan, layout, world, place, case: as for `seen`.
        keys: sets of keys that were found before the round.
    """
    table = place(layout, world, turned).without_found()
    salt, each = Script(case.encode()).salt(), []
    for finding in plan.findings:
        with closing(engine_for(table.source).pooling(table, finding.pairs).read(salt)) as pool:
            each.append(_sums(pool, keys))
    return each


def _sums(pool: Pool, keys: Sequence[frozenset[str]]) -> Pooled:
    many = len(pool.noise(lambda names: [0] * len(names)).opened_by_the_door())
    names = pool.names(frozenset(range(many))) if many else []
    by_place = [pool.names(frozenset([at]))[0] for at in range(many)] if names else []
    sums = {}
    for some in keys:
        places_gone = frozenset(at for at, name in enumerate(by_place) if name in some)
        values = pool.sums(places_gone).opened_by_the_door()
        sums[some] = {name: n for name, n in zip(by_place, values, strict=True) if name not in some}
    return Pooled(sums)
