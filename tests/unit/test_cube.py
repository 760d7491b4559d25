"""A cube as it is asked, planned, released, shown and refused."""

import csv
import json
from fractions import Fraction
from io import StringIO
from itertools import product
from math import prod

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.cli.cli import main
from discreet.document.check import checked_document
from discreet.engine.choose import engine_for
from discreet.errors import InputError, VerifyError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.counted import counts, places
from discreet.post.tables.answer import frame
from discreet.report.page import page

KEYS = {"sex": ["F", "M"], "age": range(4), "place": ["a", "b", "=1+1"]}
PLACE = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "=1+1")])
ROWS = [
    {"sex": "FM"[i % 2], "age": i % 5, "place": ["a", "b", "=1+1"][i * i % 3]} for i in range(600)
]
PERSON = dp.unit("who", max_rows=3)


def people(unit="row", **how):
    rows = [{**row, "who": i // 3} for i, row in enumerate(ROWS)]
    return dp.table(rows, unit=unit, keys=KEYS, name="people", **how)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    plan = dp.plan(people(), dp.cube(["sex", "age", PLACE]), spend=dp.zcdp("1/2"))
    book = tmp_path_factory.mktemp("cube") / "people.ledger"
    return dp.run(plan, ledger=dp.ledger(book, budget=dp.zcdp(1)))


@pytest.fixture
def saved(release, tmp_path):
    return release.save(tmp_path / "people.release")


# Planned


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
    lies, laws = line.statistic.laid_out(table), line.statistic._counted(table, line.laws)
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
        lies, laws = line.statistic.laid_out(table), line.statistic._counted(table, line.laws)
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
        ({"levels": {"place": PLACE}}, "of none of the cube's attributes"),
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


# Released


def test_a_release_of_a_cube_checks_and_is_read_again(release, saved):
    """Its answers follow from its integers; its text is whole; its plan is written plainly."""
    assert "answers and intervals follow" in str(dp.verify(saved))
    assert dp.load(saved).document == release.document
    assert dp.cube(["sex", "age", PLACE]).plain() == release.document.statistics[0].question


@pytest.mark.claim("C90")
def test_the_tables_of_a_release_add_up(release):
    """Each margin, of each level, is the sum of the cells."""
    rows = list(release.table())
    cells = [r for r in rows if None not in (r["sex"], r["age"], r["place"])]
    assert len(cells) == 24
    for row in rows:
        axes = {n: row[n] for n in ("sex", "age", "region", "place") if row[n] is not None}
        assert row["value"] == sum(c["value"] for c in cells if axes.items() <= c.items())
        assert 0 <= row["low"] <= row["value"] <= row["high"]


def test_a_changed_number_of_a_cube_does_not_check(release):
    """A cell, with all margins changed alike, is found: it does not follow from the integers."""
    text = json.loads(release.document.text())
    rows = text["statistics"][0]["answer"]["rows"]
    for row in rows:
        if all(a is None or a == b for a, b in zip(row[:4], rows[-1][:4], strict=True)):
            row[-3] += 40
            row[-1] += 40
    with pytest.raises(VerifyError):
        dp.verify(type(release)(checked_document(json.dumps(text))))


@pytest.mark.claim("C90")
def test_a_fit_that_another_processor_has_rounded_otherwise_checks(release):
    """A one that lies in the next cell, in all tables; but not where a table does not add up."""
    text = json.loads(release.document.text())
    answer = text["statistics"][0]["answer"]
    value, low, high = -3, -2, -1
    cells = [row for row in answer["rows"] if None not in row]
    more, less = cells[0], next(row for row in cells[1:] if row[value] > 0)
    for row in answer["rows"]:
        for one, step in ((more, 1), (less, -1)):
            if all(a is None or a == b for a, b in zip(row[:4], one[:4], strict=True)):
                row[value] += step
        row[low], row[high] = min(row[low], row[value]), max(row[high], row[value])
        row[-5] += 1e-9
    again = type(release)(checked_document(json.dumps(text)))

    assert "answers and intervals follow" in str(dp.verify(again))

    answer["rows"][0][value] += 1
    with pytest.raises(VerifyError):
        dp.verify(type(release)(checked_document(json.dumps(text))))


def test_a_table_of_another_index_is_no_release(release):
    """Rows that are out of order, or one that is missing, are seen before anything is shown."""
    for spoil in (lambda rows: rows.pop(), lambda rows: rows.reverse()):
        text = json.loads(release.document.text())
        spoil(text["statistics"][0]["answer"]["rows"])
        with pytest.raises(InputError, match="not a whole release"):
            checked_document(json.dumps(text))


# Shown


@pytest.mark.claim("C91")
def test_a_sum_of_cells_is_that_of_the_tables_and_has_an_interval_of_its_own(release):
    """A sum that is a margin has the margin's numbers; another is narrower than its parts."""
    cube = release["cube"]
    for row in cube.table("sex", "region"):
        chosen = {n: row[n] for n in ("sex", "region") if row[n] is not None}
        found = cube.total(**chosen)
        assert (found.value, found.low, found.high) == (row["value"], row["low"], row["high"])
        assert found.linear == pytest.approx(row["linear"], abs=1e-5)
    some = cube.total(age=[0, 1], place=["a", "=1+1"])
    parts = [cube.total(age=a, place=p) for a in (0, 1) for p in ("a", "=1+1")]
    assert some.value == sum(part.value for part in parts)
    assert some.deviation**2 < sum(part.deviation**2 for part in parts)
    assert (
        cube.total(alpha="0.001").high - cube.total(alpha="0.001").low
        > cube.total().high - cube.total().low
    )


def test_a_crossed_table_has_its_totals_last(release):
    """Side and top, and what is fixed; text stands for a number."""
    cube = release["cube"]
    found = cube.crossed("age", "sex", region="n")

    assert found.row_keys == ((0,), (1,), (2,), (3,), (None,))
    assert found.column_keys == (("F",), ("M",), (None,))
    for line in found.cells:
        assert line[2][0] == line[0][0] + line[1][0]
    assert "region = n" in str(found)
    assert cube.crossed("place", age="2").cells[-1][0][0] == cube.total(age=2).value
    with pytest.raises(InputError, match="named twice"):
        cube.crossed("age", "age")


@pytest.mark.claim("C92")
def test_microdata_have_exactly_the_released_tables(release):
    """Each cell as often as it counts; the title says that they are synthetic."""
    found = release.microdata()

    assert "Synthetic rows, not persons" in found.title
    rows = list(found)
    for told in release.table():
        axes = {n: told[n] for n in ("sex", "age", "region", "place") if told[n] is not None}
        assert told["value"] == sum(axes.items() <= row.items() for row in rows)


@pytest.mark.parametrize("spend", [dp.zcdp(1), dp.pure(1)], ids=str)
def test_the_noisy_tables_are_handed_out_as_they_were_counted(spend):
    """For other programs: which attributes, how many numbers, how far off."""
    plan = dp.plan(people(), dp.cube(["sex", PLACE]), spend=spend)
    found = dp.rehearse(plan)["cube"].measured()

    sizes = {"sex": 2, "region": 2, "place": 3}
    for table, law in zip(found, plan.lines[0].laws, strict=True):
        assert len(table.noisy) == prod(sizes[name] for name in table.attributes)
        assert table.deviation == pytest.approx(law.variance() ** 0.5)
    names = [table.attributes for table in found]
    assert names[-1] == ("sex", "place")
    assert (() in names) == (spend.kind == "zcdp")


def test_what_is_no_cube_is_not_crossed(tmp_path):
    """And of a cube no total of numbers with separate noise is made."""
    plan = dp.plan(people(), dp.count(by="sex"), dp.cube(["sex"]), spend=dp.zcdp(1))
    release = dp.rehearse(plan)

    with pytest.raises(InputError, match="is no cube"):
        release["count by sex"].crossed("sex")
    with pytest.raises(InputError, match="is no cube"):
        release.microdata()
    with pytest.raises(InputError, match="share their noise"):
        release.total("cube")
    assert len(release.microdata("cube")) == release["cube"].total().value


def test_the_report_shows_crossed_tables_and_marks_a_known_total():
    """Totals are set apart; a known total is in the alarm color."""
    plan = dp.plan(people(), dp.cube(["sex", "age"], known={"total": 480}), spend=dp.zcdp(1))
    text = page(dp.rehearse(plan).document)

    assert '<p class="alarm">KNOWN TOTAL: 480 is published as typed.' in text
    assert text.count('<table class="crossed">') == 1
    assert '<tr class="sum">' in text
    assert "All tables add up exactly." in text
    assert "Numbers do not add up exactly" not in text


EVEN = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "c"), ("s", "d")])
CROSSED = {("F", 0): 90, ("F", 1): 61, ("M", 0): 55, ("M", 1): 94}


@pytest.mark.claim("C94")
@pytest.mark.parametrize("spend", [dp.zcdp("1/8"), dp.pure(1)], ids=str)
def test_a_known_table_of_two_columns_is_conditioned_on(spend):
    """Estimates and deviations are those of dense least squares under the constraints, of the
    vectors that were counted; what is published keeps the table, in rows of microdata too."""
    keys = {"sex": ["F", "M"], "age": range(2), "place": list("abcd")}
    rows = [{"sex": s, "age": a, "place": "abcd"[i * i % 7 % 4]} for (s, a), n in CROSSED.items() for i in range(n)]  # fmt: skip
    table = dp.table(rows, unit="row", keys=keys, name="people")
    known = {("age", "sex"): {(a, s): n for (s, a), n in CROSSED.items()}, "region": {"n": 180, "s": 120}}  # fmt: skip
    plan = dp.plan(table, dp.cube(["sex", "age", EVEN], known=known), spend=spend)
    (line,), found = plan.lines, dp.rehearse(plan)
    document = json.loads(found.document.text())["statistics"][0]
    groups = [[s, a, r, p] for s, a, (r, p) in product(keys["sex"], keys["age"], EVEN.rows)]
    index = [row[:4] for row in document["answer"]["rows"]]
    shown = np.array([[all(c in (None, g) for c, g in zip(row, cell, strict=True)) for cell in groups] for row in index], float)  # fmt: skip

    units = np.eye(16, dtype=int).tolist()
    made = [np.array([one.transform.applied(u) if one.transform else u for u in units], float).T for one in line.aggregates]  # fmt: skip
    weighed = [(m / law.variance(), v["noisy"]) for m, law, v in zip(made, line.laws, document["vectors"], strict=True)]  # fmt: skip
    normal = sum(w.T @ m for (w, _), m in zip(weighed, made, strict=True))
    typed = {**{(s, a, None, None): n for (s, a), n in CROSSED.items()}, (None, None, "n", None): 180, (None, None, "s", None): 120}  # fmt: skip
    fixed = np.array([shown[index.index([*row])] for row in typed])
    kept, rank = np.linalg.qr(fixed.T, "complete")[0], np.linalg.matrix_rank(fixed)
    free = kept[:, rank:]  # where all known sums are 0
    start = np.linalg.lstsq(fixed, np.array([*typed.values()], float), rcond=None)[0]
    spread = free @ np.linalg.inv(free.T @ normal @ free) @ free.T
    wanted = start + spread @ (sum(w.T @ np.array(v) for w, v in weighed) - normal @ start)

    rows_ = list(found["cube"])
    assert [row["linear"] for row in rows_] == pytest.approx(shown @ wanted, abs=2e-5)
    variances = np.diag(shown @ spread @ shown.T)
    bound = [row["deviation"] ** 2 for row in rows_]  # of Laplace noise above the variance
    assert bound == pytest.approx(variances, rel=1e-4 if spend.kind == "zcdp" else 0.2, abs=1e-4)
    for (s, a), n in CROSSED.items():
        told = found["cube"].total(sex=s, age=a)
        assert (told.value, told.low, told.high) == (n, n, n)
        assert sum(row[:2] == (s, a) for row in found.microdata().rows) == n
    assert min(row["value"] for row in rows_) >= 0
    assert "KNOWN TOTALS by age and sex: 0 | F: 90" in " ".join(str(plan).split())
    assert page(found.document).count('<p class="alarm">KNOWN TOTALS by') == 2
    assert "answers and intervals follow" in str(dp.verify(found))


@pytest.mark.claim("C94")
def test_known_sums_of_a_level_are_kept_and_marked():
    """As typed, for certain, in every table that shows them; and they are not counted."""
    known = {"region": {"n": 400, "s": 80}, "sex": {"F": 250, "M": 230}}
    question = dp.cube(["sex", "age", PLACE], known=known)
    plan = dp.plan(people(), question, spend=dp.zcdp("1/8"))
    found = dp.rehearse(plan)
    cube, text = found["cube"], " ".join(str(plan).split())

    for name, numbers in known.items():
        for key, n in numbers.items():
            total = cube.total(**{name: key})
            assert (total.value, total.low, total.high) == (n, n, n)
    assert cube.total().value == 480
    assert "KNOWN TOTALS by region: n 400, s 80 are published as typed." in text
    assert page(found.document).count('<p class="alarm">KNOWN TOTALS by') == 2
    assert "answers and intervals follow" in str(dp.verify(found))
    assert not {(), ("sex",), ("region",)} & {one.attributes for one in cube.measured()}
    assert dp.cube(["sex", "age", PLACE], known=question.plain()["known"]) == question
    with pytest.raises(InputError, match="names two levels"):
        two = {"region": {"n": 4, "s": 1}, "place": {"a": 3, "b": 1, "=1+1": 1}}
        dp.plan(people(), dp.cube(["sex", PLACE], known=two), spend=dp.zcdp(1))
    with pytest.raises(InputError, match="asks nothing"):
        dp.plan(people(), dp.cube("sex", known={"sex": {"F": 1, "M": 2}}), spend=dp.zcdp(1))


def test_the_command_line_shows_and_writes_a_table(saved, tmp_path, capsys, monkeypatch):
    """As text, CSV and a workbook without formulas; what is no key is refused."""
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.chdir(tmp_path)
    for name in ("table.csv", "table.xlsx"):
        assert (
            main(
                [
                    "table",
                    str(saved),
                    "--rows",
                    "place",
                    "--columns",
                    "sex",
                    "--where",
                    "age=1",
                    "--out",
                    name,
                ]
            )
            == 0
        )
    told = capsys.readouterr().out
    assert "place and sex, age = 1" in told

    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(StringIO(file.read())))
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx").active
    assert lines[0][:4] == ["place", "F value", "F low", "F high"]
    assert lines[3][0] == "'=1+1"
    found = [list(row) for row in sheet.iter_rows()]
    assert found[5][0].value == "=1+1"
    assert {cell.data_type for row in found for cell in row} <= {"s", "n"}
    assert [int(x) for x in lines[1][1:]] == [cell.value for cell in found[3][1:]]
    assert main(["table", str(saved), "--rows", "place", "--out", "table.csv"]) == 2
    assert main(["table", str(saved), "--rows", "plaice"]) == 2
    assert main(["table", str(saved), "--where", "age"]) == 2


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


@pytest.mark.parametrize("spend", [dp.approx(1, "1e-6"), dp.gdp(mu2=1), dp.pure(1)], ids=str)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.plain()["by"]))
def test_every_budget_buys_tables_that_check(question, spend):
    """It is not passed, and nine tenths of it are spent; a rehearsal verifies."""
    plan = dp.plan(people(), question, spend=spend)

    assert plan.cost.fits(spend.few_down())
    assert plan.cost.numbers[0] >= spend.numbers[0] * Fraction(9, 10)
    assert "answers and intervals follow" in str(dp.verify(dp.rehearse(plan)))


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


@pytest.mark.claim("C52")
def test_a_cube_of_some_rows_has_the_tables_of_those_rows():
    """Its condition is decided before rows of a unit are chosen, and is in its name and plan."""
    rows = [{**row, "who": i // 3} for i, row in enumerate(ROWS)]
    some = [row for row in rows if row["age"] < 2]
    asked = dp.cube(["sex", "place"], where="age < 2")
    there = dp.plan(people(PERSON), asked, spend=dp.zcdp(1))
    only = dp.plan(
        dp.table(some, unit=PERSON, keys=KEYS, name="people"),
        dp.cube(["sex", "place"]),
        spend=dp.zcdp(1),
    )
    vectors = [
        [v.opened_by_the_door() for v in engine_for(p.table.source).prepare(p.table, a).count(3)]
        for p, a in ((there, there.aggregates), (only, only.aggregates))
    ]

    assert vectors[0] == vectors[1]
    assert sum(vectors[0][0]) == sum(row["age"] < 2 for row in ROWS)
    assert there.cost == only.cost
    release = dp.rehearse(there)
    assert release.document.statistics[0].label == "cube where age < 2"
    assert dp.verify(release)
