"""A release as a workbook: what stands where, and what no cell may be."""

from io import BytesIO
from zipfile import ZipFile

import pandas as pd
import pytest

import discreet as dp
from discreet.document.marks import HIDDEN, TOO_FEW, WORDS
from discreet.errors import InputError
from discreet.releases.release import Release
from discreet.report import workbook as room
from discreet.report.workbook import crossed_workbook, workbook
from unit.report.test_forms import FLAGS, ruled
from unit.report_documents import HOSTILE, hostile, one, small

openpyxl = pytest.importorskip("openpyxl")
pytestmark = pytest.mark.claim("C566")
WORDS_OF = dp.about(
    title="=1+1",
    source="=cmd|' /C calc'!A0",
    notes=["+1+1"],
    labels={"k": {"name": "=ward", "values": {"a": "=2+2"}}},
)


def opened(content):
    return openpyxl.load_workbook(BytesIO(content))


def tables_of(book):
    return [sheet for sheet in book if sheet.title.startswith("Table ")]


def rows_of(sheet):
    """Return the names and the rows of the one table of a sheet."""
    (table,) = sheet.tables.values()
    head, *rows = [[cell.value for cell in row] for row in sheet[table.ref]]
    return head, rows


def check_guidance(book):
    """What statistical offices ask of a spreadsheet, sheet by sheet."""
    names = [sheet.title for sheet in book]
    assert names[:4] == ["Cover", "Contents", "Notes", "Shorthand"]
    for sheet in book:
        cells = [cell for row in sheet.iter_rows() for cell in row]
        assert not sheet.merged_cells.ranges
        assert {cell.data_type for cell in cells} <= {"s", "n"}  # no formula
        assert isinstance(sheet["A1"].value, str)
        if sheet.title == "Cover":
            continue
        (table,) = sheet.tables.values()
        area = [cell for row in sheet[table.ref] for cell in row]
        assert None not in [cell.value for cell in area]
        head = [cell.value for cell in sheet[table.ref][0]]
        assert len({name.casefold() for name in head}) == len(head)
        assert [column.name for column in table.tableColumns] == head
        beyond = [cell.value for cell in cells if cell not in area]
        assert sum(value is not None for value in beyond) == sheet[table.ref][0][0].row - 1
    assert [row[0] for row in rows_of(book["Contents"])[1]] == names[2:]
    assert [sheet["A1"].value.split(":")[0] for sheet in tables_of(book)] == names[4:]


@pytest.mark.parametrize("words", [dp.about(), WORDS_OF], ids=["bare", "hostile words"])
@pytest.mark.parametrize(
    "document", [small(), ruled(), hostile()], ids=["small", "ruled", "hostile"]
)
def test_a_workbook_keeps_the_guidance_and_has_no_formula(document, words):
    """A cover, contents, notes, shorthand, one marked table a sheet, no empty cell in it."""
    book = opened(workbook(document, words))

    check_guidance(book)
    assert len(tables_of(book)) == len(document.statistics)


def test_every_key_is_the_text_that_it_was():
    """But for what controls a screen, which is spelled out."""
    head, rows = rows_of(tables_of(opened(workbook(hostile(), dp.about())))[0])

    plain = [text for text in HOSTILE if text.isprintable() and text]
    assert head[-4:] == ["value", "low", "high", "flag"]
    assert {*plain} <= {row[0] for row in rows}
    assert len(rows) == len(HOSTILE)


def test_numbers_are_those_of_the_release_and_gaps_are_marked():
    """A number that is not shown is in no sheet; its cell is no 0."""
    document = ruled()
    first, second, third = tables_of(opened(workbook(document, dp.about(reliability=FLAGS))))

    rows = rows_of(first)[1]
    assert [row[2:5] for row in rows if row[2] != HIDDEN] == [
        [448, 445, 451],
        [728, 725, 731],
        [685, 682, 688],
    ]
    assert [row[2:] for row in rows].count([HIDDEN, HIDDEN, HIDDEN, "none"]) == 7
    assert ["m", "3 to 6", 448, 445, 451, "none"] in rows_of(second)[1]
    assert [row[2] for row in rows_of(third)[1]] == [
        row[-3] for row in document.statistics[2].answer.rows
    ]
    assert "E" in [row[-1] for row in rows_of(third)[1]]


def test_shorthand_and_flags_are_explained():
    """Each sign of a sheet stands among the shorthand, flags in the office's own words."""
    symbols = dict(rows_of(opened(workbook(ruled(), dp.about(reliability=FLAGS)))["Shorthand"])[1])

    assert symbols[HIDDEN] == WORDS[HIDDEN]
    assert symbols["E"] == "caution (a half-width of the interval from 1% on)"
    few = opened(workbook(one(dp.mean("x", by="k"), size=2), dp.about()))
    assert [row[2] for row in rows_of(few["Table 1"])[1]] == [TOO_FEW, TOO_FEW]


@pytest.mark.parametrize("engine", ["openpyxl", "calamine"])
def test_pandas_reads_a_table(engine):
    """From the row of its names on, by two readers."""
    content = workbook(small(), dp.about())
    frame = pd.read_excel(BytesIO(content), sheet_name="Table 1", header=2, engine=engine)

    assert [*frame.columns] == ["ward", "value", "low", "high", "flag"]
    assert [*frame["value"]] == Release(small())["count by ward"].table().column("value")


def test_the_same_release_makes_the_same_bytes(monkeypatch):
    """Whenever it is written: no member bears a time."""
    first = workbook(small(), WORDS_OF)
    with ZipFile(BytesIO(first)) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"1980-01-01T00:00:00Z</dcterms:modified>" in archive.read("docProps/core.xml")

    assert workbook(small(), WORDS_OF) == first


def test_a_crossed_table_is_a_workbook_too():
    """With its marks, and an explanation of them."""
    table = Release(ruled())["count by k and s"].crossed("k", "s")
    book = opened(crossed_workbook(ruled(), dp.about(), table))

    check_guidance(book)
    assert ["=1+1", 448, 445, 451, "none", HIDDEN, HIDDEN, HIDDEN, HIDDEN] in rows_of(
        book["Table 1"]
    )[1]


def test_derived_numbers_have_sheets(tmp_path):
    """What was not derived of this release has none."""
    release = Release(small())
    total = release.total("sum cost by ward and year", by="ward")
    book = openpyxl.load_workbook(release.export(tmp_path / "tables.xlsx", total))

    check_guidance(book)
    assert rows_of(tables_of(book)[-1])[1][0][:2] == ["A", total.rows[0]["value"]]
    with pytest.raises(InputError, match="was not derived"):
        release.export(tmp_path / "other.xlsx", [release])


def test_a_table_longer_than_a_sheet_is_refused(monkeypatch):
    """Its rest would be lost in silence."""
    monkeypatch.setattr(room, "_MOST_ROWS", 2)
    with pytest.raises(InputError, match="has 3 rows"):
        workbook(small(), dp.about())
