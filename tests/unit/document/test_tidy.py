"""The long table, its CSV and its Parquet file."""

import csv
import json
from fractions import Fraction
from io import BytesIO, StringIO
from pathlib import Path
from unicodedata import normalize

import openpyxl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.aggregate import Noisy
from discreet.document.accessors import fair_shares
from discreet.document.regular import csv_rows
from discreet.document.tidy import Tidy, tidy
from discreet.engine.parquet import write_parquet
from discreet.errors import InputError
from discreet.privacy.loss import loss_of
from discreet.releases.document import compose
from discreet.report.people import sheet
from unit.report_documents import HOSTILE, LOSSES, csv_text, hostile, small

TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=12) | st.text(
    alphabet="'=+-@;|\t\r\n \"＝a\u2028\x0b\u200b", max_size=8
)


def test_columns_and_types_follow_from_the_plan():
    """statistic, the keys in use, the bin's ends, the rows of means, then the numbers."""
    table = tidy(small())

    assert table.columns == (
        *("statistic", "ward", "year", "acute", "from", "to"),
        *("rows", "value", "low", "high"),
    )
    assert table.kinds == (*("text", "text", "whole", "flag"), *["real"] * 6)
    assert len(table) == 29


LARGE = 2**53


@pytest.mark.slow
@pytest.mark.claim("C16")
@pytest.mark.parametrize("step", [1, "0.01", 3], ids=str)
@pytest.mark.parametrize("middle", [LARGE - 9, LARGE + 1, -LARGE - 1, 3 * LARGE + 7, 2**63 + 1])
def test_no_face_shows_an_interval_narrower_than_the_exact_one(middle, step, tmp_path: Path):
    """Beyond 2^53 doubles skip whole numbers: low ends go down, high ends go up."""
    edge = 2**52 * Fraction(str(step))
    frame = dp.table(
        [], unit="row", columns={"x": dp.bounds(-edge, edge, step=step)}, keys={"k": range(9)},
        name="t",
    )  # fmt: skip
    plan = dp.plan(frame, dp.sum("x", by="k"), dp.count(by="k"), spend=dp.pure("0.01"))
    noisy = [Noisy(tuple(middle + i for i in range(9)))] * 2
    document = compose(plan, noisy, request="r", created="2026-01-04T09:00:00+00:00", ledger=None)
    table = tidy(document)
    write(table, tmp_path / "t.parquet")
    far = [law.half_width(plan.alpha) for law in plan.laws]
    exact = [
        ((middle + i - far[0]) * Fraction(str(step)), (middle + i + far[0]) * Fraction(str(step)))
        for i in range(9)
    ] + [(max(0, middle + i - far[1]), max(0, middle + i + far[1])) for i in range(9)]

    written = csv_rows(csv_text(table), table.kinds)[1]
    loaded = json.loads(document.text())["statistics"]
    frames = {
        "JSON": [row[-2:] for one in loaded for row in one["answer"]["rows"]],
        "CSV": [row[-2:] for row in written],
        "Parquet": rows_in(parquet.read_table(tmp_path / "t.parquet")),
        "Polars": rows_in(table.to_polars()),
        "Arrow": rows_in(pa.table(table)),
        "pandas": table.to_pandas()[["low", "high"]].to_numpy().tolist(),
    }
    for face, rows in frames.items():
        wrong = [
            (low, high)
            for (low, high), (least, most) in zip(rows, exact, strict=True)
            if Fraction(low) > least or Fraction(high) < most
        ]
        assert (face, wrong) == (face, [])
        assert max(Fraction(b) - Fraction(a) for a, b in rows) <= max(
            b - a + 2**-51 * (abs(a) + abs(b)) for a, b in exact
        )


def rows_in(frame):
    columns = [frame[name] for name in ("low", "high")]
    lists = [c.to_pylist() if hasattr(c, "to_pylist") else c.to_list() for c in columns]
    return [*zip(*lists, strict=True)]


def test_a_key_column_named_like_ours_or_like_another_is_renamed():
    """DuckDB and Parquet readers do not tell `Value` from `value`."""
    table = tidy(hostile())

    folded = [name.casefold() for name in table.columns]
    assert len(set(folded)) == len(folded)
    assert table.columns[1:4] == ("=1+1", "value (key)", "Value (key) (key)")


@pytest.mark.slow
def test_every_frame_holds_what_the_table_holds():
    """pandas, Polars and Arrow get the same cells."""
    table = tidy(small())

    polars, arrow = table.to_polars(), pa.table(table)
    assert polars.columns == list(table.columns) == arrow.column_names
    assert polars["value"].to_list() == table.column("value") == arrow["value"].to_pylist()
    assert table.to_pandas()["year"].astype("float64").sum() == 6 * 1999.5
    assert polars["acute"].drop_nulls().to_list() == [True, False]


def test_a_statistic_gets_its_fair_share_of_forty_rows():
    """A small answer is never hidden behind a large one."""
    assert fair_shares([1, 1_000, 5], 40) == [1, 34, 5]
    assert sum(fair_shares([1_000] * 7, 40)) <= 40


def test_a_rehearsal_and_a_repeat_say_so_loudly():
    """Nobody takes made-up numbers for released ones, or pays twice in mind."""
    assert sheet(small(rehearsal=True), repeated=False).title.startswith("REHEARSAL")
    assert "again" in sheet(small(), repeated=True).title
    assert "again" not in sheet(small(), repeated=False).title


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_title_names_data_and_loss(loss):
    """What was lost stands on top."""
    document = small(loss=loss)
    paid = loss_of(document.protection.loss)

    assert str(paid) in sheet(document, repeated=False).title
    assert (paid == loss) == (loss.kind != "approx")  # pure noise costs no delta


def test_no_key_can_steer_a_terminal():
    """No control or direction character reaches the screen."""
    for shown in (str(tidy(hostile())), sheet(hostile(), repeated=False).text()):
        assert not {c for c in shown if not c.isprintable()} - {"\n"}


def starts_a_formula(text: str) -> bool:
    """What a careful spreadsheet would run: also behind blanks, and in wide forms."""
    bare = text.lstrip(" \u00a0\u200b\u200e\u200f\ufeff\u2028\u2029\x0b\x0c")
    return (text[:1] in "\t\r\n" and bool(text)) or normalize("NFKC", bare[:1])[:1] in tuple("=+-@")


def test_no_text_cell_is_a_formula_for_a_spreadsheet():
    """Every text is quoted and begins with nothing that runs; numbers stay numbers."""
    text = csv_text(tidy(hostile()))

    for separator in ",;|":
        for row in csv.reader(StringIO(text, newline=""), delimiter=separator):
            found = [cell for cell in row if starts_a_formula(cell)]
            assert [cell for cell in found if not is_number(cell)] == []


def test_an_unguarded_csv_is_caught():
    """The check has power: plain quoting leaves formulas."""
    text = StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([cell] for cell in HOSTILE[:20])

    rows = csv.reader(StringIO(text.getvalue(), newline=""))
    assert any(starts_a_formula(cell) for row in rows for cell in row)


def test_a_workbook_made_of_the_csv_holds_no_formula():
    """openpyxl marks a cell that begins with = as a formula; none is."""
    sheet_of_cells = openpyxl.Workbook().active
    for row in csv.reader(StringIO(csv_text(tidy(hostile())), newline="")):
        cells = [openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", cell) for cell in row]
        sheet_of_cells.append(cells)

    assert {cell.data_type for row in sheet_of_cells.iter_rows() for cell in row} <= {"s", "n"}


def test_csv_goes_there_and_back():
    """What csv_rows reads is what the table holds, hostile keys and nulls included."""
    for document in (small(), hostile()):
        table = tidy(document)
        assert csv_rows(csv_text(table), table.kinds) == (table.columns, table.rows)


@pytest.mark.slow
@settings(max_examples=300)
@given(words=st.lists(TEXT, min_size=1, max_size=5))
def test_any_text_goes_there_and_back_and_never_runs(words):
    """The guard loses nothing, and lets nothing through."""
    table = Tidy("t", ("key", "value"), ("text", "whole"), [(word, 1) for word in words])

    text = csv_text(table)
    assert csv_rows(text, table.kinds)[1] == table.rows
    cells = [row[0] for row in csv.reader(StringIO(text, newline=""))]
    assert not any(starts_a_formula(cell) for cell in cells)


@pytest.mark.parametrize("text", ["", "a,b\r\n1", '"a","b"\r\n"x",y\r\n', '"a","b"\r\n"x","'])
def test_a_csv_that_is_none_of_ours_is_refused(text):
    """Three lines, and nothing of the text."""
    with pytest.raises(InputError):
        csv_rows(text, ("text", "whole"))


def test_parquet_holds_the_table_with_its_types(tmp_path: Path):
    """Names, types and cells survive; the file is its owner's alone."""
    for number, document in enumerate((small(), hostile())):
        table, path = tidy(document), tmp_path / f"a'b;*[{number}].parquet"
        write(table, path)

        found = parquet.read_table(BytesIO(path.read_bytes()))
        assert found.column_names == list(table.columns)
        for name in table.columns:
            assert found[name].to_pylist() == table.column(name)
        assert path.stat().st_mode & 0o777 == 0o600


def test_the_same_table_gives_the_same_bytes(tmp_path: Path):
    """CSV and Parquet are functions of the document."""
    for name in ("a", "b"):
        write(tidy(small()), tmp_path / name)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert csv_text(tidy(small())) == csv_text(tidy(small()))


def write(table: Tidy, path: Path) -> None:
    cells = [table.column(name) for name in table.columns]
    write_parquet(path, columns=table.columns, kinds=table.kinds, cells=cells)


def is_number(text: str) -> bool:
    try:
        float(text.split(",", maxsplit=1)[0])
    except ValueError:
        return False
    return True
