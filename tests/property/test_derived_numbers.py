"""Every number that is derived of released ones is of the law that is released.

All cases come from the registers: each statistic whose numbers have noise of their own, each derived
number of `derive.catalog`. The law is enumerated: each whole number of noise stands in a release
once, and the chances of those whose interval misses are added up. Nothing is drawn.
"""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from flint import ctx

import discreet as dp
from discreet.aggregate import Noisy
from discreet.calculator import accuracy, explain
from discreet.derive.by_name import derived_by
from discreet.derive.catalog import KINDS
from discreet.noise.selection import ExponentialMechanism, PermuteAndFlip
from discreet.plans.forecast import forecast
from discreet.privacy.loss import Loss
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.schema import ROW
from discreet.statistic.catalog import LISTED, statistic_of
from property.strategies import COLUMNS, declared
from property.test_listed_statistics import LONG, exactly, groups

ALPHA = Fraction(1, 20)
CELLS = 10  # groups whose intervals hold together
LEFT_OUT = Fraction(1, 10**9)  # of a law, counted as missed
ROUNDED = 1e-7
BOUNDS = [(0, 1), (0, 10), (0, 30), (5, 36)]
NOISE = {"pure 5": ("pure", 5), "pure 3/2": ("pure", "3/2"), "zcdp 9": ("zcdp", 9)}
STEP = re.compile(r"^The next step: (.+) ±([\d.,]+) from (?:rho|epsilon) = ([\d.e-]+) on\.$")

ASKED = [
    (name, options)
    for name, one in LISTED.items()
    if one.joint == "cell"
    for options in one.examples(declared([], unit=ROW))
    if "distinct" not in options  # which does not add up, nor holds together
] + [("count", {"between": list(ends), "remap": how}) for ends in BOUNDS for how in (False, True)]
BETWEEN = [options["between"] for _, options in ASKED if "between" in options]
TRIED = pytest.mark.parametrize(("name", "options"), ASKED, ids=str)
NOISY = pytest.mark.parametrize("noise", NOISE)


def asked(name, options, by, **how):
    return statistic_of({"statistic": name, **options, "by": list(by), **how})


def table_of(**keys):
    return dp.table([], unit="row", name="t", columns=COLUMNS, keys=keys)


def spend_of(table, questions, noise):
    """The loss that buys each question noise of this size: a scale, or a sigma2."""
    kind, size = NOISE[noise]
    (paid,) = {a.paid for one in questions for a in one.aggregates(table)}
    many = len(questions)
    if kind == "pure":
        return dp.pure(many * paid.l1 / Fraction(size))
    return dp.zcdp(many * paid.l2_squared / (2 * Fraction(size)))


def release_of(plan, vectors):
    """What the door would have let through."""
    noisy = [Noisy(tuple(one)) for one in vectors]
    return Release(
        compose(plan, noisy, request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    )


def masses(law):
    """The chance of each noise; what is left out is hardly anything."""
    reach = law.half_width(LEFT_OUT)
    with ctx.workprec(128):
        return {y: float(law.mass(abs(y))) for y in range(-reach, reach + 1)}


def truths_of(name, options):
    """What a group can hold: the numbers that are counted of it, and what is true of it."""
    ends = options.get("between", (0, 400))
    for size in sorted({ends[0], (ends[0] + ends[1]) // 2, ends[1]}):
        rows = LONG[:size]
        table = replace(table_of(copy=[0]), source=[{**row, "copy": 0} for row in rows])
        question = asked(name, options, ["copy"])
        (exact,) = exactly(question, table)
        yield exact, question.textbook(table, groups(rows, [])[0])


def missed(plan, exact, true, make):
    """How often an interval misses, at the worst of a group's numbers."""
    copies, law = len(plan.table.keys["copy"]), plan.lines[0].laws[0]
    chances, wrong = masses(law), [float(LEFT_OUT)] * len(true)
    left = list(chances)
    while left:
        mine, left = left[:copies], left[copies:]
        noisy = [x + y for y in mine + [0] * (copies - len(mine)) for x in exact]
        found = make(release_of(plan, [noisy]))
        ends = list(zip(found.low, found.high, strict=True))
        for at, y in enumerate(mine):
            for place, truth in enumerate(true):
                low, high = ends[at * len(true) + place]
                wrong[place] += chances[y] * (not low - 1e-9 <= truth <= high + 1e-9)
    return max(wrong)


@pytest.mark.exhaustive
@pytest.mark.claim("C16")
@pytest.mark.claim("C235")
@TRIED
@NOISY
def test_intervals_at_any_alpha_hold(name, options, noise):
    """Alone, at the release's alpha and at others: for each truth they miss with at most alpha."""
    table = table_of(copy=range(600))
    question = asked(name, options, ["copy"])
    plan = dp.plan(table, question, spend=spend_of(table, [question], noise))
    for (exact, true), alpha in product(truths_of(name, options), ["0.05", "0.3", "0.001"]):
        make = {"alpha": alpha, "of": question.label}
        chance = missed(plan, exact, true, lambda r, m=make: derived_by(r.document, "intervals", m))
        assert chance <= float(alpha) + ROUNDED, (exact, alpha)


@pytest.mark.exhaustive
@pytest.mark.claim("C63")
@pytest.mark.claim("C235")
@TRIED
@NOISY
def test_intervals_that_hold_together_do(name, options, noise):
    """Ten groups: all at once but with at most alpha, by the exact product."""
    table = table_of(copy=range(CELLS))
    question = asked(name, options, ["copy"])
    plan = dp.plan(table, question, spend=spend_of(table, [question], noise))
    for exact, true in truths_of(name, options):
        chance = missed(plan, exact, true, lambda r: r.intervals(question.label, together=True))
        assert 1 - (1 - chance) ** (CELLS * len(true)) <= float(ALPHA) + ROUNDED, exact


def half_of(answer, options):
    """How far an interval reaches above a number, of a noisy number at the lower bound."""
    low = options["between"][0] if "between" in options else answer.values[0]
    return Fraction(answer.high[0]) - Fraction(low)


@pytest.mark.exhaustive
@pytest.mark.claim("C235")
@TRIED
@NOISY
@pytest.mark.parametrize("together", [False, True])
def test_plan_and_release_say_one_half_width(name, options, noise, together):
    """Alone and together; and the calculator says it of counts."""
    table = table_of(copy=range(CELLS))
    question = asked(name, options, ["copy"])
    joint = asked(name, options, ["copy"], together=True) if together else question
    spend = spend_of(table, [question], noise)
    plan, other = (dp.plan(table, one, spend=spend) for one in (question, joint))
    (line,) = other.lines
    expected = line.statistic.expected(table, line.laws, other.level(line)).half_width
    first = options["between"][0] if "between" in options else 4_000

    release = release_of(plan, [[first] * prod(line.aggregates[0].shape(table))])
    found = release.intervals(question.label, together=together)

    assert float(half_of(found, options)) == pytest.approx(float(expected), rel=1e-9)
    if name == "count" and NOISE[noise][0] == "pure":
        law = "clamped_geometric" if "between" in options else "geometric"
        how = {"bounds": tuple(options["between"])} if "between" in options else {}
        size = Fraction(1) / Fraction(NOISE[noise][1])
        level = other.level(line)
        assert accuracy(law, epsilon=size, alpha=level, **how) == expected


@pytest.mark.exhaustive
@pytest.mark.claim("C80")
@pytest.mark.claim("C236")
@TRIED
@NOISY
@pytest.mark.parametrize("together", [False, True])
def test_the_next_step_is_that_of_the_law_that_is_released(name, options, noise, together):
    """What it names buys the step, a thousandth less does not; `within=` costs the same."""
    table = table_of(copy=range(CELLS))
    question = asked(name, options, ["copy"], together=together)
    plan = dp.plan(table, question, spend=spend_of(table, [question], noise))

    def half(spend):
        (line,) = plan.with_spend(spend).lines
        return line.statistic.expected(table, line.laws, plan.level(line)).half_width

    said = [found.groups() for one in forecast(plan) if (found := STEP.match(one))]
    if "between" in options and half(plan.spend) > 1:
        assert said
    for _, told, price in said:
        width, kind = Fraction(told.replace(",", "")), plan.spend.kind
        spend = Loss(kind, (Fraction(price),))
        assert half(spend) <= width < half(plan.spend)
        assert half(spend.times(Fraction(999, 1000))) > width
        if not width:
            continue  # which nobody can ask for
        within = dp.count(within=str(width)).ask.within
        wanted = replace(question, ask=replace(question.ask, within=within))
        least = dp.plan(table, wanted, kind=kind).cost
        assert float(least.numbers[0]) == pytest.approx(float(Fraction(price)), rel=1e-4)


@pytest.mark.claim("C236")
@pytest.mark.parametrize(
    ("bounds", "epsilon", "width", "price"),
    [((0, 30), "0.1", 22, "0.10228"), ((0, 10), "0.5", 4, "0.654")],
)
def test_the_step_of_a_bounded_count_is_the_calculators(bounds, epsilon, width, price):
    """Between 0 and 30 at epsilon = 0.1: ±22 from 0.10228 on, as the calculator and the command line say."""
    table = table_of(copy=range(CELLS))
    plan = dp.plan(table, dp.count(by="copy", between=bounds), spend=dp.pure(epsilon))
    (said,) = (found.groups() for one in forecast(plan) if (found := STEP.match(one)))
    shown = str(
        explain(
            "accuracy", "clamped_geometric", {"epsilon": epsilon, "bounds": bounds, "alpha": "0.05"}
        )
    )

    assert said[1] == str(width)
    assert said[2].startswith(price)
    assert f"{width} from epsilon = {price}" in shown


# Of two numbers: all pairs of noise stand in one release

SIDES = {"f": 40, "m": 25}
PAIRED = {
    "total": (lambda n, _: {"of": n, "by": "copy"}, lambda f, m: [f + m]),
    "difference": (
        lambda n, _: {"of": n, "first": {"side": "f"}, "second": {"side": "m"}},
        lambda f, m: [f - m],
    ),
    "share": (lambda n, _: {"of": n, "by": "copy"}, lambda f, m: [f / (f + m), m / (f + m)]),
    "ratio": (lambda n, other: {"of": n, "other": other, "by": "copy"}, lambda f, m: [f / m]),
    "relative": (lambda n, _: {"of": n, "baseline": {"side": "m"}}, lambda f, m: [f / m]),
    "change": (
        lambda n, _: {"of": n, "baseline": {"side": "m"}},
        lambda f, m: [100 * (f / m - 1)],
    ),
    "rate": (lambda n, _: {"of": n, "per": 7}, lambda f, m: [1000 * f / 7, 1000 * m / 7]),
    "standardized": (
        lambda n, _: {"of": n, "per": 7, "weights": {"f": 1, "m": 4}, "over": ["side"]},
        lambda f, m: [1000 * (f + 4 * m) / 35],
    ),
    "median": (lambda n, _: {"of": n, "by": "copy"}, lambda f, m: [(f + m) / 2]),
    "ranks": (lambda n, _: {"of": n, "by": "copy"}, lambda f, m: [1 + (f < m), 1 + (m < f)]),
    "intervals": (lambda n, _: {"of": n}, lambda f, m: [f, m]),
}
ADDED = [
    (name, options)
    for name, options in ASKED
    if name in ("count", "count_units") and "between" not in options
]


def test_every_derived_number_is_tried():
    """One that is listed and not here fails: say what is true of it, and it is enumerated."""
    assert {*PAIRED} == {*KINDS}


@pytest.mark.exhaustive
@pytest.mark.claim("C62")
@pytest.mark.claim("C235")
@pytest.mark.parametrize(
    ("kind", "name", "options", "sizes"),
    [
        (kind, name, options, sizes)
        for kind, (name, options), sizes in product(PAIRED, ADDED, [(40, 25), (0, 9)])
        if kind != "share" or (name == "count" and sizes[0])  # it takes long, and is of one law
    ],
    ids=str,
)
def test_numbers_of_two_hold(kind, name, options, sizes):
    """Every pair of noise once: what is shown misses with at most alpha of what is shown."""
    by = ["copy"] if kind == "ratio" else ["copy", "side"]
    first, other = asked(name, options, by), asked(name, options, ["copy"], where="cost > 0")
    draft = table_of(copy=[0], side=["f", "m"])
    spend = dp.zcdp(2)  # sigma2 = 1/2 for each
    law = dp.plan(draft, first, other, spend=spend).lines[0].laws[0]
    reach = law.half_width(Fraction(1, 10**5))
    chances = {y: chance for y, chance in masses(law).items() if abs(y) <= reach}
    pairs = list(product(chances, repeat=2))
    table = table_of(copy=range(len(pairs)), side=["f", "m"])
    plan = dp.plan(table, first, other, spend=spend)
    f, m = sizes
    paired = [x for a, b in pairs for x in (f + a, m + b)]
    split = [[f + a for a, _ in pairs], [m + b for _, b in pairs]]
    release = release_of(plan, split if kind == "ratio" else [paired, [0] * len(pairs)])
    said, truth = PAIRED[kind]
    names = release.keys()
    found = derived_by(release.document, kind, said(*names))
    true = truth(*sizes)

    shown = [0.0] * len(true)
    wrong = [0.0] * len(true)
    rows = zip(found.values, found.low, found.high, strict=True)
    for at, (value, low, high) in enumerate(rows):
        (a, b), place = pairs[at // len(true)], at % len(true)
        weight = chances[a] * chances[b]
        if value is not None:
            shown[place] += weight
            wrong[place] += weight * (not low - 1e-9 <= true[place] <= high + 1e-9)
    for bad, told in zip(wrong, shown, strict=True):
        assert bad <= float(ALPHA) * told + 1e-5


@pytest.mark.claim("C235")
@pytest.mark.parametrize("between", BETWEEN, ids=str)
@pytest.mark.parametrize("noisy", [[7, 8], [-3, 90]], ids=str)
@pytest.mark.parametrize("kind", [one for one in KINDS if one not in ("intervals", "ranks")])
def test_nothing_is_added_up_of_counts_between_bounds(between, noisy, kind):
    """Whether or not a count was moved to a bound: else what is told would hang on luck."""
    table = table_of(copy=[0], side=["f", "m"])
    asked_ = [dp.count(by=["copy", "side"], between=between), dp.count(by="copy")]
    release = release_of(dp.plan(table, *asked_, spend=dp.pure(1)), [noisy, [9]])
    said, _ = PAIRED[kind]
    names = release.keys()
    made = [said(*names), *([said(*names[::-1])] if kind == "ratio" else [])]
    for one in [*made, *([{**said(*names), "known": 9, "by": ()}] if kind == "share" else [])]:
        with pytest.raises(dp.errors.InputError, match="public bounds"):
            derived_by(release.document, kind, one)


@pytest.mark.claim("C78")
@pytest.mark.claim("C237")
@pytest.mark.parametrize("within", [1, 7, 50, 333])
@pytest.mark.parametrize("kind", ["pure", "zcdp"])
@pytest.mark.parametrize(
    "asked_", [dp.choose("copy"), dp.top_k("copy", 3), dp.top_k("copy", 2)], ids=str
)
def test_the_price_of_a_wanted_shortfall_buys_it(within, kind, asked_):
    """`choose(within=50)` costs 0.0577341: a plan of that price says 50, and of less says more."""
    table = table_of(copy=range(CELLS))
    wanted = replace(asked_, ask=dp.count(by="copy", within=within).ask)
    cost = dp.plan(table, wanted, kind=kind).cost

    def short(spend):
        (line,) = dp.plan(table, asked_, spend=spend).lines
        return line.statistic.expected(table, line.laws, ALPHA).half_width

    assert short(cost) == within
    assert short(cost.times(Fraction(9_999, 10_000))) > within


@pytest.mark.claim("C235")
@pytest.mark.parametrize("law", [PermuteAndFlip, ExponentialMechanism])
@pytest.mark.parametrize("below", [(0, 20), (0, 9, 9), (0, 3, 30), (0, 12, 13)])
def test_a_choice_falls_shorter_than_it_says_with_at_most_alpha(law, below):
    """The exact law of the first pick, over all orders, for numbers so far below the largest."""
    from itertools import permutations
    from math import exp

    scale = Fraction(4)
    table = table_of(copy=range(len(below)))
    question = dp.choose("copy")
    short = question.expected(table, [law.of(scale)], ALPHA).half_width
    keeps = [exp(-x / float(scale)) for x in below]
    chances = [x / sum(keeps) for x in keeps]
    if law is PermuteAndFlip:
        chances = [0.0] * len(below)
        orders = list(permutations(range(len(below))))
        for order in orders:
            left = 1.0
            for place in order:
                chances[place] += left * keeps[place] / len(orders)
                left *= 1 - keeps[place]
    missing = sum(c for c, x in zip(chances, below, strict=True) if x > short)
    assert missing <= float(ALPHA) + 1e-12
