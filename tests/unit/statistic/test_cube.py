"""A cube as it is asked, planned and refused."""

from fractions import Fraction
from math import prod

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.line import counts, places
from discreet.post.tables.answer import frame
from unit.cubes import KEYS, PERSON, PLACE, people


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    plan = dp.plan(people(), dp.cube(["sex", "age", PLACE]), spend=dp.zcdp("1/2"))
    book = tmp_path_factory.mktemp("cube") / "people.ledger"
    return dp.run(plan, ledger=dp.ledger(book, budget=dp.zcdp(1)))


@pytest.mark.claim("C88")
def test_the_parts_of_a_cube_cost_what_it_may_and_have_its_weights():
    """The price is the spend; each table's noise is as many times that of the cells as it should."""
    for neighbors, unit in (("add_remove", "row"), ("replace", "row"), ("replace", PERSON)):
        table = people(unit, neighbors=neighbors)
        (line,) = dp.plan(table, dp.cube(["sex", "age"]), spend=dp.zcdp("1/2")).lines
        sigma2 = [law.sigma2 for law in line.laws]

        assert sum(cost.rho for cost in line.costs) == Fraction(1, 2)
        cells = sigma2[-1]
        assert [cells / one for one in sigma2] == [
            Fraction("0.62") * Fraction("0.78"),
            Fraction("0.78"),
            Fraction("0.62"),
            1,
        ]


@pytest.mark.claim("C88")
def test_the_errors_of_a_plan_are_the_least_that_any_gaussian_mechanism_has():
    """In the mean of all tables, within 1 %, in the closed form of docs/laws/tables.md; of a labour
    force table (sex, age, area, employed) they are at most 0.75 of those of tables one by one."""
    sizes, rho = (2, 9, 7, 2), Fraction(1, 8)
    keys = {f"a{at}": range(many) for at, many in enumerate(sizes)}
    table = dp.table([], unit="row", name="cells", keys=keys)
    (line,) = dp.plan(table, dp.cube(list(keys)), spend=dp.zcdp(rho)).lines
    lies, laws = line.statistic.laid_out(table), line.statistic.counted(table, line.laws)
    found = frame(lies.attributes, laws).solved({})
    mean = sum(found.variances(one).mean() for one in lies.tables) / len(lies.tables)

    alone = len(lies.tables) / (2 * rho)  # the variance of each, of an equal part
    best = prod((1 + 1 / d**2) ** 0.5 + 1 - 1 / d for d in sizes) ** 2 / (2 * rho)
    assert 1 - 1e-9 <= mean * len(lies.tables) / best <= 1.02
    assert (mean / alone) ** 0.5 <= 0.75


def test_tables_asked_together_cost_no_more_than_one_by_one_at_the_same_errors():
    """What each table's interval would cost by itself adds up to more."""
    question = dp.cube(["sex", "age", "place"])
    for spend in (dp.zcdp("1/8"), dp.pure(1)):
        (line,) = dp.plan(people(), question, spend=spend).lines
        widest = question.expected(people(), line.laws, Fraction(1, 20)).half_width
        alone = [dp.count(by=by) for by in _subsets(["sex", "age", "place"])]
        apart = dp.plan(people(), *alone, within=widest, kind=spend.kind)

        assert spend.numbers[0] <= apart.cost.numbers[0]


@pytest.mark.claim("C88")
@pytest.mark.parametrize("kind", ["zcdp", "pure"])
def test_no_cube_costs_more_than_its_tables_at_the_variances_that_it_states(kind):
    """Of the least certain number of each table, in cubes of any shape: noise of that variance on
    each table by itself has the price of the cube, or a higher one. (Half-widths in whole numbers
    are no such measure: noise of one table that reaches 6 reaches all that is below 7.)"""
    uneven = dp.levels(["r", "b"], rows=[("1", "v"), ("1", "w"), ("1", "x"), ("2", "y")])
    shapes = [((2,), "b"), ((20,), None), ((2, 3), None), ((5, 2), "b"), ((2, 2, 2), None)]
    for sizes, last in shapes:
        keys = {f"a{at}": range(n) for at, n in enumerate(sizes)}
        by = [*keys, uneven] if last else [*keys]
        table = dp.table(
            [], unit="row", name="t", keys=keys | ({"b": list("vwxy")} if last else {})
        )
        spend = dp.zcdp("1/8") if kind == "zcdp" else dp.pure(1)
        (line,) = dp.plan(table, dp.cube(by), spend=spend).lines
        lies, laws = line.statistic.laid_out(table), line.statistic.counted(table, line.laws)
        found = frame(lies.attributes, laws).solved({})
        apart = [float(found.variances(one).max()) for one in lies.tables]
        price = [1 / (2 * v) if kind == "zcdp" else (2 / v) ** 0.5 for v in apart]

        assert float(spend.numbers[0]) <= sum(price) * (1 + 1e-9)


def _subsets(names):
    return [[n for at, n in enumerate(names) if mask >> at & 1] for mask in range(2 ** len(names))]


def test_tables_of_a_cube_are_one_count_of_the_data():
    """And a question beside it that counts the same has none of its own."""
    plan = dp.plan(people(), dp.cube(["sex", "age"]), dp.count(by=["sex", "age"]), spend=dp.zcdp(1))

    assert len(plan.aggregates) == 5
    assert len(counts(plan.aggregates)) == 1
    assert places(plan.aggregates) == (0,) * 5


def test_a_plan_says_what_to_expect_of_each_kind_of_table():
    """Before anything is read; and what the tables would be off by one by one."""
    plan = dp.plan(people(), dp.cube(["sex", "age"], known={"total": 480}), spend=dp.zcdp("1/8"))

    text = " ".join(str(plan).split())
    assert "4 tables of 15 cells, which add up: total known, one attribute ±" in text
    assert "Asked one by one, and not adding up: ±" in text
    assert "KNOWN TOTAL: 480 is published as typed. It is not protected by noise" in text
    assert len(plan.lines[0].laws) == 3


def test_an_error_can_be_wanted_of_a_cube():
    """Every number then keeps it, and hardly less would not."""
    plan = dp.plan(people(), dp.cube(["sex", "age"], within=9))
    (line,) = plan.lines

    assert line.statistic.expected(plan.table, line.laws, plan.alpha).half_width == 9
    cheaper = dp.plan(
        people(), dp.cube(["sex", "age"]), spend=dp.zcdp(plan.cost.rho * Fraction(9, 10))
    )
    assert (
        cheaper.lines[0]
        .statistic.expected(plan.table, cheaper.lines[0].laws, plan.alpha)
        .half_width
        > 9
    )


REFUSED = {
    "no limit on a unit": ({"unit": dp.unit("who")}, ["sex"], {}, "nothing limits how many rows"),
    "a key that is missing": ({}, [dp.levels(["r", "place"], rows=[("n", "a")])], {}, "does not hold its keys"),
    "a level named twice": ({}, ["sex", dp.levels(["sex", "place"], rows=[("n", p) for p in KEYS["place"]])], {}, "two attributes"),
    "nothing but a known total": ({}, [], {"known": {"total": 5}}, "asks nothing"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_cube_that_would_not_add_up_is_refused(case):
    """Before anything is charged or read."""
    how, by, options, said = REFUSED[case]
    with pytest.raises(InputError, match=said):
        dp.plan(people(**how), dp.cube(by, **options), spend=dp.zcdp(1))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"known": {"sex": 5}}, "is not a known total"),
        ({"known": {"total": 5, "sex": {"F": 1, "M": 3}}}, "add up to 4 and 5"),
        ({"known": 5}, "is not a known total"),
        ({"known": {"tables": []}}, "is not a known total"),
        ({"known": {"sex": {"F": 1, "M": 2, 0: 4, "0": 5}}}, "two numbers of 0"),
        ({"known": {("sex", "age"): {("F", 0): 1, ("F", "0"): 2}}}, "two numbers of 0 and F"),
        ({"known": {"total": 10**15 + 1}}, r"more than 10\^15"),  # charged, and then no answer
        ({"known": {"sex": {"F": 10**400, "M": 0}}}, r"more than 10\^15"),
        ({"levels": {"place": PLACE}}, "belongs to none of the cube's attributes"),
        ({"levels": {"sex": PLACE}}, "is not the hierarchy of that column"),
    ],
)
def test_what_is_no_setting_of_a_cube_is_refused(options, said):
    """With what would be one."""
    with pytest.raises(InputError, match=said):
        dp.cube(["sex"], **options)


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        ("place", {"rows": [("a",)]}),
        (["place"], {"rows": [("a",)]}),
        (["r", "place"], {}),
        (["r", "place"], {"rows": []}),
        (["r", "place"], {"rows": [("n", "a"), ("s", "a")]}),
        (["r", "place"], {"rows": [("n",)]}),
        (["r", "place"], {"rows": [(1.5, "a")]}),
        (["r", "place"], {"file": "is not there.csv"}),
    ],
)
def test_what_is_no_hierarchy_is_refused(columns, given):
    """A key in two groups, levels that are none, a file that is not there."""
    with pytest.raises(InputError):
        dp.levels(columns, **given)


def test_a_hierarchy_is_read_from_a_file(tmp_path):
    """A public CSV file with the levels as columns, in any order."""
    file = tmp_path / "places.csv"
    file.write_text("place,note,region\na,x,n\nb,y,n\n=1+1,z,s\n", encoding="utf-8")

    assert dp.levels(["region", "place"], file=file) == PLACE


def test_a_plan_file_asks_for_a_cube_with_levels(tmp_path):
    """The hierarchy is a public file beside it; the plan is that of Python."""
    (tmp_path / "places.csv").write_text("region,place\nn,a\nn,b\ns,=1+1\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(
        """
        [data]
        source = "people.csv"
        unit = "row"
        [keys]
        sex = ["F", "M"]
        place = ["a", "b", "=1+1"]
        [levels.place]
        columns = ["region", "place"]
        file = "places.csv"
        [spend]
        rho = "1/8"
        [[ask]]
        statistic = "cube"
        by = ["sex", "place"]
        known = { total = 600 }
        """,
        encoding="utf-8",
    )

    (line,) = read_plan_file(tmp_path / "people.toml").plan.lines

    assert line.statistic == dp.cube(["sex", PLACE], known={"total": 600})


QUESTIONS = [
    dp.cube(["sex", PLACE]),
    dp.cube(["sex", PLACE], known={"total": 480}, clean=True),
    dp.tables([["sex", "age"], ["region", "age"]], levels={"place": PLACE}),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("spend", [dp.approx(1, "1e-6"), dp.gdp(mu2=1), dp.pure(1)], ids=str)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.plain()["by"]))
def test_every_budget_buys_tables_that_check(question, spend):
    """It is not passed, and nine tenths of it are spent; a rehearsal verifies."""
    plan = dp.plan(people(), question, spend=spend)

    assert plan.cost.fits(spend.few_down())
    assert plan.cost.numbers[0] >= spend.numbers[0] * Fraction(9, 10)
    assert "answers and intervals follow" in str(dp.verify(dp.rehearse(plan)))


@pytest.mark.slow
@pytest.mark.claim("C89")
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.plain()["by"]))
def test_intervals_that_hold_together_share_alpha_by_their_number(question):
    """Each is that of a chance of alpha over the number of cells, and holds the one by itself."""
    release = dp.rehearse(dp.plan(people(), question, spend=dp.zcdp("1/8")))
    (name,) = release.keys()
    alone, cells = release[name], list(release[name])
    joint = list(release.intervals(name, alpha="1/20", together=True))
    parts = list(release.intervals(name, alpha=Fraction(1, 20 * len(cells))))

    assert [(r["low"], r["high"]) for r in joint] == [(r["low"], r["high"]) for r in parts]
    assert all(r["low"] <= c["low"] and c["high"] <= r["high"] for r, c in zip(joint, cells, strict=True))  # fmt: skip
    assert sum(r["high"] - r["low"] for r in joint) > sum(r["high"] - r["low"] for r in alone)


def test_laws_that_are_too_few_are_no_noise_of_a_cube():
    """Which tables are counted follows from the question."""
    question = dp.cube(["sex", "age"])
    with pytest.raises(dp.errors.InternalError, match="vectors were counted"):
        question.answer(people(), [Noisy((1,))], [DiscreteGaussian(Fraction(4))], Fraction(1, 20))
