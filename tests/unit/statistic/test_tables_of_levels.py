"""Lists of tables with hierarchies: what they count, release and show."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import Phase, given, reject, settings
from hypothesis import strategies as st

import discreet as dp
from adversarial.moves import counted as made
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plan_file.plan_file import read_plan_file
from discreet.report.page import page
from engine.sources import opened

PLACE = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("n", "c"), ("s", "d")])
REGION = {row[1]: row[0] for row in PLACE.rows}
KEYS = {"sex": ["F", "M"], "age": range(3), "place": ["a", "b", "c", "d"]}
ROWS = [{"sex": "FM"[i % 2], "age": i % 4, "place": "abcd"[i * i % 7 % 4]} for i in range(300)]
LISTS = [
    ["region", "age", "sex"],
    [PLACE, "sex"],
]  # what offices print: few columns where it is fine
pytestmark = pytest.mark.claim("C93")


def people(rows=ROWS, keys=KEYS):
    return dp.table(rows, unit="row", keys=keys, name="people")


def without_noise(table, question):
    """The answer, but for noise that is 0."""
    aggregates = question.aggregates(table)
    exact = made(aggregates, opened(MemoryEngine().prepare(table, aggregates).count(1)))
    laws = [DiscreteGaussian(Fraction(1))] * len(aggregates)
    return question.answer(table, [Noisy(tuple(v)) for v in exact], laws, Fraction(1, 20))


def true(answer, rows):
    """The numbers of rows that the index names."""
    names = [axis.name for axis in answer.axes]
    kept = [
        {n: c for n, c in zip(names, row, strict=True) if c is not None} for row in answer.index
    ]
    return [sum(one.items() <= row.items() for row in rows) for one in kept]


@pytest.fixture(scope="module")
def release():
    return dp.rehearse(dp.plan(people(), dp.tables(LISTS), spend=dp.zcdp("1/2")))


@pytest.mark.slow
def test_without_noise_all_tables_of_all_levels_are_those_of_the_listed_rows():
    """Each level that is above a listed one has its tables."""
    answer = without_noise(people(), dp.tables(LISTS))
    listed = [{**row, "region": REGION[row["place"]]} for row in ROWS if row["age"] in KEYS["age"]]

    assert [axis.name for axis in answer.axes] == ["region", "place", "age", "sex"]
    assert list(answer.values) == true(answer, listed)
    assert answer.linear == pytest.approx(true(answer, listed), abs=1e-5)
    shapes = {tuple(cell is not None for cell in row) for row in answer.index}
    assert (True, False, True, True) in shapes
    assert (True, True, False, True) in shapes
    assert (True, True, True, False) not in shapes


@pytest.mark.slow
def test_what_is_counted_table_by_table_adds_up_by_levels():
    """Beyond a million cells; keys that are not listed are in a region of their own."""
    names = [str(i) for i in range(60)]
    keys = {n: dp.keys(*names, other="else") for n in ("town", "b", "c", "d")}
    town = dp.levels(["land", "town"], rows=[(str(int(n) % 7), n) for n in names] + [("-", "else")])
    rows = [{n: str(i * k % 63) for k, n in enumerate(keys, start=3)} for i in range(150)]
    question = dp.tables([["land", "b"], [town, "c"], ["d"]])
    answer = without_noise(people(rows, keys), question)
    told = [{n: v if v in names else "else" for n, v in row.items()} for row in rows]
    told = [{**row, "land": dict(map(reversed, town.rows))[row["town"]]} for row in told]

    assert answer.linear == pytest.approx(true(answer, told), abs=1e-5)
    assert {one.by for one in question.aggregates(people(rows, keys))} == {("town", "b"), ("town", "c"), ("d",)}  # fmt: skip


@pytest.mark.slow
def test_the_tables_of_a_release_add_up_over_places_and_regions(release):
    """Sums of levels are sums of their keys; the check of a release says so, too."""
    found = release["tables"]
    both = found.total(region="n", sex="F")
    assert both.value == sum(found.total(place=one, sex="F").value for one in "abc")
    assert found.total(region="s", age=[0, 1]).value == sum(
        found.total(region="s", age=age, sex=sex).value for age in (0, 1) for sex in "FM"
    )
    shown = next(r for r in found if (r["region"], r["place"], r["age"], r["sex"]) == ("n", None, None, "F"))  # fmt: skip
    assert (both.value, both.low, both.high) == (shown["value"], shown["low"], shown["high"])
    assert found.crossed("region", "age").cells[-1][-1][0] == found.total().value
    assert len(found.table("place", "sex")) == 1 + 2 + 4 + 2 + 4 + 8
    with pytest.raises(InputError, match="no table of this release has place and age"):
        found.total(place="a", age=1)
    assert "answers and intervals follow" in str(dp.verify(release))


def test_a_report_shows_each_pair_at_the_finest_level_that_a_table_has(release):
    """Places by sex; regions by age, and not by sex again."""
    text = page(release.document)
    assert text.count('<table class="crossed">') == 3
    for pair in ("place and sex", "region and age", "age and sex"):
        assert pair in text
    assert "region and sex" not in text.replace("region and age and sex", "")


@pytest.mark.slow
def test_known_numbers_of_a_level_are_kept():
    """As typed, in all that is made of them."""
    plan = dp.plan(people(), dp.tables(LISTS, known={"region": {"n": 170, "s": 55}}), spend=dp.zcdp("1/8"))  # fmt: skip
    found = dp.rehearse(plan)
    place = next(r for r in found["tables"] if r["place"] == "d" and r["age"] is r["sex"] is None)

    assert found["tables"].total(region="n").value == 170
    assert (place["value"], place["low"], place["high"]) == (55, 55, 55)  # alone in its region
    assert "KNOWN TOTALS by region: n 170, s 55 are published as typed." in str(plan)
    assert "answers and intervals follow" in str(dp.verify(found))


TOLD = {("F", "n"): 91, ("M", "n"): 79, ("F", "s"): 0, ("M", "s"): 55}


@pytest.mark.slow
@pytest.mark.claim("C94")
@pytest.mark.parametrize("clean", [False, True])
def test_a_known_table_of_two_columns_is_kept(clean):
    """As typed, for certain, an empty cell among them; the rest adds up to it and is fitted."""
    question = dp.tables(LISTS, known={("sex", "region"): TOLD}, clean=clean)
    plan = dp.plan(people(), question, spend=dp.zcdp("1/8"))
    found = dp.rehearse(plan)
    tables = found["tables"]

    for (sex, region), number in TOLD.items():
        cell = tables.total(sex=sex, region=region)
        assert (cell.value, cell.low, cell.high) == (number,) * 3
        ages = [tables.total(sex=sex, region=region, age=age).value for age in KEYS["age"]]
        assert sum(ages) == number
        assert min(ages) >= 0
    for one in ({"sex": "F"}, {"region": "s"}, {"place": "d", "sex": "M"}, {}):
        assert tables.total(**one).low == tables.total(**one).high
    assert "KNOWN TOTALS by region and sex: n | F: 91, n | M: 79, s | F: 0" in " ".join(
        str(plan).split()
    )
    assert '<p class="alarm">KNOWN TOTALS by region and sex' in page(found.document)
    assert "answers and intervals follow" in str(dp.verify(found))
    plain = question.plain()
    assert (
        dp.tables(plain["by"], levels=plain["levels"], known=plain["known"], clean=clean)
        == question
    )


@pytest.mark.claim("C94")
@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({("sex", "region"): TOLD, "sex": {"F": 91, "M": 134}}, "known names sex twice"),
        ({("sex", "place"): dict.fromkeys([("F", "a")], 3)}, "are not one for each cell"),
        ({("place", "age"): {(p, a): 3 for p in "abcd" for a in range(3)}}, "no table of this list has age and place"),
        ({("sex", "region"): {**TOLD, ("F", "n"): 1}, "total": 9}, "add up to 9 and 135"),
        ({("sex", "town"): {("F", "a"): 3}}, "no column of these tables"),
        ({("sex", "sex"): {("F", "F"): 3}}, "is not a known total"),
        ({("sex",): {("F",): 3}}, "is not a known total"),
        ({("sex", "age"): {"F": 3}}, "is not a known total"),
        ({"tables": [{"columns": ["sex", "age"]}]}, "is not a known total"),
        ({"tables": [{"columns": ["sex", "age"], "rows": [["F", 0, 3], ["F", 0, 4]]}]}, "is not a"),
        ({("region", "place"): {("n", "a"): 3}}, "known names two levels of a column: region, place"),
    ],
)  # fmt: skip
def test_what_is_no_known_table_is_refused(known, said):
    """With why: tables of one column may contradict each other."""
    with pytest.raises(InputError, match=said):
        dp.plan(people(), dp.tables(LISTS, known=known), spend=dp.zcdp(1))


@pytest.mark.claim("C94")
def test_what_is_all_known_asks_nothing():
    """Of a list, and of a cube."""
    known = {("sex", "region"): TOLD}
    with pytest.raises(InputError, match="asks nothing"):
        dp.plan(people(), dp.tables([["sex", "region"]], levels={"place": PLACE}, known=known), spend=dp.zcdp(1))  # fmt: skip
    with pytest.raises(InputError, match="asks nothing"):
        every = {("sex", "place"): dict.fromkeys(product("FM", "abcd"), 3)}
        dp.plan(people(), dp.cube(["sex", PLACE], known=every), spend=dp.zcdp(1))


@pytest.mark.slow
def test_contrasts_are_made_inside_groups_where_all_have_as_many_parts():
    """Of many yes/no columns and four places in two regions; of three and one place they are not."""
    keys = {**{f"q{n}": [0, 1] for n in range(5)}, "place": KEYS["place"]}
    rows = [
        {**{f"q{n}": i >> n & 1 for n in range(5)}, "place": "abcd"[i * i % 4]} for i in range(64)
    ]
    even = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "c"), ("s", "d")])
    columns = [f"q{n}" for n in range(5)]
    for place, contrasts in ((even, True), (PLACE, False)):
        lists = [list(pair) for pair in combinations([*columns, place], 2)]
        table = people(rows, keys)
        plan = dp.plan(table, dp.tables(lists), spend=dp.zcdp("1/8"))
        told = plan.lines[0].statistic.measured(table, plan.lines[0].laws)
        assert any(found for _, found, _ in told) == contrasts
        answer = without_noise(table, dp.tables(lists))
        groups = dict(map(reversed, place.rows))
        wanted = true(answer, [{**r, "region": groups[r["place"]]} for r in rows])
        assert answer.linear == pytest.approx(wanted, abs=1e-5)  # a fit can hide what they are off


@st.composite
def lists(draw):
    """Columns, some with a level between of groups of any size, and tables of them."""
    columns = {f"c{at}": keys for at, keys in enumerate(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))}  # fmt: skip
    levels = {
        name: dp.levels(
            [f"{name} group", name], rows=[(draw(st.integers(0, 1)), n) for n in range(keys)]
        )
        for name, keys in columns.items()
        if draw(st.booleans())
    }
    named = [*columns, *(f"{name} group" for name in levels)]
    tables = draw(st.lists(st.lists(st.sampled_from(named), unique=True, max_size=3), min_size=1, max_size=4))  # fmt: skip
    return columns, levels, tables, draw(st.integers(0, 2**32 - 1))


@pytest.mark.claim("C90")
@pytest.mark.slow
@settings(max_examples=40, phases=(Phase.explicit, Phase.generate))
@given(lists(), st.sampled_from([0, 1, 30]), st.booleans(), st.sampled_from([1, 400]))
def test_every_list_adds_up_in_whole_numbers_of_at_least_zero(case, most, clean, sigma2):
    """Of any levels, tables, cells and noise; each number in its interval."""
    columns, levels, asked, seed = case
    try:
        question = dp.tables(
            asked, levels={n: levels[n] for n in _used(asked, levels)}, clean=clean
        )
    except InputError:
        reject()  # a table twice
    table = dp.table([], unit="row", name="t", keys={n: range(keys) for n, keys in columns.items()})
    coins, laws = np.random.default_rng(seed), []
    noisy = []
    cells = coins.integers(0, most + 1, [columns[n] for n in question.ask.by])
    shares = question.shares(table, "zcdp")
    for aggregate, share in zip(question.aggregates(table), shares, strict=True):
        if share:
            laws.append(
                DiscreteGaussian(Fraction(sigma2) * aggregate.sensitivity.l2_squared / share)
            )
            exact = np.array(aggregate.transform.applied(cells.ravel().tolist()) if aggregate.transform else cells.ravel())  # fmt: skip
            noise = coins.normal(size=exact.shape) * float(laws[-1].sigma2) ** 0.5
            noisy.append(Noisy(tuple(np.rint(exact + noise).astype(int).tolist())))

    answer = question.answer(table, noisy, laws, Fraction(1, 20))

    numbers = dict(zip(answer.index, answer.values, strict=True))
    assert all(type(value) is int and value >= 0 for value in answer.values)
    ends = zip(answer.low, answer.values, answer.high, strict=True)
    assert all(low <= value <= high for low, value, high in ends)
    sums = Counter()
    for row, value in numbers.items():
        for at, cell in enumerate(row):
            above = (*row[:at], None, *row[at + 1 :])
            if cell is not None and above in numbers:
                sums[above, tuple(c is not None for c in row)] += value
    assert all(numbers[above] == value for (above, _), value in sums.items())


def _used(asked, levels):
    named = {name for one in asked for name in one}
    return [n for n, one in levels.items() if named & {*one.columns}]


@pytest.mark.parametrize(
    ("by", "levels", "said"),
    [
        ([[PLACE, "sex"], ["place", "sex"]], None, "lists a table twice"),
        ([["sex"]], {"place": PLACE}, "belongs to none of these tables"),
        (
            [[PLACE, "sex"], [dp.levels(["land", "place"], rows=[["x", p] for p in "abcd"])]],
            None,
            "has two hierarchies",
        ),
        ([["region"]], {"age": PLACE}, "is not the hierarchy of that column"),
        ([["region", "age"]], None, "no public keys for 'region'"),
    ],
)
def test_what_is_no_list_of_tables_with_levels_is_refused(by, levels, said):
    """With what would be one."""
    with pytest.raises(InputError, match=said):
        dp.plan(people(), dp.tables(by, levels=levels), spend=dp.zcdp(1))


def test_a_plan_file_asks_for_tables_with_levels(tmp_path):
    """The hierarchy is a public file beside it; the question is that of Python, and reads back."""
    (tmp_path / "places.csv").write_text("region,place\nn,a\nn,b\nn,c\ns,d\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(
        """
        [data]
        source = "people.csv"
        unit = "row"
        [keys]
        sex = ["F", "M"]
        age = [0, 1, 2]
        place = ["a", "b", "c", "d"]
        [levels.place]
        columns = ["region", "place"]
        file = "places.csv"
        [spend]
        rho = "1/8"
        [[ask]]
        statistic = "tables"
        by = [["region", "age", "sex"], ["place", "sex"]]
        [[ask.known.tables]]
        columns = ["sex", "region"]
        rows = [["F", "n", 91], ["M", "n", 79], ["F", "s", 0], ["M", "s", 55]]
        """,
        encoding="utf-8",
    )

    (line,) = read_plan_file(tmp_path / "people.toml").plan.lines

    assert line.statistic == dp.tables(LISTS, known={("sex", "region"): TOLD})
    plain = line.statistic.plain()
    again = dp.tables(plain["by"], levels=plain["levels"], known=plain["known"])
    assert again == line.statistic
