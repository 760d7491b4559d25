"""A cube as it is released, read again, added up and shown."""

import csv
import json
from io import StringIO
from math import prod

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.document.check import checked_document
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError, VerifyError
from discreet.report.page import page
from unit.cubes import KEYS, PERSON, PLACE, ROWS, people


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    plan = dp.plan(people(), dp.cube(["sex", "age", PLACE]), spend=dp.zcdp("1/2"))
    book = tmp_path_factory.mktemp("cube") / "people.ledger"
    return dp.run(plan, ledger=dp.ledger(book, budget=dp.zcdp(1)))


@pytest.fixture
def saved(release, tmp_path):
    return release.save(tmp_path / "people.release")


@pytest.mark.slow
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
@pytest.mark.slow
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


def test_what_is_no_cube_is_crossed_without_totals(tmp_path):
    """A question that is none leaves no attribute out; of a cube no total of noisy numbers is made."""
    plan = dp.plan(people(), dp.count(by="sex"), dp.cube(["sex"]), spend=dp.zcdp(1))
    release = dp.rehearse(plan)

    assert None not in release["count by sex"].crossed("sex").row_keys[-1]
    with pytest.raises(InputError, match="is named nowhere"):
        release["count by sex"].crossed()
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
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx")["Table 1"]
    assert lines[0][:4] == ["place", "F value", "F low", "F high"]
    assert lines[3][0] == "'=1+1"
    found = [list(row) for row in sheet.iter_rows()]
    assert found[6][0].value == "=1+1"
    assert {cell.data_type for row in found for cell in row} <= {"s", "n"}
    assert [int(x) for x in lines[1][1:]] == [cell.value for cell in found[4][1:]]
    assert main(["table", str(saved), "--rows", "place", "--out", "table.csv"]) == 2
    assert main(["table", str(saved), "--rows", "plaice"]) == 2
    assert main(["table", str(saved), "--where", "age"]) == 2


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
