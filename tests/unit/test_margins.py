"""Lists of tables: weights, estimates, sensitivities and answers, against brute force."""

import json
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest

import discreet as dp
from adversarial.moves import counted as made
from attributes import flat
from discreet.aggregate import Noisy
from discreet.cli.cli import main
from discreet.document.check import checked_document
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError, InternalError, VerifyError
from discreet.margin import Contrasts, Margin
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plan_file.plan_file import read_plan_file
from discreet.post.tables import designs, whole
from discreet.post.tables.attribute import Attribute
from discreet.post.tables.designs import designed, gain, gained
from discreet.post.tables.estimates import estimated
from discreet.post.tables.family import family
from discreet.post.tables.joint import JointEstimates
from discreet.post.tables.listed import reach
from discreet.post.tables.margins import CountedTable, cells, closed, inside
from discreet.post.tables.weights import precisions
from discreet.report.page import page
from discreet.statistic import tables_layout
from discreet.statistic.tables_layout import contrast_sensitivity
from engine.sources import opened

EVEN = Attribute(((0,) * 4, (0, 1, 0, 1), (0, 1, 2, 3)))  # two groups of two keys
UNEVEN = Attribute(((0,) * 4, (0, 0, 0, 1), (0, 1, 2, 3)))  # of three keys, and of one
FLAT = (flat(2), flat(3), flat(4))
SHOWN = closed([(1, 1, 0), (0, 1, 1)])
KEYS = {"sex": ["F", "M"], "age": range(3), "place": ["a", "b", "c", "d"]}
ROWS = [{"sex": "FM"[i % 2], "age": i % 4, "place": "abcd"[i * i % 4 % 3]} for i in range(300)]
LISTS = [["sex", "age"], ["age", "place"]]
pytestmark = pytest.mark.claim("C93")


def dense(one, attributes=FLAT):
    """The matrix that makes a counted vector of the cells of all attributes."""
    found = np.ones((1, 1))
    for attribute, level in zip(attributes, one.shows, strict=True):
        own = attribute.matrix(level)
        if one.contrasts and level:
            above = attribute.above(level, level - 1)
            own = (above[:, None] == above) @ -own + len(own) / (max(above) + 1) * own
        found = np.kron(found, own)
    return found


def mixed(shown):
    """Every table, contrasts of one, and the cells of all attributes."""
    few = [one for one in shown if sum(map(bool, one)) == 2][-1]
    return {
        **{CountedTable(one): 1 + 0.3 * sum(one) for one in shown},
        CountedTable(few, contrasts=True): 0.01,
    }


MIXED = {**mixed(SHOWN), CountedTable((1, 1, 1)): 0.4}
SOME = (
    (flat(2), EVEN, flat(3)),
    closed([(1, 1, 1), (0, 2, 1)]),
)  # sex by region by age, place by age
ODD = (flat(2), UNEVEN, flat(3)), SOME[1]
KNOWN = [(), ((0, 0, 0),), ((0, 1, 0),), ((1, 0, 0), (0, 1, 0)), ((1, 1, 0),)]


def by_least_squares(counted, attributes, known=()):
    """The covariance of the estimable sums, where known tables are told hardly wrong."""
    every = {**counted, **dict.fromkeys(map(CountedTable, known), 1e9)}
    normal = sum(n * dense(one, attributes).T @ dense(one, attributes) for one, n in every.items())
    return np.linalg.pinv(normal, rcond=1e-14)


def told(attributes, counted, known):
    """Made-up vectors with noise, and the known tables without any."""
    coins = np.random.default_rng(1)
    sizes = [each.sizes for each in attributes]
    true = coins.integers(0, 40, [each[-1] for each in sizes]).astype(float)
    exact = {one: dense(one, attributes) @ true.ravel() for one in counted}
    margins = {
        one: (dense(CountedTable(one), attributes) @ true.ravel()).reshape(
            [size[level] for size, level in zip(sizes, one, strict=True) if level]
        )
        for one in known
    }
    return {one: v + coins.normal(size=len(v)) for one, v in exact.items()}, margins


def rows_of(attributes, shown):
    """Each number of a table, as the groups that it counts."""
    pairs = list(zip(attributes, shown, strict=True))
    for place in product(*(range(a.sizes[level]) for a, level in pairs)):
        yield [np.eye(a.sizes[n])[at] for (a, n), at in zip(pairs, place, strict=True)]


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(
    ("attributes", "shown", "counted"),
    [(FLAT, SHOWN, MIXED), (*SOME, {**mixed(SOME[1]), CountedTable((1, 2, 1)): 0.4})],
    ids=["flat", "levels"],
)
def test_estimates_variances_and_parts_are_those_of_least_squares(
    attributes, shown, counted, known
):
    """Of plain tables and contrasts together; each number of each table, with known ones too."""
    vectors, margins = told(attributes, counted, known)
    covariance = by_least_squares(counted, attributes, known)
    right = sum(n * dense(one, attributes).T @ vectors[one] for one, n in counted.items())
    for one in known:
        right = right + 1e9 * dense(CountedTable(one), attributes).T @ margins[one].ravel()
    found = family(attributes, shown, counted, known)
    estimates = estimated(found, vectors, margins)

    for one in shown:
        matrix = dense(CountedTable(one), attributes)
        wanted = matrix @ covariance @ right
        variances = np.diag(matrix @ covariance @ matrix.T)
        assert estimates.table(one).ravel() == pytest.approx(wanted, abs=2e-3)
        assert found.variance(one) == pytest.approx(variances, abs=1e-6)
        for rows, number in zip(rows_of(attributes, one), variances, strict=True):
            assert found.variance(one, rows) == pytest.approx(number, abs=1e-6)


def test_of_groups_of_different_size_estimates_are_unbiased_and_near_the_best():
    """Exact tables come back exactly; a number's variance is that of all noises, one by one; it is
    a little above that of least squares."""
    attributes, shown = ODD
    counted = {CountedTable(one): 1 + 0.3 * sum(one) for one in shown}
    found, true = family(attributes, shown, counted, ()), np.arange(24.0) ** 1.5
    exact = {one: dense(one, attributes) @ true for one in counted}
    estimates = estimated(found, exact, {})
    none = {one: np.zeros(len(v)) for one, v in exact.items()}
    units = [(one, unit) for one, v in exact.items() for unit in np.eye(len(v))]
    moved = [(counted[one], estimated(found, {**none, one: unit}, {})) for one, unit in units]
    covariance = by_least_squares(counted, attributes)

    for one in shown:
        matrix = dense(CountedTable(one), attributes)
        assert estimates.table(one).ravel() == pytest.approx(matrix @ true)
        variances = sum(told_.table(one).ravel() ** 2 / n for n, told_ in moved)
        for rows, number in zip(rows_of(attributes, one), variances, strict=True):
            assert found.variance(one, rows) == pytest.approx(number)
        best = np.diag(matrix @ covariance @ matrix.T)
        assert (variances >= best * (1 - 1e-9)).all()
        assert variances.max() <= 1.1 * best.max()
        assert variances.sum() <= 1.05 * best.sum()


def test_a_sum_of_cells_has_its_own_variance():
    """Two keys of one column and three of another."""
    covariance, found = by_least_squares(MIXED, FLAT), family(FLAT, SHOWN, MIXED, ())
    rows = [np.ones(1), np.array([1.0, 0, 1]), np.array([1.0, 1, 0, 1])]
    chosen = np.kron(np.ones(2), np.kron(*rows[1:]))
    assert found.variance((0, 1, 1), rows) == pytest.approx(chosen @ covariance @ chosen)


def test_the_metric_of_a_fit_is_that_of_the_estimates():
    """Its matrix, its rows and its diagonal, written out."""
    attributes, shown = SOME
    whole = CountedTable((1, 2, 1))
    counted = {**mixed(shown), whole: 0.4}
    found = family(attributes, shown, counted, ())
    zeros = {one: np.zeros(len(dense(one, attributes))) for one in counted}
    estimates = estimated(found, zeros, {})
    metric = JointEstimates(estimates).metric()
    normal = sum(
        n * dense(one, attributes).T @ dense(one, attributes)
        for one, n in counted.items()
        if one != whole
    )
    within = np.linalg.pinv(normal) @ normal
    normal = normal + counted[whole] * within @ within

    unit = np.zeros(24)
    unit[7] = 1
    assert metric.times(unit.reshape(2, 4, 3)).ravel() == pytest.approx(normal[7])
    assert metric.row(np.unravel_index(7, (2, 4, 3))).ravel() == pytest.approx(normal[7])
    assert metric.own.ravel() == pytest.approx(np.diag(normal))


@pytest.mark.claim("C94")
def test_ones_are_moved_inside_sums_that_are_known():
    """Of two columns, in sparse tables with much noise: each known number comes out as it is."""
    attributes, known = (flat(2), flat(4), flat(5)), ((0, 0, 0), (0, 1, 0), (0, 0, 1))
    counted = {CountedTable(one): 0.04 for one in closed([(1, 1, 1)]) if one not in known}
    found = family(attributes, closed([(1, 1, 1)]), counted, known)
    for seed in range(20):
        coins = np.random.default_rng(seed)
        true = coins.poisson(1, (2, 4, 5))
        exact = {one: dense(one, attributes) @ true.ravel() for one in counted}
        noisy = {one: np.rint(v + coins.normal(0, 5, len(v))) for one, v in exact.items()}
        margins = {known[0]: true.sum(), known[1]: true.sum((0, 2)), known[2]: true.sum((0, 1))}
        joint = JointEstimates(estimated(found, noisy, {k: n + 0.0 for k, n in margins.items()}))
        made = joint.apart(whole.fitted(joint))

        assert made.min() >= 0
        assert made.sum((0, 2)).tolist() == margins[known[1]].tolist()
        assert made.sum((0, 1)).tolist() == margins[known[2]].tolist()


def flats(*keys):
    """The numbers of groups of columns without levels."""
    return tuple((1, n) for n in keys)


def listed(n, many):
    """All tables of so many of n columns."""
    return closed(tuple(int(at in one) for at in range(n)) for one in combinations(range(n), many))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "asked"),
    [
        (flats(2, 3, 2, 6), [(1, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1)]),
        (((1, 3, 12), (1, 2), (1, 5)), [(1, 1, 1), (2, 1, 0)]),
    ],
    ids=["flat", "levels"],
)
def test_the_weights_are_the_best_of_plain_tables(sizes, asked):
    """No weights that were tried are better."""
    coins = np.random.default_rng(2)
    shown = closed(asked)
    worths = designs._worths(sizes, shown, ())
    found = designs._rounded(designs._gaussian(sizes, shown, worths), 1)
    for _ in range(300):
        other = {one: w * Fraction(float(coins.lognormal(0, 0.2))) for one, w in found.items()}
        assert gain(sizes, found, other, worths) <= Fraction(1, 200)


def test_the_weights_of_a_whole_cube_are_its_closed_form():
    """With a level between, too."""
    sizes = ((1, 2), (1, 3, 12), (1, 5))
    weights = [precisions(each) for each in sizes]
    for one, weight in designed(sizes, closed([(1, 2, 1)]), (), "zcdp", even=False).items():
        wanted = prod(w[level] for w, level in zip(weights, one.shows, strict=True))
        assert float(weight) == pytest.approx(float(wanted), abs=0.012)


def test_contrasts_are_counted_where_they_gain_a_twentieth():
    """Many yes/no columns; not where there are many keys, where groups differ, and under pure."""
    triples = listed(8, 3)
    found = designed(flats(*[2] * 8), triples, (), "zcdp")
    assert all(one.contrasts == any(one.shows) for one in found)
    assert gained(flats(*[2] * 8), triples, ()) > designs.WORTH
    assert not any(one.contrasts for one in designed(flats(*[9] * 8), triples, (), "zcdp"))
    assert not any(one.contrasts for one in designed(flats(*[2] * 8), triples, (), "pure"))
    assert not any(
        one.contrasts for one in designed(flats(*[2] * 8), triples, (), "zcdp", even=False)
    )


def test_under_pure_loss_few_cells_are_best_counted_alone():
    """Three pairs of yes/no columns: their eight cells, and nothing else."""
    pairs = listed(3, 2)
    assert designed(flats(2, 2, 2), pairs, (), "pure") == {CountedTable((1, 1, 1)): 1}
    assert len(designed(flats(20, 20, 20), pairs, (), "pure")) > 1


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(
    "groups",
    [
        *(tuple((0,) * n for n in sizes) for sizes in ((2,), (3,), (2, 2), (2, 3), (3, 3), (2, 2, 3))),
        ((0, 1, 0, 1),), ((0, 0, 0, 1, 1, 1), (0, 0)), ((0, 0, 1, 1), (1, 0, 1, 0)),
    ],
    ids=str,
)  # fmt: skip
def test_no_unit_moves_contrasts_further_than_declared_and_some_unit_does(neighbors, rows, groups):
    """All units of up to two rows, tried out; every measure is reached but l1 of replace."""
    table = dp.table([], unit=dp.unit("who", max_rows=rows), name="t", neighbors=neighbors)
    sizes = [*map(len, groups)]
    declared = contrast_sensitivity(table, rows, [len(g) // len({*g}) for g in groups])
    matrix = Contrasts(Margin(tuple(tuple(range(n)) for n in sizes)), groups)
    places = range(prod(sizes))
    units = {
        tuple(sum(at == one for at in chosen) for one in places)
        for few in range(rows + 1)
        for chosen in product(places, repeat=few)
    }
    moved = {unit: np.array(matrix.times(unit)) for unit in units}
    others = moved.values() if neighbors == "replace" else [np.zeros(prod(sizes), dtype=int)]
    apart = [one - other for one in moved.values() for other in others]

    assert max(int(abs(d).sum()) for d in apart) <= declared.l1
    assert max(int((d * d).sum()) for d in apart) == declared.l2_squared
    assert max(int(abs(d).max()) for d in apart) == declared.linf


@pytest.mark.parametrize("wide", [1, 10**18])
@pytest.mark.parametrize(
    ("margin", "groups"),
    [(((0, 1, 2), (0, 0), (0, 1)), ()), (((0, 1, 3, 2), (0, 0, 0)), ((0, 1, 0, 1), (0,)))],
    ids=["flat", "levels"],
)
def test_contrasts_say_of_themselves_what_they_are(wide, margin, groups):
    """Each column's sizes and squares, the ends, and products beyond 64 bits."""
    matrix = Contrasts(Margin(margin), groups)
    columns = [matrix.times([int(at == one) for at in range(12)]) for one in range(12)]
    every = [x for column in columns for x in column]

    assert (matrix.rows, matrix.columns) == (len(columns[0]), 12)
    assert matrix.sizes() == tuple(sum(map(abs, column)) for column in columns)
    assert matrix.squares() == tuple(sum(x * x for x in column) for column in columns)
    assert matrix.ends() == (min(every), max(every))
    numbers = [wide * (at + 1) for at in range(12)]
    by_hand = [sum(x * c[at] for x, c in zip(numbers, columns, strict=True)) for at in range(matrix.rows)]  # fmt: skip
    assert matrix.times(numbers) == by_hand


# Asked, released and shown


def people(rows=ROWS, keys=KEYS, unit="row", **how):
    return dp.table(rows, unit=unit, keys=keys, name="people", **how)


@pytest.fixture(scope="module")
def release():
    return dp.rehearse(dp.plan(people(), dp.tables(LISTS), spend=dp.zcdp("1/2")))


def without_noise(table, question):
    """The answer, but for noise that is 0."""
    aggregates = question.aggregates(table)
    exact = made(aggregates, opened(MemoryEngine().prepare(table, aggregates).count(1)))
    laws = [DiscreteGaussian(Fraction(1))] * len(aggregates)
    return question.answer(table, [Noisy(tuple(v)) for v in exact], laws, Fraction(1, 20))


def true(row, names, rows=ROWS, keys=KEYS):
    kept = {n: cell for n, cell in zip(names, row, strict=True) if cell is not None}
    listed = (r for r in rows if all(r[n] in keys[n] for n in keys))
    return sum(kept.items() <= r.items() for r in listed)


def test_without_noise_all_tables_are_those_of_the_listed_rows():
    """Rows of an unlisted age are in no table, not even in those without age."""
    question = dp.tables(LISTS)
    answer = without_noise(people(), question)

    assert [true(row, ("sex", "age", "place")) for row in answer.index] == list(answer.values)
    assert all(type(value) is int for value in answer.values)


def test_many_columns_are_counted_table_by_table_where_none_leaves_a_row_out():
    """Each has a group for other rows; then a hidden age is in all tables as such."""
    wide = {n: dp.keys(*map(str, range(40)), other="else") for n in ("a", "b", "c", "d")}
    rows = [{n: str(i * k % 43) for k, n in enumerate(wide, start=3)} for i in range(200)]
    question = dp.tables([["a", "b"], ["b", "c"], ["d"]])
    table = people(rows, wide)
    answer = without_noise(table, question)

    sizes = {len(one.by) for one in question.aggregates(table)}
    assert sizes == {2, 1}
    told = [{**r, **{n: "else" for n in r if int(r[n]) > 39}} for r in rows]
    for row, value, low, high in zip(
        answer.index, answer.linear, answer.low, answer.high, strict=True
    ):
        wanted = {n: cell for n, cell in zip("abcd", row, strict=True) if cell is not None}
        count = sum(wanted.items() <= r.items() for r in told)
        assert value == pytest.approx(count, abs=1e-5)
        assert low <= count <= high
    with pytest.raises(InputError, match="no group for other rows"):
        listed = {n: [str(i) for i in range(40)] for n in wide}
        question.aggregates(people(rows, listed))


def test_estimates_that_are_not_fitted_are_said_to_be_such():
    """Before and after; they add up, and verify."""
    wide = {n: dp.keys(*map(str, range(40)), other="else") for n in ("a", "b", "c", "d")}
    plan = dp.plan(people([], wide), dp.tables([["a", "b"], ["c"], ["d"]]), spend=dp.zcdp(1))
    found = dp.rehearse(plan)
    text = json.loads(found.document.text())

    assert "below 0 and are not whole" in " ".join(str(plan).split())
    assert "can be below 0" in " ".join(str(found["tables"].crossed("a")).split())
    assert "can be below 0" in page(found.document)
    assert "answers and intervals follow" in str(dp.verify(found))
    total = found["tables"].total(a=["1", "2"])
    parts = [found["tables"].total(a=one) for one in ("1", "2")]
    assert total.value == pytest.approx(sum(part.value for part in parts))
    rows = text["statistics"][0]["answer"]["rows"]
    rows[5][-3] += 0.5
    rows[5][-1] += 1
    with pytest.raises(VerifyError):
        dp.verify(type(found)(checked_document(json.dumps(text))))


@pytest.mark.parametrize("spend", [dp.zcdp("1/8"), dp.pure(1), dp.approx(1, "1e-6"), dp.gdp(mu2=1)], ids=str)  # fmt: skip
@pytest.mark.parametrize("unit", ["row", dp.unit("sex", max_rows=3)], ids=str)
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_tables_cost_what_they_may_and_check(spend, unit, neighbors):
    """Every loss, units of several rows, both relations."""
    table = people(unit=unit, neighbors=neighbors)
    plan = dp.plan(table, dp.tables(LISTS), spend=spend)

    assert plan.cost.fits(spend.few_down())
    assert "answers and intervals follow" in str(dp.verify(dp.rehearse(plan)))


def test_tables_cost_no_more_than_one_by_one_at_the_same_errors():
    """What each table's interval would cost by itself adds up to more."""
    every = [tuple(c) for n in range(3) for c in combinations(KEYS, n) if c != ("sex", "place")]
    for spend in (dp.zcdp("1/8"), dp.pure(1)):
        plan = dp.plan(people(), dp.tables(LISTS), spend=spend)
        (line,) = plan.lines
        widest = line.statistic.expected(plan.table, line.laws, plan.alpha).half_width
        apart = dp.plan(
            people(), *(dp.count(by=by) for by in every), within=widest, kind=spend.kind
        )

        assert spend.numbers[0] <= apart.cost.numbers[0]


def test_the_tables_of_a_release_add_up_and_have_sums(release):
    """Each margin is the sum of every table above it; sums have intervals of their own."""
    found = release["tables"]
    rows = list(found)
    for row in rows:
        kept = {n: row[n] for n in KEYS if row[n] is not None}
        total = found.total(**kept)
        assert (total.value, total.low, total.high) == (row["value"], row["low"], row["high"])
        for name in (n for n in KEYS if n not in kept):
            parts = [r["value"] for r in rows if {n for n in KEYS if r[n] is not None} == {*kept, name} and kept.items() <= r.items()]  # fmt: skip
            assert not parts or sum(parts) == row["value"]
    assert found.crossed("age", "sex").cells[-1][-1][0] == found.total().value
    assert len(found.table("age", "place")) == 20
    some = found.total(age=[0, 1], place=["a", "b"])
    assert some.low <= some.value <= some.high
    with pytest.raises(InputError, match="no table of this release has sex and place"):
        found.crossed("sex", "place")
    with pytest.raises(InputError, match="no table of this release has sex and place"):
        found.total(sex="F", place="a")
    with pytest.raises(InputError, match="has no microdata"):
        release.microdata()
    assert [one.attributes for one in found.measured()][-1] == ("age", "place")


def test_a_report_shows_the_pairs_that_are_there(release):
    """And none of columns that no table has together."""
    text = page(release.document)
    assert text.count('<table class="crossed">') == 2
    assert "tables sex and age, age and place" in text


def test_known_numbers_of_a_column_are_kept_and_marked():
    """As typed, for certain; what is made of them is nearer; they stand in the alarm color."""
    truth = {"F": 112, "M": 113}
    plan = dp.plan(people(), dp.tables(LISTS, known={"sex": truth}), spend=dp.zcdp("1/8"))
    found = dp.rehearse(plan)
    rows = [r for r in found["tables"] if r["age"] is None and r["place"] is None]

    assert [(r["value"], r["low"], r["high"]) for r in rows] == [(n, n, n) for n in (225, 112, 113)]
    assert "KNOWN TOTALS by sex: F 112, M 113 are published as typed." in str(plan)
    assert '<p class="alarm">KNOWN TOTALS by sex' in page(found.document)
    assert "answers and intervals follow" in str(dp.verify(found))
    with pytest.raises(InputError, match="add up to 225 and 230"):
        dp.tables(LISTS, known={"sex": truth, "total": 230})
    with pytest.raises(InputError, match="not one for each of its keys"):
        dp.plan(people(), dp.tables(LISTS, known={"sex": {"F": 3}}), spend=dp.zcdp(1))
    with pytest.raises(InputError, match="no column of these tables"):
        dp.plan(people(), dp.tables(LISTS, known={"sexe": truth}), spend=dp.zcdp(1))


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ([["sex"], ["sex"]], "lists a table twice"),
        ([["sex", "sex"]], "not a list of tables"),
        (5, "not a list of tables"),
        ([["sex"], 5], "not a list of tables"),
        ([list(map(str, range(11)))], "more than 1,024 margins"),
    ],
)
def test_what_is_no_list_of_tables_is_refused(by, said):
    """With what would be one."""
    with pytest.raises(InputError, match=said):
        dp.tables(by)


def test_a_plan_file_and_the_command_line_ask_for_tables(tmp_path, capsys, monkeypatch):
    """The question is that of Python; a table is shown and written."""
    (tmp_path / "people.toml").write_text(
        """
        [data]
        source = "people.csv"
        unit = "row"
        [keys]
        sex = ["F", "M"]
        age = [0, 1, 2]
        place = ["a", "b", "c", "d"]
        [spend]
        rho = "1/8"
        [[ask]]
        statistic = "tables"
        by = [["sex", "age"], ["age", "place"]]
        where = "employed = 1"
        known = { sex = { F = 112, M = 113 } }
        """,
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    plan = read_plan_file(tmp_path / "people.toml").plan
    known = {"sex": {"F": 112, "M": 113}}
    assert plan.lines[0].statistic == dp.tables(LISTS, known=known, where="employed=1")

    dp.rehearse(plan).save("people.release")
    report = (tmp_path / "people.release" / "report.html").read_text(encoding="utf-8")
    assert "in tables sex and age, age and place, where employed = 1" in report
    assert "ok" in str(dp.verify("people.release"))
    assert main(["table", "people.release", "--rows", "age", "--columns", "place", "--out", "t.csv"]) == 0  # fmt: skip
    out = " ".join(capsys.readouterr().out.split())
    assert "people.csv: age and place" in out
    assert "Rows: those where employed = 1. " in out
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").startswith('"age","a value","a low"')


@pytest.mark.claim("C52")
@pytest.mark.parametrize("counted", ["together", "one by one"])
def test_tables_of_some_rows_are_those_of_these_rows_and_cost_no_more(counted, monkeypatch):
    """Units of which rows are chosen: the condition is decided before, and is the same in all."""
    if counted == "one by one":
        monkeypatch.setattr(tables_layout, "JOINT", 3)
    keys = {n: dp.keys(*one, other=9 if n == "age" else "else") for n, one in KEYS.items()}
    rows = [{**row, "who": i // 3, "n": i % 4} for i, row in enumerate(ROWS)]
    some = [row for row in rows if row["n"] > 1]
    person = dp.unit("who", max_rows=2)
    every, only = people(rows, keys, person), people(some, keys, person)
    question = dp.tables(LISTS, where="n > 1")

    asked = question.aggregates(every)
    vectors = [
        made(a, opened(MemoryEngine().prepare(table, a).count(3)))
        for table, a in ((every, asked), (only, dp.tables(LISTS).aggregates(only)))
    ]
    assert vectors[0] == vectors[1]
    assert {len(one.by) for one in asked} == ({3} if counted == "together" else {2})
    plans = [
        dp.plan(t, q, spend=dp.zcdp(1)) for t, q in ((every, question), (only, dp.tables(LISTS)))
    ]
    assert plans[0].cost == plans[1].cost
    assert plans[0].digest != plans[1].digest
    release = dp.rehearse(plans[0])
    assert release.document.statistics[0].label == "tables where n > 1"
    assert "tables sex and age, age and place where n > 1:" in " ".join(str(plans[0]).split())
    assert "answers and intervals follow" in str(dp.verify(release))


def test_laws_that_are_too_few_are_no_noise_of_tables():
    """Which vectors are counted follows from the question."""
    with pytest.raises(InternalError, match="vectors were counted"):
        dp.tables(LISTS).counted(people(), [DiscreteGaussian(Fraction(4))])


def test_a_reach_is_that_of_the_noise():
    """Hardly wider than the normal one; of a sum of cells too."""
    laws = {CountedTable(one): DiscreteGaussian(Fraction(40)) for one in SHOWN}
    found = family(FLAT, SHOWN, dict.fromkeys(laws, 1 / 40), ())
    for one in SHOWN:
        sizes = [a.sizes[level] for a, level in zip(FLAT, one, strict=True)]
        for rows in ((), [np.arange(n) < max(1, n - 1) for n in sizes]):
            rows_ = [row.astype(float) for row in rows]
            size = found.variance(one, rows_) ** 0.5
            assert 1.9599 * size <= reach(found.parts(one, rows_), laws, 0.05) <= 1.98 * size
    assert cells([a.sizes for a in FLAT], (1, 0, 1)) == 8
    assert inside((0, 1, 0), (0, 1, 1))
