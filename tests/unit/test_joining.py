"""A count and means as one vector: cheaper, with no question changed, and moved no further than said."""

import json
from fractions import Fraction
from itertools import combinations_with_replacement
from math import isclose

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.document.check import checked_document
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.explore import page_of
from discreet.plans.plan import plan_of
from discreet.post.shown import for_interval
from discreet.statistic.ask import asked
from discreet.statistic.joined import Joint

pytestmark = pytest.mark.claim("C82")

WIDE = 10_000
TWENTIETH = Fraction(1, 20)
COLUMNS = {name: dp.bounds(0, WIDE, step=1, missing=0) for name in "abcdefgh"}
SMOKER, AGE = dp.bounds(0, 1, step=1, missing=0), dp.bounds(0, 100, step="0.01", missing=40)


def people(neighbors="add_remove", **columns):
    return dp.table(
        "people.csv",
        unit="row",
        neighbors=neighbors,
        columns={
            **COLUMNS,
            "smoker": SMOKER,
            "age": AGE,
            "open": dp.bounds(0, 9, step=1),
            **columns,
        },
        keys={"ward": range(5)},
    )


def mean(column, part, rows):
    """Ask for a mean that is off by a part of its bounds, in groups of so many rows."""
    return dp.mean(column, by="ward", within=f"{part}%", rows=rows)


def count(within):
    return dp.count(by="ward", within=within)


# Questions; half-widths of the count and, in parts of the bounds times rows, of the means; what the
# design's table says in rho apart and together. (Its third line is that of one mean, not of two.)
TABLE = [
    ([count(10), mean("a", 2, 200), mean("b", 2, 200)], 10, [4, 4], ".2593", ".1749"),
    ([count(20), mean("a", 2, 200)], 20, [4], ".1249", ".1201"),
    ([count(5), mean("a", 5, 100)], 5, [5], ".1537", ".1024"),
    ([mean(c, 2, 200) for c in "abcd"], None, [4] * 4, ".4802", ".2701"),
    ([count(10), *(mean(c, 3, 300) for c in "abcdefgh")], 10, [9] * 8, ".2089", ".0869"),
    ([count(10), mean("smoker", 2, 1000), mean("age", 1, 1000)], 10, [20, 10], ".0432", ".0269"),
]


def least(most, means, z=1.96, z_mean=1.96):
    """The least rho of continuous noise, by trying many variances of the count; and that apart."""
    wide = [2 * part / z_mean for part in means]  # in half bounds: each has the width 1
    end = min((most / z) ** 2 if most else np.inf, min(wide) ** 2)
    x = (
        end * (np.arange(1, 200_000) / 200_000)
        if not most
        else np.append(end, end * np.arange(1, 99_999) / 10**5)
    )
    x = x[x < min(wide) ** 2]
    together = (1 / x + sum(1 / (h * h - x) for h in wide)).min() / 2
    apart = sum(2 / (h * h) for h in wide) + ((z / most) ** 2 / 2 if most else 0)
    return apart, together


@pytest.mark.parametrize(("questions", "most", "means", "apart", "together"), TABLE)
def test_the_table_of_the_design_within_a_hundredth(questions, most, means, apart, together):
    """The formula gives the table; and plans cost what it gives for what they promise.

    A plan promises more for less: a whole number within ±10 is one within 10.5 of the noisy one, and
    a mean's interval leaves a fiftieth of alpha for whether it is shown.
    """
    found = least(most, means)

    assert found[0] == pytest.approx(float(apart), rel=0.01)
    assert found[1] == pytest.approx(float(together), rel=0.01)

    plan = dp.plan(people(), *questions)
    wide = DiscreteGaussian(Fraction(10**12))
    z, z_mean = (wide.half_width(alpha) / 10**6 for alpha in (TWENTIETH, for_interval(TWENTIETH)))
    alone, best = least(most and most + 0.5, means, z, z_mean)
    assert best * 0.999 < float(plan.cost.rho) < best * 1.01
    assert float(dp.plan(people(), *questions, share=False).cost.rho) == pytest.approx(
        alone, rel=0.01
    )


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("kind", ["zcdp", "gdp"])
def test_each_wanted_error_is_kept_and_the_price_is_that_of_the_vector(neighbors, kind):
    """No noise of six digits more keeps them all; the lines' prices add up to the plan's."""
    questions = TABLE[5][0]
    plan = dp.plan(people(neighbors), *questions, kind=kind)
    (block,) = {line.block for line in plan.lines}

    def kept(law):
        pairs = zip(plan.lines, questions, strict=True)
        return all(
            plan.goal(line).most(e) >= e.half_width
            for line, e in (
                (line, line.statistic.expected(plan.table, (law,) * 2, plan.alpha))
                for line, _ in pairs
            )
        )

    (law,) = {law for line in plan.lines for law in line.laws}
    more = DiscreteGaussian(law.sigma2 * Fraction(100_001, 100_000))
    assert kept(law)
    assert not kept(more)
    assert plan.cost == plan.price(kind)
    assert sum(line.share.numbers[0] for line in plan.lines) == pytest.approx(
        float(plan.cost.numbers[0]), rel=1e-4
    )
    assert [event["sensitivity"] for event in plan.events()] == [block.moved.plain()]
    assert plan_of(plan.plain()) == plan
    assert "counted as one vector" in str(plan)


APART = {
    "a column with missing cells": [count(10), dp.mean("open", by="ward", within="1%", rows=200)],
    "another grouping": [count(10), dp.mean("a", within="2%", rows=200)],
    "other rows": [count(10), dp.mean("a", by="ward", within="2%", rows=200, where="smoker = 1")],
    "all at once": [count(10), dp.mean("a", by="ward", within="2%", rows=200, together=True)],
    "weighted": [count(10), dp.mean("a", by="ward", weights="age", within="2%", rows=200)],
    "nothing to share": [count(10)],
    "no mean": [count(10), dp.sum("a", by="ward", within=10**6)],
    "hardly cheaper": [count(200), mean("a", 2, 200)],
}


@pytest.mark.parametrize("questions", APART.values(), ids=APART)
def test_nothing_is_joined_that_would_change_a_question_or_saves_nothing(questions):
    plan = dp.plan(people(), *questions)

    assert not any(line.block for line in plan.lines)
    assert "one vector" not in str(plan)


def test_one_open_column_keeps_only_its_own_mean_apart():
    """The count and the complete column are joined; the mean with missing cells has its own count."""
    questions = [count(10), mean("a", 2, 200), dp.mean("open", by="ward", within="2%", rows=200)]
    plan = dp.plan(people(), *questions)

    assert [line.block is not None for line in plan.lines] == [True, True, False]
    assert plan.lines[2].laws == dp.plan(people(), questions[2]).lines[0].laws


def test_pure_loss_shares_nothing_and_share_false_forbids_it():
    questions = TABLE[0][0]
    pure = dp.plan(people(), *questions, kind="pure")
    apart = dp.plan(people(), *questions, share=False)

    assert not any(line.block for line in (*pure.lines, *apart.lines))
    assert apart.plain()["share"] is False
    assert plan_of(apart.plain()) == apart
    assert apart.digest != dp.plan(people(), *questions).digest
    with pytest.raises(InputError, match="share = 1 is neither true nor false"):
        dp.plan(people(), *questions, share=1)


ROWS = (("A", -1), ("A", 2), ("B", -1), ("B", 2), ("B", None))


def moves(joint, most, neighbors):
    """How far one unit moves the whole vector, over everything that it may hold, by brute force."""
    declared = dp.table(
        [],
        unit=dp.unit("who", max_rows=most),
        neighbors=neighbors,
        columns={
            "v": dp.bounds(-1, 2, step=1, missing=1),
            "w": dp.bounds(-1, 2, step=1, missing=2),
        },
        keys={"ward": ["A", "B"]},
        name="small",
    )
    parts = (*(joint.sum_of(declared, name) for name in joint.columns), joint.count(declared))
    held = []
    for size in range(most + 1):
        for cells in combinations_with_replacement(ROWS, size):
            rows = [{"who": 1, "ward": ward, "v": v, "w": v and 1 - v} for ward, v in cells]
            table = dp.table(
                rows, unit=declared.unit, columns=declared.columns, keys=declared.keys, name="small"
            )
            exact = MemoryEngine().prepare(table, parts).count(1)
            held.append([x for one in exact for x in one.opened_by_the_door()])
    empty = held[0]
    pairs = [(one, empty) for one in held]
    if neighbors == "replace":
        pairs = [(one, other) for one in held for other in held]
    gaps = [[abs(a - b) for a, b in zip(*pair, strict=True)] for pair in pairs]
    found = (max(map(sum, gaps)), max(sum(g * g for g in gap) for gap in gaps), max(map(max, gaps)))
    return declared, found


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("rows", [1, 4, 40], ids=["light", "as heavy", "heavy"])
@pytest.mark.parametrize("most", [1, 2])
def test_one_unit_moves_the_vector_as_far_as_declared_and_no_further(rows, most, neighbors):
    """With a light count and with a heavy one, where c^2 is above S: squares are attained."""
    joint = Joint(asked("ward", None, None, 1), ("v", "w"), (2, 1), rows)
    declared, (l1, squares, largest) = moves(joint, most, neighbors)
    moved = joint.moved(declared)

    assert l1 <= moved.l1
    assert squares <= moved.l2_squared
    assert largest <= moved.linf
    assert squares == moved.l2_squared
    parts = [joint.sum_of(declared, "v"), joint.sum_of(declared, "w"), joint.count(declared)]
    assert moved.l2_squared <= sum(one.sensitivity.l2_squared for one in parts)


def test_a_heavy_count_is_what_four_times_the_sums_would_miss():
    """The planted fault: 4 S r2 alone is exceeded in the replace relation where c^2 > S."""
    joint = Joint(asked("ward", None, None, 1), ("v", "w"), (2, 1), 40)
    _, (_, squares, _) = moves(joint, 1, "replace")

    assert squares > 4 * ((2 * 3) ** 2 + 3**2)


DATA = [
    {"ward": ward, "smoker": cell, "age": 20 + 10 * ward}
    for ward in range(3)
    for cell in [1] * 300 + [0] * 500 + [None] * 200
]


def released(folder, *questions, data=DATA):
    declared = dp.table(
        data,
        unit="row",
        name="wards",
        columns={"smoker": SMOKER, "age": AGE},
        keys={"ward": range(3)},
    )
    plan = dp.plan(declared, *questions)
    ledger = dp.ledger(folder / "l", budget=dp.zcdp(9))
    return plan, dp.run(plan, ledger=ledger), ledger


ASKED = (
    count(10),
    dp.mean("smoker", by="ward", within="0.02", rows=1000),
    dp.mean("age", by="ward", within="1", rows=1000),
)


@pytest.mark.slow
@pytest.mark.parametrize("questions", [ASKED, ASKED[1:]], ids=["with a count", "means alone"])
def test_a_release_is_saved_loaded_checked_and_answered_again(questions, tmp_path):
    plan, release, ledger = released(tmp_path, *questions)
    release.save(tmp_path / "r")

    assert all(line.block for line in plan.lines)
    assert "ok" in str(dp.verify(tmp_path / "r", ledger=ledger))
    assert len(ledger.book().entries[0].events) == 1
    text = release.document.text()
    assert checked_document(text).text() == text
    vectors = [v for one in release.document.statistics for v in one.vectors]
    assert all(vector.times for vector in vectors)
    for released_, again in (
        (release[name].document.statistics[0], release.intervals(name, alpha="0.05"))
        for name in ("mean smoker by ward", "mean age by ward")
    ):
        assert again.values == list(released_.answer.rows.columns[-3])
        assert again.low == list(released_.answer.rows.columns[-2])
    for row in release["mean smoker by ward"].document.statistics[0].answer.rows:
        assert row[-2] - 0.02 < 0.3 < row[-1] + 0.02


@pytest.mark.slow
def test_a_shared_count_is_whole_and_adds_up(tmp_path):
    _, release, _ = released(tmp_path, *ASKED)
    (counts,) = release["count by ward"].document.statistics
    (vector,) = counts.vectors

    assert [row[-3] for row in counts.answer.rows] == [
        round(Fraction(n, vector.times)) for n in vector.noisy
    ]
    assert all(row[-1] - row[-3] <= 10 and row[-3] - row[-2] <= 10 for row in counts.answer.rows)
    total = release.total("count by ward")
    assert f"{round(sum(vector.noisy) / vector.times):,}" in str(total)
    with pytest.raises(InputError, match="no counts to clean"):
        dp.denoise(release)


def test_intervals_of_what_is_shared_cover_as_often_as_they_say():
    """4,000 made-up releases of a count and two means of a small group, its means at an end, too.

    Misses are binomial with at most 5 %: more than 280 of 4,000 come by luck less than once in 10^8.
    """
    luck = np.random.default_rng(14)
    plan = dp.plan(people(), *TABLE[5][0])
    (block,) = {line.block for line in plan.lines}
    sigma, size = float(block.law.variance()) ** 0.5, 4_000
    for smoker, age in ((0, 100), (1, 40)):
        rows = 300
        steps = {"smoker": 2 * smoker - 1, "age": 2 * 100 * age - 10_000}
        times = dict(zip(block.joint.columns, block.joint.times, strict=True))
        exact = [rows * times[name] * u for name, u in steps.items()]
        noise = np.rint(luck.normal(0, sigma, (3, size)))
        counts, *sums = (
            Noisy(tuple(int(x) for x in one + whole))
            for one, whole in zip(noise, [rows * block.joint.rows, *exact], strict=True)
        )
        wide = dp.table(
            "people.csv", unit="row", columns=plan.table.columns, keys={"ward": range(size)}
        )
        for line, given, true in zip(
            plan.lines,
            [[counts], [sums[0], counts], [sums[1], counts]],
            [rows, smoker, age],
            strict=True,
        ):
            found = line.statistic.answer(wide, given, line.laws, plan.alpha)
            missed = sum(
                not low <= true <= high for low, high in zip(found.low, found.high, strict=True)
            )
            assert missed <= 280
            if line.statistic.column is None:
                assert missed >= 120


@pytest.mark.slow
def test_a_changed_multiplier_does_not_check(tmp_path):
    """What a row adds is part of what follows from the plan."""
    _, release, ledger = released(tmp_path, *ASKED)
    release.save(tmp_path / "r")
    file = tmp_path / "r" / "release.json"
    plain = json.loads(file.read_text())
    plain["statistics"][0]["vectors"][0]["times"] += 1
    file.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")))

    with pytest.raises(dp.errors.VerifyError):
        dp.verify(tmp_path / "r", ledger=ledger)


def test_a_plan_file_says_missing_and_share(tmp_path):
    text = """share = {share}
[data]
source = "people.csv"
unit = "row"
[columns]
smoker = {{ lower = 0, upper = 1, step = 1, missing = 0 }}
[keys]
ward = {{ from = 0, to = 4 }}
[spend]
kind = "zcdp"
[[ask]]
statistic = "count"
by = "ward"
within = 5
[[ask]]
statistic = "mean"
column = "smoker"
by = "ward"
within = "5%"
rows = 100
"""
    plans = {}
    for share in ("true", "false"):
        file = tmp_path / f"{share}.toml"
        file.write_text(text.format(share=share))
        plans[share] = read_plan_file(file).plan

    assert plans["true"].cost.rho < plans["false"].cost.rho * Fraction(3, 4)
    assert "count by ward and mean smoker by ward are counted as one vector" in str(plans["true"])


@pytest.mark.slow
def test_the_page_to_explore_is_told_what_shares_a_vector():
    """What it costs is the least of the shape of its questions, times a factor; not without share."""
    plan = dp.plan(people(), *TABLE[5][0])
    facts = [
        json.loads(page_of(one).partition('id="facts">')[2].partition("</script>")[0])
        for one in (plan, dp.plan(people(), *TABLE[5][0], share=False))
    ]
    (block,) = facts[0]["blocks"]
    at = [facts[0]["questions"][n]["at"] for n in block["places"]]
    rooms = [Fraction(all_of[n]) for all_of, n in zip(block["rooms"], at, strict=True)]
    squares = [(r * r, w * w) for r, w in zip(rooms, block["widths"], strict=True)]
    (count,) = [r2 for r2, w2 in squares if not w2]
    sums = [(r2, w2) for r2, w2 in squares if w2]
    last = min(count, *(r2 / w2 for r2, w2 in sums))
    least = min(
        1 / (last * n / 999) + sum(w2 / (r2 - w2 * last * n / 999) for r2, w2 in sums)
        for n in range(1, 999)
    )

    assert facts[1]["blocks"] == []
    assert isclose(
        least * Fraction(block["factors"][0]), plan.cost.rho * Fraction(1_001, 1_000), rel_tol=2e-3
    )


def test_missing_must_be_a_value_of_the_column():
    with pytest.raises(InputError, match="missing = 2 is not between 0 and 1"):
        dp.bounds(0, 1, step=1, missing=2)
    with pytest.raises(InputError, match="missing = 1/3 is not a multiple"):
        dp.bounds(0, 1, step="0.5", missing="1/3")
    assert dp.bounds(0, 1, step=1) != SMOKER
    assert str(SMOKER) == "0 to 1 in steps of 1, missing counts as 0"
