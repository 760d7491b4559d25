"""Faults that are planted in the library, one by one, for an audit to find.

Rules of this module:
- each is a fault as it happens: in a sensitivity, a sampler, an engine, a price, a refusal;
- each says in which layer an audit must find it, and with which plan.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from itertools import count
from os import urandom
from pathlib import Path

import numpy as np

import discreet as dp
from discreet.aggregate import Noisy
from discreet.audit.dice import Script
from discreet.engine import lists_apart, memory
from discreet.noise import discrete_gaussian, discrete_laplace
from discreet.plans import price
from discreet.privacy import loss
from discreet.releases import door, draws
from discreet.releases import run as run_room
from discreet.schema import public_list
from discreet.statistic import count as count_room


def people(*, wide: bool = False, unit=None, neighbors="add_remove", wards=("A", "B", "C")):
    high = 10**15 if wide else 50
    return dp.table(
        "people.csv",
        unit=unit or dp.unit("who", max_rows=2),
        columns={"cost": dp.bounds(0, high, step=1)},
        keys={"ward": wards},
        neighbors=neighbors,
    )


def usual(*asked, spend=None, **how):
    """A count and a sum by group, or other questions."""
    questions = asked or (dp.count(by="ward"), dp.sum("cost", by="ward"))
    return dp.plan(people(**how), *questions, spend=spend or dp.pure(1))


def small_sensitivity(patch):
    """A question says that one row less can move it than can."""
    honest = count_room.row_sensitivity

    def smaller(declared, limits, cells):
        return honest(declared, replace(limits, rows=1, rows_per_group=1, groups=1), cells)

    patch.setattr(count_room, "row_sensitivity", smaller)


def narrow_laplace(patch):
    """The sampler draws nine tenths of the noise."""
    honest = discrete_laplace.tables_of
    patch.setattr(discrete_laplace, "tables_of", lambda scale: honest(scale * Fraction(9, 10)))


def by_position(patch):
    """Rows of a unit are kept by where they stand in the table."""

    def first(self, rows, limit, salt, part_of, content_of, before=0):
        kept: dict[object, int] = {}
        out = []
        for place, row in enumerate(rows):
            kept[part_of(row)] = kept.get(part_of(row), 0) + (place % 3 != salt % 3)
            if kept[part_of(row)] <= limit and place % 3 != salt % 3:
                out.append(row)
        return out

    patch.setattr(memory.MemoryPrepared, "_first_by_content", first)


def no_clamp(patch):
    """Values beyond their bounds are added up as they are."""
    patch.setattr(memory, "_clamped", lambda bounds, steps: steps)

    def in_steps(cell, bounds):
        steps = memory.number(cell)
        if steps is None or abs(steps) > 1e12:
            return bounds.missing_step
        return memory.floor(steps * bounds.step.denominator + 0.5)

    patch.setattr(memory, "in_steps", in_steps)


def keys_from_data(patch):
    """A group without rows gets no noise."""
    honest = door.door

    def careless(exact, noise):
        values = exact.opened_by_the_door()
        out = honest(exact, noise)
        return Noisy(tuple(n if v else 0 for n, v in zip(out.values, values, strict=True)))

    patch.setattr(run_room, "door", careless)


def float_sums(patch):
    """Sums are added up as doubles."""
    honest = memory._added

    def added(declared, addend, rows):
        if addend.kind != "cells" or not addend.values:
            return honest(declared, addend, rows)
        whole = 0.0
        for row in rows:
            whole += float(honest(declared, addend, [row]))
        return int(whole)

    patch.setattr(memory, "_added", added)


def narrow_gaussian_for_few(patch):
    """Nine tenths of the noise, on the way that few numbers are drawn alone."""
    honest = discrete_gaussian._strips
    patch.setattr(discrete_gaussian, "_strips", lambda sigma2: honest(sigma2 * Fraction(81, 100)))


def own_owner(patch):
    """P1: the table that names owners may be the facts themselves."""
    tables = import_module("discreet.schema.table")
    for name in ("refuse_one_source", "refuse_one_name"):
        patch.setattr(tables, name, lambda *_: None)
    patch.setattr(memory, "check_apart", lambda *_: None)


def short_intervals(patch):
    """N1: joint intervals of a bounded count are taken from the law before it was clamped."""
    from discreet.derive import derived
    from discreet.post.together import common_level

    def level(document, names, alpha):
        lines = derived._lines(document, names)
        return common_level([(line.laws[0], size) for line, size, each in lines if not each], alpha)

    patch.setattr(derived, "_level", level)


def unfair_rows(patch):
    """N0: equal rows of a unit share one hash, so that they stand or fall together."""

    def first(self, rows, limit, salt, part_of, content_of, before=0):
        each = [
            (self.hash_of(salt, *part_of(row), *content_of(row)), n, row)
            for n, row in enumerate(rows)
        ]
        parts: dict[object, list] = {}
        for one in sorted(each, key=lambda one: one[:2]):
            parts.setdefault(part_of(one[2]), []).append(one[2])
        return [row for part in parts.values() for row in part[:limit]]

    patch.setattr(memory.MemoryPrepared, "_first_by_content", first)


def dearest_part(patch):
    """Of several vectors the dearest alone is charged, where one unit is exchanged."""
    honest = price.added

    def added(acts, kind):
        losses = [one for act in acts if (one := price.loss_in(act, kind)) is not None]
        if len(losses) < 2 or len(losses) != len(acts):
            return honest(acts, kind)
        return loss.Loss(losses[0].kind, tuple(map(max, *(one.numbers for one in losses))))

    patch.setattr(price, "added", added)


def empty_cells_only(patch):
    """The cells that noise alone shows are drawn among those without rows."""
    honest = door.passed

    def passed(exact, noise):
        counted = exact.cells_opened_by_the_door()
        lifted = {at: z for at, z in noise.lifted.items() if at not in counted}
        return honest(exact, replace(noise, lifted=lifted))

    patch.setattr(door, "passed", passed)


def keys_in_data(patch):
    """A list of keys may lie in the data."""
    patch.setattr(public_list, "refuse_lists", lambda _: None)
    patch.setattr(public_list, "refuse_data", lambda *_: None)
    patch.setattr(lists_apart, "check_lists", lambda *_: None)


def no_second_look(patch):
    """Twice as many rows of a unit are kept, and nobody looks again."""
    patch.setattr(memory, "fit", lambda counts, limits: set(counts))
    honest = memory.MemoryPrepared._first_by_content

    def twice(self, rows, limit, *others, **more):
        return honest(self, rows, 2 * limit, *others, **more)

    patch.setattr(memory.MemoryPrepared, "_first_by_content", twice)


def noise_repeats(patch):
    """Draws by the thousand repeat: each alone is right."""
    honest = discrete_laplace.DiscreteLaplace.draws

    def draws_of(self, count, coins):
        return np.resize(honest(self, min(count, 1_000), coins), count)

    patch.setattr(discrete_laplace.DiscreteLaplace, "draws", draws_of)


def one_start(patch):
    """The noise of each vector begins with the same coins."""
    honest = draws.drawn

    def drawn(asked, *, coins, **how):
        start = coins.bytes(32)
        how.pop("sparse")
        return [each for one in asked for each in honest([one], coins=Script(start), **how)]

    patch.setattr(draws, "drawn", drawn)


def bare_end(patch):
    """The last number of each vector gets no noise."""
    honest = door.door

    def careless(exact, noise):
        values = honest(exact, noise).values
        return Noisy((*values[:-1], exact.opened_by_the_door()[-1]))

    patch.setattr(run_room, "door", careless)


def one_seed(patch):
    """Each release draws its noise from the same seed."""
    patch.setattr(run_room, "Coins", lambda: Script(b"seed"))


def seed_again(patch):
    """Each second release draws its noise from the seed of the one before it."""
    seeds, runs = list[bytes](), count()

    def coins():
        if next(runs) % 2 == 0:
            seeds.append(urandom(32))
        return Script(seeds[-1])

    patch.setattr(run_room, "Coins", coins)


def charged_less(patch, often=(1,)):
    """A run is charged half of its price, and its noise is drawn unasked."""
    honest, runs = run_room.price, count(1)

    def less(plan, left):
        cost = honest(plan, left)
        return cost.times(Fraction(1, 2)) if next(runs) in often else cost

    patch.setattr(run_room, "price", less)
    patch.setattr(draws, "covered", lambda *_, **__: True)


def joined_plan():
    facts = dp.table(
        "people.csv",
        unit=dp.unit("person", max_rows=2),
        columns={"income": dp.bounds(0, 9, step=1)},
        name="facts",
    )
    owner = dp.owner("people.csv", name="same", on="home", gives=["person"])
    return dp.plan(facts.joined(owner), dp.sum("income"), spend=dp.pure(1))


def two_counts():
    """Two vectors with noise of one law."""
    return usual(dp.count(by="ward"), dp.count(by="ward", where="cost > 3"))


def listed_plan():
    """The keys are a column of the data's own file."""
    Path("people.csv").write_text("ward,cost\nA,1\nB,2\n")
    keys = dp.keys(file="people.csv", column="ward")
    declared = dp.table("people.csv", unit="row", keys={"ward": keys})
    return dp.plan(declared, dp.count(by="ward"), spend=dp.pure(1))


def sparse_plan():
    rule = dp.publish(at_least=12, most=100)
    declared = dp.table("people.csv", unit="row", keys={"ward": range(400)})
    return dp.plan(declared, dp.count(by="ward", publish=rule), spend=dp.pure("1/3"))


@dataclass(frozen=True)
class Planted:
    """A fault, the plan that it is audited with, and the layer that must find it."""

    plant: Callable
    layer: str
    plan: Callable = usual
    engine: str = "memory"


def bounded_plan():
    asked = dp.count(by="ward", between=(0, 30), max_rows_per_group=1, max_groups=1)
    return usual(asked, spend=dp.pure("0.2"))


FAULTS = {
    "sensitivity too small": Planted(small_sensitivity, "replay"),
    "noise nine tenths": Planted(narrow_laplace, "law, exact"),
    "rows kept by position": Planted(by_position, "replay"),
    "clamp missing": Planted(no_clamp, "replay"),
    "keys from data": Planted(keys_from_data, "replay"),
    "float sums": Planted(float_sums, "replay", lambda: usual(dp.sum("cost"), wide=True)),
    "Gaussian nine tenths for few": Planted(
        narrow_gaussian_for_few, "law, exact", lambda: usual(spend=dp.zcdp("1/8"))
    ),
    "an owner table that is the facts": Planted(own_owner, "declaration", joined_plan),
    "joint intervals too short": Planted(short_intervals, "claims", bounded_plan),
    "rows kept unevenly": Planted(unfair_rows, "claims"),
    "the dearest part charged": Planted(dearest_part, "replay", lambda: usual(neighbors="replace")),
    "shown among empty cells only": Planted(empty_cells_only, "replay", sparse_plan),
    "a key list from the data": Planted(keys_in_data, "declaration", listed_plan),
    "twice as many rows kept": Planted(no_second_look, "claims"),
    "noise that repeats": Planted(noise_repeats, "law, drawn"),
    "two vectors with one start": Planted(one_start, "noise, drawn", two_counts),
    "a last number without noise": Planted(bare_end, "noise, drawn"),
    "one seed for each release": Planted(one_seed, "noise, drawn"),
    "charged less than it costs": Planted(charged_less, "ledger"),
}
