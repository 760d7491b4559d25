"""What a ledger charges for Laplace noise is said, and which plan takes less of it."""

import re
from fractions import Fraction
from math import sqrt

import pytest
from scipy.optimize import brentq
from scipy.stats import norm
from session import run

import discreet as dp
from discreet.ledgers.show import laplace_words
from discreet.privacy.loss import Loss, purses, total
from discreet.statistic.catalog import LISTED, statistic_of
from property.strategies import COLUMNS, declared

PROMISE = dp.approx(3, "1e-6")
LEFT = {
    "mu2": dp.gdp(mu2=1),
    "mu2 but for a chance": dp.gdp(mu2=1, delta="1e-6"),
    "rho": dp.zcdp(1),
    "rho but for a chance": dp.zcdp(1, delta="1e-6"),
    "purses": purses(pure="0.5", mu2="0.3", chance=0),
    "no pure purse": purses(pure=0, mu2="0.3", chance=0),
    "hardly anything": purses(pure="0.001", mu2="0.001", chance=0),
}
ASKED = [
    (name, options)
    for name, one in LISTED.items()
    for options in one.examples(declared([], unit="row"))
    if "within" not in options
]
KEYS = {"copy": range(3), "side": ["f", "m"], "k": [1, 2]}


def plan_of(name, options, spend=None):
    table = dp.table([], unit="row", name="t", columns=COLUMNS, keys=KEYS)
    asked = statistic_of({"statistic": name, **options})
    return dp.plan(table, asked, spend=spend or dp.pure("0.3"))


def widths(plan):
    return [
        one.statistic.expected(plan.table, one.laws, plan.level(one)).half_width
        for one in plan.lines
    ]


def tried():
    """One example of each statistic that can be asked of the table."""
    for name, options in ASKED:
        try:
            yield name, options, plan_of(name, options)
        except dp.errors.InputError:
            continue


@pytest.mark.exhaustive
@pytest.mark.claim("C291")
@pytest.mark.slow
@pytest.mark.parametrize("left", LEFT)
def test_the_plan_that_suits_a_ledger_is_no_wider_and_takes_less(left):
    """Every statistic of the register: no interval wider, less of the sum that pays, one digest."""
    changed, seen = 0, set()
    for name, options, plan in tried():
        seen.add(name)
        other = plan.suited(LEFT[left])
        if other is plan:
            continue
        changed += 1
        assert all(new <= old for new, old in zip(widths(other), widths(plan), strict=True))
        assert {law.costs for law in other.laws if not law.chooses} == {"zcdp"}
        paid, less = (one.charged(LEFT[left]) for one in (plan, other))
        parts = [
            max(
                Fraction(n, whole)
                for n, whole in zip(cost.numbers, LEFT[left].numbers, strict=True)
                if n and whole
            )
            for cost in (paid, less)
            if cost.fits(LEFT[left])
        ]
        assert parts == sorted(parts, reverse=True), (name, options)
        asked = [line.asked for line in other.lines]  # as the plan has settled it
        assert other.digest == dp.plan(other.table, *asked, spend=other.spend).digest
    assert changed > 5
    assert len(seen) > 10


@pytest.mark.claim("C291")
def test_one_law_has_one_digest_whichever_ledger_asks():
    """The plan of (0.3, 1e-7): ±10 for mu2 = 0.0348434, where Laplace noise takes 0.14092."""
    plan = plan_of("count", {}, dp.approx("0.3", "1e-7"))
    found = [plan.suited(left) for name, left in LEFT.items() if "rho" not in name]

    assert plan.price("gdp") == dp.gdp(mu2="0.14092")
    assert {one.spend for one in found} == {dp.gdp(mu2="0.0348434")}
    assert len({one.digest for one in found}) == 1
    assert widths(plan) == widths(found[0]) == [10]
    assert plan.suited(dp.pure(1)) is plan
    assert plan.suited(purses(pure=90, mu2="0.3", chance=0)) is plan  # its purse is hardly touched
    wanted = dp.plan(plan.table, dp.count(within=10), spend=dp.pure("0.4"))
    assert widths(wanted.suited(dp.gdp(mu2=1))) <= [10]


@pytest.mark.claim("C291")
def test_what_a_plan_is_said_to_take_is_charged(tmp_path):
    """From the pure purse while it fits, then as mu2; 3 plans fit, and 9 of the law that is cheaper."""
    people = dp.table([{"a": 1}] * 9, unit="row", name="people")
    plan = dp.plan(people, dp.count(), spend=dp.approx("0.3", "1e-7"))
    for asked, many in ((plan, 3), (plan.suited(LEFT["purses"]), 8)):
        book = dp.ledger(tmp_path / f"{many}", budget=PROMISE, pure="0.5", chance="1e-8")
        for request in range(many):
            before = book.left()
            dp.run(asked, ledger=book, request=str(request))
            assert before.minus(asked.charged(before)) == book.left()
        assert not asked.charged(book.left()).fits(book.left())
        with pytest.raises(dp.errors.BudgetError):
            dp.run(asked, ledger=book, request="one more")


PLAN = """\
[data]
source = "people.csv"
unit = "row"

[spend]
epsilon = "0.3"
delta = "1e-7"

[[ask]]
statistic = "count"
"""


def said(command):
    code, found = run(command)
    assert code == 0, found
    return found


@pytest.mark.claim("C291")
@pytest.mark.parametrize(
    "budget",
    ["--epsilon 3 --delta 1e-6 --pure 0.5 --chance 1e-8", "--mu2 1/5", "--rho 1/10"],
)
def test_what_the_command_line_says_to_type_takes_less(tmp_path, monkeypatch, budget):
    """`plan --ledger` says what it takes and what takes less; typed, that is what it takes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("a\n1\n2\n", encoding="utf-8")
    file = tmp_path / "people.toml"
    file.write_text(PLAN, encoding="utf-8")
    said(f"discreet ledger init p.ledger {budget}")
    shown = said("discreet plan people.toml --ledger p.ledger")
    taken = re.search(r"This plan fits\. It takes (.*) there\.", shown)[1]
    less, kind, size = re.search(
        r'no wider interval takes (.*): plan again with (mu2|rho) = "(.*)" under', shown
    ).groups()
    released = said("discreet release people.toml --ledger p.ledger")
    typed = file.read_text(encoding="utf-8").replace('delta = "1e-7"\n', "")
    file.write_text(typed.replace('epsilon = "0.3"', f'{kind} = "{size}"'), encoding="utf-8")
    again = said("discreet plan people.toml --ledger p.ledger")

    assert f"Charged {taken}." in released
    assert "±10" in shown
    assert "±10" in again
    assert "no wider interval" not in again
    assert f"Charged {less}." in said(
        "discreet release people.toml --ledger p.ledger --out b.release"
    )


@pytest.mark.claim("C292")
@pytest.mark.parametrize(
    ("budget", "taken"),
    [
        (dp.gdp(mu2=3), "mu2 = 1.51792"),
        (dp.gdp(mu2="0.001", delta="1e-6"), "mu2 = 1.51792"),
        (purses(pure=0, mu2=1, chance="1e-7"), "mu2 = 1.51792"),
        (dp.zcdp("1/8"), "rho = 0.462118"),
        (dp.zcdp("1/8", delta="1e-6"), "rho = 0.462118"),
        (purses(pure="0.1", mu2=1, chance=0), None),
        (dp.pure(1), None),
        (PROMISE, None),
    ],
    ids=str,
)
def test_a_ledger_that_adds_gaussian_loss_says_what_laplace_noise_takes(budget, taken):
    """mu2 = (2 Phi^-1(e / (1 + e)))^2 and tanh(1 / 2), as scipy says; read by the exact curve."""
    found = laplace_words(budget)
    if taken is None:
        assert found is None
        return
    mu = 2 * norm.ppf(1 / (1 + 2.718281828459045**-1))
    read = brentq(
        lambda e: (
            norm.cdf(mu / 2 - e / mu) - 2.718281828459045**e * norm.cdf(-mu / 2 - e / mu) - 1e-6
        ),
        1,
        20,
    )

    assert f" {taken} here" in found
    assert float(taken.split()[-1]) == pytest.approx(
        mu**2 if "mu2" in taken else 0.4621172, rel=1e-5
    )
    if "mu2" in taken:
        assert f"epsilon = {read:.1f} at delta = 0.000001" in found
    else:  # by the best order of Renyi divergence, above the normal curve of sqrt(2 rho)
        assert (
            4.5
            < float(re.search(r"epsilon = ([\d.]+) at", found)[1])
            < 0.4622 + 2 * sqrt(0.4622 * 13.82)
        )


SPREAD = {"by": "ward", "max_rows_per_group": 1}  # one unit moves 30 numbers by 1
WIDE = dp.table(
    [],
    name="visits",
    unit=dp.unit("id", max_rows=30),
    columns={"age": dp.bounds(0, 100, step=1, missing=0)},
    keys={"ward": range(40), "sex": [0, 1]},
)
ADDED = {
    "one law": [dp.count(**SPREAD, weight=7), dp.sum("age", **SPREAD), dp.mean("age", **SPREAD)],
    "both laws": [dp.count_units(), dp.count(**SPREAD), dp.count_units(by="sex", weight=2)],
    "wanted": [
        dp.count(**SPREAD, within=61, where=f"age > {n}")
        if n % 2
        else dp.sum("age", **SPREAD, within=5_000 + n, where=f"age > {n}")
        for n in range(7)
    ],
    "wanted of both laws": [
        dp.count_units(within=2),
        dp.count(**SPREAD, within=60),
        dp.mean("age", **SPREAD, within=1, rows=5_000),
        dp.count_units(by="sex", within=9),
    ],
}


@pytest.mark.exhaustive
@pytest.mark.claim("C292")
@pytest.mark.parametrize("asked", ADDED)
@pytest.mark.parametrize("spend", ["0.9", "1", "1.23", "17/6"])
def test_the_prices_of_a_plan_add_up_to_what_the_note_says(asked, spend):
    """Rounded once, upward: never below the sum of the column, and by at most one in 100,000."""
    how = {"delta": "1e-6"} if ADDED[asked][0].ask.within else {"spend": dp.approx(spend, "1e-6")}
    plan = dp.plan(WIDE, *ADDED[asked], **how)
    text = " ".join(str(plan).split())
    added = total([in_purses(line.cost) for line in plan.lines])
    note = re.search(
        r"prices add up to (?:mu2|\(pure, mu2, chance\)) = \(?([\d., e-]+?)\)?, which", text
    )
    told = [Fraction(one) for one in note[1].split(", ")]
    told = told if len(told) == 3 else [Fraction(0), *told, Fraction(0)]

    assert len(dict.fromkeys(line.cost.kind for line in plan.lines)) == 1 + ("both" in asked)
    for one, exact in zip(told, added.numbers, strict=True):
        assert exact <= one <= exact * Fraction(100_001, 100_000)


def in_purses(cost):
    """A price in its purse."""
    size = cost.numbers[0]
    sizes = (size, Fraction(0)) if cost.kind == "pure" else (Fraction(0), size)
    return Loss("purses", (*sizes, Fraction(0)))
