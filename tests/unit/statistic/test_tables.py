"""Lists of tables as they are planned, released, shown and refused."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import discreet as dp
from adversarial.moves import counted as made
from discreet.aggregate import Noisy
from discreet.cli.cli import main
from discreet.document.check import checked_document
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError, InternalError, VerifyError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plan_file.plan_file import read_plan_file
from discreet.post.tables.answer import parts_reach
from discreet.post.tables.family import CountedTable, cells, family, inside
from discreet.report.page import page
from discreet.statistic import tables_layout
from engine.sources import opened
from unit.listed_tables import FLAT, KEYS, ROWS, SHOWN, true

LISTS = [["sex", "age"], ["age", "place"]]
pytestmark = pytest.mark.claim("C93")


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


@pytest.mark.slow
def test_estimates_that_are_not_fitted_are_said_to_be_such():
    """Before and after; they add up, and verify."""
    wide = {n: dp.keys(*map(str, range(40)), other="else") for n in ("a", "b", "c", "d")}
    plan = dp.plan(people([], wide), dp.tables([["a", "b"], ["c"], ["d"]]), spend=dp.zcdp(1))
    found = dp.rehearse(plan)
    text = json.loads(found.document.text())

    assert "real numbers of at least 0 (to a thousandth" in " ".join(str(plan).split())
    assert "all are at least 0, but no table" in " ".join(str(found["tables"].crossed("a")).split())
    assert "all are at least 0, but no table" in page(found.document)
    assert min(found.document.statistics[0].answer.rows.columns[-3]) >= 0
    known = dp.tables(
        [["a", "b"], ["c"], ["d"]], known={"c": dict.fromkeys([*map(str, range(40)), "else"], 0)}
    )
    assert "below 0 and are not whole" in " ".join(
        str(dp.plan(plan.table, known, spend=dp.zcdp(1))).split()
    )
    assert "answers and intervals follow" in str(dp.verify(found))
    total = found["tables"].total(a=["1", "2"])
    parts = [found["tables"].total(a=one) for one in ("1", "2")]
    assert total.value == pytest.approx(sum(part.value for part in parts))
    rows = text["statistics"][0]["answer"]["rows"]
    rows[5][-3] += 0.5
    rows[5][-1] += 1
    with pytest.raises(VerifyError):
        dp.verify(type(found)(checked_document(json.dumps(text))))


@pytest.mark.exhaustive
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    columns = {"n": dp.bounds(0, 3, step=1)}
    every, only = (people(found, keys, person, columns=columns) for found in (rows, some))
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
            assert 1.9599 * size <= parts_reach(found.parts(one, rows_), laws, 0.05) <= 1.98 * size
    assert cells([a.sizes for a in FLAT], (1, 0, 1)) == 8
    assert inside((0, 1, 0), (0, 1, 1))
