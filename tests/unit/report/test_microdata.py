"""Rows that have the tables of a cube or of a list of tables, and what they are fit for."""

import json
from itertools import combinations

import numpy as np
import pytest

import discreet as dp
from discreet.document.document import Document
from discreet.errors import InputError
from discreet.releases.release import Release
from discreet.report import microdata as module
from e2e.session import run
from unit.listed_tables import KEYS, ROWS

LISTS = [["sex", "age"], ["age", "place"]]
WIDE = {name: dp.keys(*map(str, range(18)), other="else") for name in "abcde"}
PAIRS = [list(pair) for pair in combinations(WIDE, 2)]


def people(keys=KEYS, rows=ROWS):
    return dp.table(rows, unit="row", keys=keys, name="people")


def wide_rows(many=3_000):
    """Rows whose columns hang together."""
    return [
        {name: str((n * n // 7 + k * (n % 5)) % (6 + 2 * k)) for k, name in enumerate(WIDE)}
        for n in range(many)
    ]


def released(folder, question, rows, keys=WIDE):
    """A release of real rows: a rehearsal makes up its own."""
    plan = dp.plan(people(keys, rows), question, spend=dp.zcdp(1))
    return dp.run(plan, ledger=dp.ledger(folder / "people.ledger", budget=dp.zcdp(1))), plan


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Pairs of five columns of 19 keys: 2,476,099 cells together, of which no table is fitted."""
    return released(tmp_path_factory.mktemp("wide"), dp.tables(PAIRS), wide_rows())


def table_of(rows, names):
    """How many rows have each key of some columns."""
    numbers = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        numbers[key] = numbers.get(key, 0) + 1
    return numbers


@pytest.mark.claim("C477")
@pytest.mark.parametrize("spend", [dp.zcdp("1/2"), dp.pure(1)], ids=str)
def test_rows_of_a_list_that_is_fitted_together_have_its_tables(spend):
    """Number by number, those of every margin, too; and each row is whole."""
    release = dp.rehearse(dp.plan(people(), dp.tables(LISTS), spend=spend))
    rows = release.microdata()

    assert rows.columns == ("sex", "age", "place")
    assert "Synthetic rows, not persons" in rows.title
    listed = list(rows)
    for told in release.table():
        axes = {name: told[name] for name in KEYS if told[name] is not None}
        assert told["value"] == sum(axes.items() <= row.items() for row in listed)
    assert "Every released table is exactly that of these rows." in " ".join(
        str(rows.analyses()).split()
    )


@pytest.mark.slow
@pytest.mark.claim("C477")
def test_rows_of_a_wide_list_are_near_each_table_that_was_measured(wide):
    """Of 361 numbers a table is off by its noise, give or take a twentieth; rows are as near."""
    release, _ = wide
    rows = release.microdata()
    (total,) = (row for row in release.table() if all(row[name] is None for name in WIDE))

    assert len(rows) == round(total["value"])
    pairs = [fit for fit in rows.fits if len(fit.attributes) == 2]
    assert len(pairs) == len(PAIRS)
    assert all(fit.fit for fit in pairs)
    assert max(fit.distance / fit.noise for fit in pairs) <= 1.1


@pytest.mark.slow
@pytest.mark.claim("C477")
def test_no_coin_is_drawn_for_rows(wide):
    """The same release has the same rows."""
    release, _ = wide

    assert release.microdata().rows == Release(release.document).microdata().rows


SMALL = {name: [*map(str, range(3))] for name in "abcdefg"}  # pairs of so many are contrasts


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Pairs of seven columns, which are fitted together, and of which contrasts are counted."""
    asked = dp.tables([list(pair) for pair in combinations(SMALL, 2)])
    rows = [{name: str(n * k % 7 % 3) for k, name in enumerate(SMALL, 1)} for n in range(900)]
    return released(tmp_path_factory.mktemp("small"), asked, rows, SMALL)


@pytest.mark.slow
@pytest.mark.claim("C477")
@pytest.mark.parametrize("made", ["wide", "small"])
def test_what_the_sheet_says_is_the_distance_to_the_noisy_numbers(made, request):
    """Counted again, row by row, in the order of the declared keys."""
    release, plan = request.getfixturevalue(made)
    rows = release.microdata()
    listed, keys = list(rows), plan.table.keys
    measured = release["tables"].measured()

    assert any(table.contrasts for table in measured) == (made == "small")
    for fit, table in zip(rows.fits, measured, strict=True):
        assert (fit.attributes, fit.contrasts) == (table.attributes, table.contrasts)
        each = [[*map(str, keys[name])] for name in table.attributes]
        grid, scale = np.zeros([*map(len, each)]), 1
        for key, many in table_of(listed, table.attributes).items():
            grid[tuple(own.index(part) for own, part in zip(each, key, strict=True))] = many
        if table.contrasts:
            for axis, own in enumerate(each):
                grid = len(own) * grid - grid.sum(axis=axis, keepdims=True)
                scale *= len(own)
        off = grid.ravel() - np.array(table.noisy)
        assert fit.distance == pytest.approx(np.sqrt((off**2).mean()) / scale)
        assert fit.noise == pytest.approx(table.deviation / scale)


@pytest.mark.slow
@pytest.mark.claim("C477")
def test_a_table_that_rows_are_far_from_is_named(wide):
    """Its noisy numbers changed by hand: they say that there are fewer than none."""
    release, _ = wide
    plain = release.document.model_copy(deep=True)
    at = next(n for n, t in enumerate(release["tables"].measured()) if len(t.attributes) == 2)
    vector = plain.statistics[0].vectors[at]
    vector.noisy[:] = [number - 10_000 * (-1) ** place for place, number in enumerate(vector.noisy)]
    rows = Release(Document.model_validate(plain)).microdata()

    sheet = rows.analyses().sheet()

    assert not rows.fits[at].fit
    assert next(line for line in sheet.rows if line[0].startswith("a and b"))[-1] == "no"
    assert sheet.below[0].startswith("Further from their noisy numbers than 1.1 times their noise")


@pytest.mark.slow
@pytest.mark.claim("C477")
def test_of_nobody_there_may_be_no_row(tmp_path):
    """Where nobody is, about every other total is below nothing: then there is no row."""
    release, _ = released(tmp_path, dp.tables(PAIRS), [])
    rows = release.microdata()

    assert rows.columns == tuple(WIDE)
    assert len(rows) <= 30  # a total's deviation is below 3: false with less than 1e-20
    assert "Fit for" in str(rows.analyses())


@pytest.mark.slow
@pytest.mark.claim("C477")
def test_rows_of_a_wide_list_have_levels_and_known_numbers(tmp_path):
    """A region by every other column; how many there are is typed, and is how many rows there are."""
    place = dp.levels(
        ["region", "e"], rows=[("ns"[n % 2], str(n)) for n in range(18)] + [("x", "else")]
    )
    asked = [*[list(pair) for pair in combinations("abcd", 2)], ["a", place], ["b", "region"]]
    question = dp.tables(asked, known={"total": 3_000})
    release, _ = released(tmp_path, question, wide_rows())
    rows = release.microdata()

    assert len(rows) == 3_000
    assert rows.columns == ("a", "b", "c", "d", "region", "e")
    assert {(row["region"], row["e"]) for row in rows} <= {tuple(line) for line in place.rows}
    wide = [fit for fit in rows.fits if fit.cells >= 300]
    assert max(fit.distance / fit.noise for fit in wide) <= 1.1


def test_a_list_may_be_counted_without_contrasts():
    """Then every table is handed out as it was counted, at hardly wider intervals."""
    asked = dp.tables(PAIRS, contrasts=False)
    plan = dp.plan(people(WIDE, wide_rows(9)), asked, spend=dp.zcdp(1))
    release = dp.rehearse(plan)

    assert not any(table.contrasts for table in release["tables"].measured())
    assert asked.plain()["contrasts"] is False
    assert "contrasts" not in dp.tables(PAIRS).plain()
    assert "follow" in str(dp.verify(release))


def test_rows_without_end_are_refused(wide, monkeypatch):
    monkeypatch.setattr(module, "_MOST_FITTED", 100)
    with pytest.raises(InputError, match="add up to"):
        wide[0].microdata()


@pytest.mark.claim("C477")
def test_rows_have_the_levels_of_a_hierarchy():
    """A list by places and by their regions: both columns, and both tables."""
    place = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "c"), ("s", "d")])
    asked = dp.tables([["sex", place], ["age", "region"]])
    release = dp.rehearse(dp.plan(people(), asked, spend=dp.zcdp(1)))
    rows = list(release.microdata())

    for told in release.table():
        axes = {n: told[n] for n in ("sex", "age", "region", "place") if told[n] is not None}
        assert told["value"] == sum(axes.items() <= row.items() for row in rows)


def test_a_cube_has_a_sheet_too():
    release = dp.rehearse(dp.plan(people(), dp.cube(["sex", "age"]), spend=dp.zcdp(1)))
    text = str(release.microdata().analyses())

    assert "Fit for: sex and age" in text
    assert "Not fit for: columns that no table has together" in text


def test_the_command_writes_the_rows_and_says_what_they_are_fit_for(tmp_path, monkeypatch):
    """The sheet on the screen, rows as CSV, each table with its distance as JSON."""
    monkeypatch.chdir(tmp_path)
    dp.rehearse(dp.plan(people(), dp.tables(LISTS), spend=dp.zcdp(1))).save("people.release")
    code, said = run("discreet microdata people.release --out rows.csv")
    _, reply = run("discreet microdata people.release --json")
    lines = (tmp_path / "rows.csv").read_text("utf-8").splitlines()

    assert code == 0
    assert "Fit for: sex and age" in said
    assert "The rows are in rows.csv." in said
    assert lines[0].replace('"', "") == "sex,age,place"
    reply = json.loads(reply)
    assert reply["rows"] == len(lines) - 1 == len(dp.load("people.release").microdata())
    assert all({"columns", "noise", "distance", "fit"} <= table.keys() for table in reply["tables"])
    code, said = run("discreet microdata people.release --out rows.csv")
    assert (code, "exists already" in said) == (2, True)
    code, said = run("discreet microdata people.release --out rows.xlsx")
    assert (code, "is no CSV file" in said) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("spend", [dp.zcdp(1_500), dp.zcdp(2_000)], ids=str)
@pytest.mark.parametrize("question", [dp.cube(["a", "b"]), dp.tables(LISTS)], ids=str)
def test_noise_that_hardly_ever_moves_a_number_has_a_sheet(question, spend):
    """Its deviation is 0 as a double: what stays is that rows are whole, in some cells by one."""
    table = people({name: KEYS.get(name, [0, 1]) for name in {*KEYS, "a", "b"}}, [])
    rows = dp.rehearse(dp.plan(table, question, spend=spend)).microdata()

    assert all(fit.distance < 2 for fit in rows.fits)
    assert all(fit.fit is (fit.distance == 0) for fit in rows.fits)
    assert "0.00" in str(rows.analyses())
