"""Random plans for audits: of the catalog, and of what it does not reach by itself.

Half of them ask the catalog: one to three questions of any kind, over a table with units of any
kind, in either relation, with limits, filters, derived columns, owners or second tables, in each
kind of loss. Each of the others has one thing more: keys that nobody knows, with sizes of their
groups or none; cells that are told sparsely; rules; a vector that questions share; intervals that
hold together; bounded counts; a number whose sensitivity is stated. What a table cannot be asked is
left out, and another plan is made.
"""

from random import Random
from typing import Any

import discreet as dp
from discreet.errors import DiscreetError
from discreet.statistic.catalog import LISTED, STATISTICS, statistic_of

SPENDS = (
    lambda: dp.pure(1),
    lambda: dp.pure("1/10"),
    lambda: dp.zcdp("1/8"),
    lambda: dp.gdp(mu2="1/4"),
    lambda: dp.approx(1, "1e-6"),
    lambda: dp.approx("1/2", "1e-9"),
)
_BOUNDS = {"cost": (0, 50, 1), "age": (-5, 9, "1/2")}


def table(
    chance: Random, *, film: bool = False, joined: bool | None = None, wards: Any = "ABC"
) -> Any:
    """A random declaration, of files that are not there."""
    joins = chance.random() < 0.2 if joined is None else joined
    by_row = not joins and not film and chance.random() < 0.25
    keys: dict[str, Any] = {"ward": [*wards], "floor": range(1, 5)}
    if film:
        keys["film"] = dp.unknown(max_groups=chance.choice([1, 3]))
    made = dp.table(
        "facts.csv",
        unit="row" if by_row else dp.unit("who", max_rows=chance.choice([1, 2, 3, 7])),
        columns={
            name: dp.bounds(low, high, step=step, missing=0)
            if name == "age"
            else dp.bounds(low, high, step=step)
            for name, (low, high, step) in _BOUNDS.items()
        },
        keys=keys,
        neighbors=chance.choice(["add_remove", "replace"]),
    )
    if chance.random() < 0.25:
        made = made.where("cost > 3 OR ward = 'A'")
    if chance.random() < 0.25:
        made = made.derive(decade=dp.derived("floor(cost / 10)", keys=range(6)))
    if not joins:
        return made
    owner = dp.owner("owners.csv", on="visit", gives=["who"])
    return made.joined(chance.choice([owner, dp.join("more.csv", gives=["age"])]))


def questions(declared: Any, chance: Random) -> list[Any]:
    """Some questions of the catalog that this table can be asked."""
    asked = list[Any]()
    while len(asked) < chance.choice([1, 1, 2, 3]):
        name = chance.choice([*STATISTICS])
        plain = {"statistic": name, **chance.choice([*LISTED[name].examples(declared)])}
        plain.setdefault("by", some(declared, chance))
        try:
            question = statistic_of(plain)
            question.aggregates(declared)
        except DiscreetError:
            continue
        if str(question) not in map(str, asked):
            asked.append(question)
    return asked


def some(declared: Any, chance: Random) -> list[str]:
    """None, one or two of the columns whose keys are listed."""
    keys = [key for key in declared.keys if key not in declared.unknown]
    return chance.sample(keys, chance.randrange(min(3, len(keys) + 1)))


def of_catalog(chance: Random) -> Any:
    """A plan of any questions."""
    declared = table(chance)
    return dp.plan(declared, *questions(declared, chance), spend=chance.choice(SPENDS)())


def of_unknown_keys(chance: Random) -> Any:
    """Keys that nobody knows, by themselves, crossed with others, or with sizes of their groups."""
    declared = table(chance, film=True, joined=False)
    by = ["film", *chance.sample(["ward", "floor"], chance.randrange(2))]
    asked = [chance.choice([dp.count(by=by), dp.sum("cost", by=by), dp.count_units(by=by)])]
    if chance.random() < 0.3:
        asked.append(dp.group_sizes("film", at_least=[1, 2, 10]))
    if chance.random() < 0.3:
        asked.append(dp.count(by="ward"))
    return dp.plan(declared, *asked, spend=chance.choice(SPENDS[4:])())


def of_sparse_cells(chance: Random) -> Any:
    """Cells of which those that reach a threshold are told."""
    declared = table(chance, joined=False, wards=range(chance.choice([60, 400])))
    rule = dp.publish(at_least=chance.choice([12, 40, 120]), most=100)
    return dp.plan(declared, dp.count(by="ward", publish=rule), spend=chance.choice(SPENDS)())


def of_rules(chance: Random) -> Any:
    """Numbers that a rule hides or rounds."""
    declared = table(chance)
    rule = chance.choice(
        [
            dp.publish(at_least=9),
            dp.publish(within="25%", coverage="marginal"),
            dp.publish(round_to=5),
            dp.publish(at_least=5, within=40, round_to=10),
        ]
    )
    asked = [
        chance.choice([dp.count, dp.count_units])(by=some(declared, chance)),
        dp.sum("cost", by=some(declared, chance)),
        dp.mean("cost", by=some(declared, chance)),
    ]
    chosen = chance.sample(asked, chance.choice([1, 2]))
    return dp.plan(declared, *chosen, spend=chance.choice(SPENDS)(), publish=rule)


def of_a_shared_vector(chance: Random) -> Any:
    """A count and means of the same groups, as one vector."""
    declared = table(chance)
    by = some(declared, chance)
    asked = [
        dp.count(by=by, within=chance.choice([9, 40])),
        dp.mean("age", by=by, within=chance.choice(["1/2", 2]), rows=chance.choice([200, 2000])),
    ]
    if chance.random() < 0.5:
        asked.append(dp.sum("cost", by=by, within=900))
    return dp.plan(declared, *asked, kind=chance.choice(["zcdp", "pure"]))


def of_joint_intervals(chance: Random) -> Any:
    """A plan whose intervals hold all at once."""
    declared = table(chance)
    asked = dp.count(by=some(declared, chance)), dp.sum("cost", by=some(declared, chance))
    return dp.plan(declared, *asked, spend=chance.choice(SPENDS)(), together=True)


def of_bounded_counts(chance: Random) -> Any:
    """A count that is moved to bounds."""
    declared = table(chance)
    asked = dp.count(by=some(declared, chance), between=(0, chance.choice([5, 20])))
    return dp.plan(declared, asked, spend=chance.choice(SPENDS)())


def of_a_statement(chance: Random) -> Any:
    """A number whose sensitivity nobody proves, beside one that is counted."""
    declared = dp.table(
        "facts.csv",
        unit="row",
        columns={"cost": dp.bounds(0, 50, step=1)},
        keys={"ward": ["A", "B", "C"]},
        neighbors=chance.choice(["add_remove", "replace"]),
    )
    own = dp.stated("cost", by="ward", sensitivity=chance.choice([1, 3]), protects="one firm")
    others = chance.choice([[], [dp.count(by="ward")]])
    return dp.plan(declared, own, *others, spend=chance.choice(SPENDS)())


MAKERS = (
    *(of_catalog,) * 8,
    *(of_unknown_keys,) * 2,
    of_sparse_cells,
    of_rules,
    of_a_shared_vector,
    of_joint_intervals,
    of_bounded_counts,
    of_a_statement,
)


def plan(chance: Random) -> Any:
    """A random plan."""
    while True:
        try:
            return chance.choice(MAKERS)(chance)
        except DiscreetError:
            continue
