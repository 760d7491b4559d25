"""A statistic tells itself: its heading, the steps that it moves in, and what may be made of it."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

import discreet as dp
from discreet.aggregate import Measure, Noisy, Term
from discreet.document.headings import check_heading
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.exact.number import text_of
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plans.sql_aggregates import ASKED as IN_SQL
from discreet.post.interval import around, downs, ups
from discreet.report.page import page
from discreet.report.words import named_words, question_words
from discreet.schema import Heading
from discreet.sensitivity import row_sensitivity
from discreet.statistic import catalog
from discreet.statistic.ask import Ask, asked, check_groups
from discreet.statistic.catalog import LISTED, statistic_of
from discreet.statistic.statistic import (
    AS_NAMED,
    MEASURES,
    Answer,
    Expected,
    ListedStatistic,
    Question,
    Telling,
    cells,
    each_column,
    groups,
    in_measure,
    keyed,
)

ALPHA = Fraction(1, 20)
LAW = DiscreteGaussian(Fraction(1))
CELLS = [("A", 4, "1.5"), ("A", 2, "0.5"), ("B", 6, 2), ("B", 1, "1.5"), ("A", 5, 1), ("B", 3, 0)]
POWERS = {  # of a column's step, in the measure of an answer
    **dict.fromkeys(("rows", "units", "keys", "share", "correlation"), 0),
    **dict.fromkeys(("sum", "mean", "std", "quantile", "iqr", "chosen"), 1),
    **dict.fromkeys(("variance", "covariance"), 2),
}


def declared(times=1, missing=False):
    """A table whose numbers, bounds and steps are so many times as large."""
    rows = [
        {"who": at, "ward": ward, "cost": times * cost, "load": times * Fraction(load)}
        for at, (ward, cost, load) in enumerate(CELLS)
    ]
    least = {"missing": 0} if missing else {}
    return dp.table(
        [{**row, "cost": float(row["cost"]), "load": float(row["load"])} for row in rows],
        name="t",
        unit="row",
        columns={
            "cost": dp.bounds(0, 6 * times, step=Fraction(times, 2), **least),
            "load": dp.bounds(0, 2 * times, step=Fraction(times, 2), **least),
        },
        keys={"ward": ["A", "B"]},
        **({"neighbors": "replace", "rows": len(CELLS)} if missing else {}),
    )


def examples():
    """Of each listed statistic: its name, and its options for numbers as they are and ten times."""
    for name, one in LISTED.items():
        pairs = zip(one.examples(declared()), one.examples(declared(10)), strict=True)
        for small, large in pairs:
            yield name, dict(small), dict(large)


EACH = pytest.mark.parametrize(("name", "small", "large"), list(examples()), ids=str)


def question(name, options):
    by = [["ward"]] if name == "tables" else ["ward"]
    return statistic_of({"statistic": name, **options, "by": by})


def exact(table, statistic):
    """What is counted, without noise."""
    aggregates = statistic.aggregates(table)
    sealed = MemoryEngine().prepare(table, aggregates).count(0)
    pairs = zip(sealed, aggregates, strict=True)
    return [Noisy(one.transformed(of.transform).opened_by_the_door()) for one, of in pairs]


@pytest.mark.claim("C300")
@EACH
def test_a_heading_is_not_the_raw_name(name, small, large):
    """It is a sentence's beginning, with the groups; what plans call it stands nowhere else."""
    del large
    words = question_words(question(name, small).plain())

    assert words[0].isupper()
    assert not words.startswith(f"{name} ")
    assert "_" not in words


@pytest.mark.claim("C300")
@pytest.mark.parametrize("known", [False, True])
@EACH
def test_ten_times_the_numbers_are_told_in_steps_of_a_power_of_ten(name, small, large, known):
    """The counted integers are the same; what each is worth grows, and so do answer and words."""
    tables = declared(1, known), declared(10, known)
    asked_ = [question(name, options) for options in (small, large)]
    if LISTED[name].chooses:
        counted = [[Noisy((0,))]] * 2
    else:
        counted = [exact(*pair) for pair in zip(tables, asked_, strict=True)]
    pairs = list(zip(tables, asked_, strict=True))
    worth, ten = (statistic.worth(table) for table, statistic in pairs)

    assert counted[0] == counted[1]
    if worth is None:
        assert ten is None
        return
    power = {1: 0, 10: 1, 100: 2}[ten / worth]
    assert power == (2 if "weights" in small else 1)
    said = [statistic.counted_in(table) for table, statistic in pairs]
    sizes = [Fraction(size) for text in said for size in re.findall(r"[\d.]+$", text)]
    assert sizes == [sizes[0], sizes[0] * 10**power] or "variance" in name or name == "std"


@pytest.mark.claim("C300")
@EACH
def test_ten_times_the_numbers_have_answers_of_their_measures_power(name, small, large):
    """And what adds up is so many steps of what 1 is worth."""
    if LISTED[name].chooses:
        pytest.skip("it tells keys")
    answers = []
    for times, options in ((1, small), (10, large)):
        table, statistic = declared(times), question(name, options)
        noisy = exact(table, statistic)
        answers.append(statistic.answer(table, noisy, [LAW] * len(noisy), ALPHA))
        if answers[-1].measure == "sum":
            step = statistic.worth(table)
            assert answers[-1].values == in_measure(noisy[0].values, step)
    one, ten = answers
    measure = one.measure
    powers = [POWERS.get(measure)] * len(one.values)
    if measure == "coefficient":
        powers = [1 if row[-1] == "(intercept)" else 0 for row in one.index]

    values = [(a, b, 10**p) for a, b, p in zip(one.values, ten.values, powers, strict=True)]
    assert all((a is None) == (b is None) for a, b, _ in values)
    assert [b for _, b, _ in values if b is not None] == pytest.approx(
        [a * size for a, _, size in values if a is not None]
    )


@pytest.mark.claim("C300")
@pytest.mark.parametrize(
    ("asked_", "said"),
    [
        (dp.sum("cost"), ", in steps of 0.5"),
        (dp.mean("cost"), ", in steps of 0.5"),
        (dp.mean("cost", weights="load"), ", in steps of 0.25"),
        (dp.mean(["cost", "load"]), ", each column in steps of its own"),
        (dp.mean(["cost", "load"], ball=1), ", in steps of 0.25"),
        (dp.variance("cost"), ", 144 in all for each row"),
        (dp.choose("ward", most="cost"), ", in steps of 0.5"),
        (dp.count(), ""),
        (dp.histogram("cost"), ""),
        (dp.median("cost"), ""),
        (dp.covariance(["cost", "load"]), ""),
    ],
    ids=str,
)
def test_noise_is_told_in_the_steps_that_numbers_move_in(asked_, said):
    """A weighted mean moves in products of steps; it was told in steps of the column alone."""
    assert asked_.counted_in(declared()) == said


def test_a_mean_of_known_rows_is_told_in_half_steps():
    """Its one number is the sum of the distances from the middle."""
    table = declared(missing=True)

    assert dp.mean("cost").counted_in(table) == ", in half steps of 0.5"
    assert dp.mean("cost").worth(table) == Fraction(1, 4)


@dataclass(frozen=True, slots=True, repr=False)
class SquareSum(Question):
    """A statistic that nobody knows: the sum of a column's squares."""

    column: str
    ask: Ask

    @property
    def label(self):
        return f"square_sum {self.column}{self.ask.suffix()}"

    def aggregates(self, table):
        check_groups(table, self.ask)
        found = table.columns[self.column]
        rows = row_sensitivity(table, self.ask.reach(table), table.groups(self.ask.by))
        squares = Term(1, (self.column, self.column))
        return (
            self.ask.aggregate(
                table,
                measures=(Measure("cells", (self.column,), (squares,)),),
                sensitivity=rows.times(found.upper_step**2),
            ),
        )

    def _step(self, table):
        return table.columns[self.column].step ** 2

    def answer(self, table, noisy, laws, alpha):
        step = self._step(table)
        low, high = around(noisy[0].values, laws[0].half_width(alpha))
        return Answer(
            label=self.label,
            axes=keyed(self.ask.by),
            measure="sum",
            index=tuple(groups(table, self.ask.by)),
            values=in_measure(noisy[0].values, step),
            low=downs([x * step.numerator for x in low], step.denominator),
            high=ups([x * step.numerator for x in high], step.denominator),
        )

    def expected(self, table, laws, alpha):
        return Expected(laws[0].half_width(alpha) * self._step(table))

    def plain(self):
        return {"statistic": "square_sum", "column": self.column, **self.ask.plain()}

    def telling(self, about=AS_NAMED):
        return Telling(f"Sum of squares of {about.own_column(self.column)}", chart="amounts")

    def textbook(self, table, rows):
        return [float(sum(cell**2 for cell in cells(rows, self.column)))]


def square_sum(column, by=None, *, weight=1):
    return SquareSum(column, asked(by, None, None, weight))


@pytest.fixture
def added(monkeypatch):
    """The register with one line more, and nothing else."""
    one = ListedStatistic("square_sum", square_sum, each_column)
    monkeypatch.setitem(catalog.LISTED, "square_sum", one)
    monkeypatch.setitem(catalog.STATISTICS, "square_sum", square_sum)
    monkeypatch.setitem(catalog.ASKED, "square_sum", square_sum)


@pytest.mark.claim("C301")
@pytest.mark.usefixtures("added")
def test_a_statistic_that_is_listed_alone_is_told_rightly():
    """In squares of steps, where a sum of the column moves in steps; and its numbers add up."""
    plan = dp.plan(declared(), square_sum("cost", by="ward"), spend=dp.zcdp(10**6))
    release = dp.rehearse(plan)
    name = "square_sum cost by ward"
    about = dp.about(labels={"cost": {"name": "Cost", "show": "share"}})

    assert question_words(plan.lines[0].statistic.plain()) == "Sum of squares of cost, by ward"
    assert named_words(plan.lines[0].statistic.plain(), about).startswith("Sum of squares of Cost")
    assert ", in steps of 0.25</small>" in page(release.document)
    whole = sum(row["value"] for row in release[name].rows)
    assert release.total(name).rows[0]["value"] == pytest.approx(whole)
    assert [row["value"] * 4 % 1 for row in release[name].rows] == [0, 0]


@pytest.mark.claim("C301")
@pytest.mark.usefixtures("added")
def test_what_is_not_said_of_a_statistic_is_not_done():
    """It can be drawn as bars, because it says so; it is not cleaned, because it does not."""
    plan = dp.plan(declared(), square_sum("cost", by="ward"), spend=dp.zcdp(1))

    check_heading(Heading(chart="bars"), "x", plan.lines[0].statistic.plain())
    with pytest.raises(InputError, match="no counts to clean"):
        dp.denoise(dp.rehearse(plan), how="raw")


@pytest.mark.claim("C301")
@EACH
def test_what_may_be_made_of_a_statistic_fits_what_it_counts(name, small, large):
    """Amounts are not below 0 or add up; what is cleaned are counts, each with noise of its own."""
    del large
    telling, table = question(name, small).telling(), declared()
    counted = question(name, small).aggregates(table)
    measured = {one.kind for aggregate in counted for one in aggregate.measures}

    if telling.cleaned:
        assert measured <= {"rows", "units"}
        assert len(counted) == 1
        assert counted[0].transform is None
    if telling.compared:
        assert len(counted[0].measures) == {"shares": 2}.get(telling.compared, 3)
    assert (telling.chart == "ordered") == LISTED[name].chooses


@pytest.mark.claim("C301")
@pytest.mark.parametrize("name", [name for name in IN_SQL if name != "COUNT"])
def test_each_function_of_a_select_asks_its_statistic(name):
    """What a statistic lists is read, and its options are those that it takes."""
    (one, function), *others = [
        (one, function) for one in LISTED.values() for function in one.sql if function.name == name
    ]
    args = ["0.5" if option == "at" else column for option, column in
            zip(function.takes, ("cost", "load"), strict=False)]  # fmt: skip
    _, said = dp.sql(f"SELECT {name}({', '.join(args)}) FROM t", declared())

    assert not others
    assert said.plain() == statistic_of({"statistic": one.name, **function.asked(args)}).plain()


def test_each_measure_says_what_its_numbers_are():
    """A measure without a word beside it is one whose numbers stand alone."""
    for measure, facts in MEASURES.items():
        assert not (facts.adds_up and facts.noun), measure
    assert {*POWERS, "coefficient", "short"} == {*MEASURES}
    assert text_of(Fraction(1, 4)) == "0.25"


ABOUT = dp.about(
    labels={
        "cost": {"name": "Cost", "unit": "$", "show": "share"},
        "load": {"name": "Load", "show": "exp"},
        "ward": "Ward",
    }
)
NAMED_UNIT = "Number of distinct units (one person each), by ward"


def test_a_count_of_units_says_what_a_publisher_calls_one():
    """A unit is a word of ours; the publisher has one that readers know."""
    asked = dp.count_units("ward").plain()
    assert question_words(asked, dp.about(one="person")) == NAMED_UNIT
    assert question_words(asked) == "Number of distinct units, by ward"


PLAIN, AMOUNT = Telling(""), Telling("", chart="amounts")
COUNTED = Telling("", chart="amounts", cleaned=True, ruled="count")
CURVE, SUMS = Telling("", ruled="curve"), Telling("", ruled="sums")
SHARES = Telling("", compared="shares", joined=True)
CROSSED = Telling("", chart="crossed", ruled="added")
ORDERED = Telling("", chart="ordered", ruled="names")
TOLD = [  # a question, its heading in a publisher's words, and what may be made of it
    (dp.count("ward"), "Number of rows, by Ward", replace(COUNTED, joined=True, sparse=True)),
    (
        dp.count("ward", between=[0, 9]),
        "Number of rows, by Ward",
        replace(AMOUNT, ruled="whole", sparse=True),
    ),
    (dp.count_units("ward"), "Number of distinct units, by Ward", replace(COUNTED, sparse=True)),
    (dp.histogram("cost"), "How Cost ($) is spread: number of rows", COUNTED),
    (dp.sum("cost", where="cost > 1"), "Sum of Cost, where cost > 1", AMOUNT),
    (
        dp.group_sizes("ward"),
        "How many keys of Ward have at least so many units",
        replace(AMOUNT, ruled="names"),
    ),
    (dp.mean("cost"), "Mean of Cost ($)", SHARES),
    (dp.mean("load"), "Typical Load (geometric mean)", SHARES),
    (dp.mean("cost", weights="load"), "Mean of Cost ($), weighted by load", PLAIN),
    (dp.mean("load", weights="cost"), "Typical Load (geometric mean), weighted by cost", PLAIN),
    (dp.mean(["cost", "load"]), "Mean of Cost and the logarithm of Load", SUMS),
    (dp.mean(["load"]), "Mean of the logarithm of Load", SUMS),
    (dp.variance("cost"), "Variance of Cost", Telling("", compared="variances")),
    (dp.std("cost"), "Standard deviation of Cost", Telling("", compared="stds")),
    (
        dp.std("cost", sample=True),
        "Standard deviation of Cost (of a sample: divided by one row less)",
        PLAIN,
    ),
    (
        dp.covariance(["cost", "load"], sample=True),
        "Covariance of Cost and the logarithm of Load (of a sample: divided by one row less)",
        PLAIN,
    ),
    (dp.correlation(["cost", "x"]), "Correlation of Cost and x", PLAIN),
    (dp.regression("cost", "load"), "Line of Cost on the logarithm of Load", SUMS),
    (dp.quantile("cost", "0.5"), "Quantiles of Cost ($)", CURVE),
    (dp.median("cost"), "Median of Cost ($)", CURVE),
    (dp.median("cost", method="choice"), "Median of Cost ($) (one bin, chosen)", CURVE),
    (dp.middle("cost", "0.8"), "Where the middle 0.8 of Cost ($) lies", CURVE),
    (dp.iqr("cost"), "Interquartile range of Cost", CURVE),
    (dp.share_below("cost", 1), "Share of rows with Cost ($) below a value", CURVE),
    (dp.choose("ward"), "The group with most rows, by Ward", ORDERED),
    (
        dp.top_k("ward", 2, most="cost"),
        "The 2 groups with the largest sum of cost, in this order, by Ward",
        ORDERED,
    ),
    (dp.cube(["ward"]), "Number of rows in all tables, by Ward", CROSSED),
    (
        dp.tables([["ward"], ["x"]]),
        "Number of rows, in tables ward, x",
        replace(CROSSED, grouped=False),
    ),
]


@pytest.mark.claim("C301")
@pytest.mark.parametrize(("asked_", "heading", "told"), TOLD, ids=lambda one: str(one)[:40])
def test_each_statistic_is_told_as_it_was_by_the_tables(asked_, heading, told):
    """Its heading, and what may be made of its numbers: nothing more, and nothing less."""
    telling = asked_.telling(ABOUT)
    apart = telling.apart is not None

    assert question_words(asked_.plain(), ABOUT) == heading
    assert replace(telling, heading="", apart=None) == told
    assert apart == (asked_.label.startswith("count between"))
