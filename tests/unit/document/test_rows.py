"""Rows kept as columns: written as JSON is, read strictly, and never looked at one by one."""

import json
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.document import rows as rows_module
from discreet.document.check import checked_document
from discreet.document.document import Document, Software, document_of
from discreet.document.equality import same_answers
from discreet.document.regular import csv_blocks
from discreet.document.rows import Rows, integers_of, rows_of
from discreet.document.tidy import Tidy, tidy
from discreet.engine import parquet
from discreet.engine.parquet import same_parquet, write_parquet
from discreet.plans.plan import plan, plan_of
from discreet.privacy.loss import zcdp
from discreet.releases.document import answered
from discreet.report.page import page
from discreet.schema import bounds, table
from discreet.statistic.count import count
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_
from unit.report_documents import csv_text, hostile, made, small, whole

GOLDEN = Path(__file__).parents[2] / "vectors" / "release.json"
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=9),
    st.sampled_from(["%", "%s", "%%", "],[", "\n", '"', "\\n", "\u2028", "é", "😀"]),
)


def columns(cells: st.SearchStrategy = CELLS) -> st.SearchStrategy:
    """Columns of one length, of one type each or of several."""
    pure = st.sampled_from(
        [st.integers(), st.booleans(), st.floats(-1e9, 1e9), st.text(max_size=5)]
    )

    def of_length(size: int) -> st.SearchStrategy:
        one = st.one_of(
            pure.flatmap(partial(st.lists, min_size=size, max_size=size)),
            st.lists(cells, min_size=size, max_size=size),
        )
        return st.lists(one, min_size=1, max_size=4)

    return st.integers(1, 7).flatmap(of_length)


def test_a_release_has_the_bytes_that_it_had_before_rows_were_columns():
    """tests/vectors/release.json was written row by row, by the checkout 3a53333, from the same integers.

    What a release says of its sources since then is left out: that they were lists, here.
    """
    as_then, golden = Software(name="discreet", version="0.1.0"), GOLDEN.read_text("ascii")
    made = whole()
    then = {name: one for name, one in made.plan["table"].items() if name != "read"}

    now = made.model_copy(update={"software": as_then, "plan": {**made.plan, "table": then}})
    assert now.text() + "\n" == golden
    assert checked_document(golden) == now


@pytest.mark.parametrize("made", [small, whole, hostile])
def test_the_text_is_canonical(made):
    """It is what the JSON encoder makes of the same data: keys sorted, no blanks, ASCII."""
    text = made().text()

    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))


@pytest.mark.slow
@given(found=columns())
def test_rows_are_written_as_the_encoder_writes_them(found):
    """Any cells, of one type or mixed, in blocks of any size."""
    rows, block = Rows(found), rows_module.BLOCK
    wanted = json.dumps([list(row) for row in zip(*found, strict=True)], separators=(",", ":"))
    try:
        for rows_module.BLOCK in (1, 2, 3, block):
            assert rows.text() == wanted
    finally:
        rows_module.BLOCK = block
    assert rows_of(json.loads(wanted)) == rows


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("beside", [[1.5], [1], [None], ["a"]], ids=str)
def test_a_number_without_end_is_never_written(number, beside):
    """Neither in a column of doubles nor in a mixed one."""
    with pytest.raises(ValueError, match="JSON compliant"):
        Rows([[*beside, number]]).text()


def test_rows_are_a_sequence_of_tuples():
    """Looked at, cut, counted and compared like a list."""
    rows = Rows([("a", "b", "c"), (1, 2, 3)])

    assert (len(rows), rows[-1], list(rows)) == (3, ("c", 3), [("a", 1), ("b", 2), ("c", 3)])
    assert (rows[1:], rows[::-1][0], ("b", 2) in rows) == ([("b", 2), ("c", 3)], ("c", 3), True)
    assert rows == copy(rows) == deepcopy(rows) == Rows([["a", "b", "c"], [1, 2, 3]])
    assert rows != Rows([("a", "b", "c")])
    assert rows != Rows([("a", "b", "d"), (1, 2, 3)])
    assert rows != "abc"
    assert list(Rows([])) == [] == Rows([]).text().split()[1:]
    with pytest.raises(IndexError):
        rows[3]
    with pytest.raises(IndexError):
        Rows([])[0]
    with pytest.raises(ValueError, match="one length"):
        Rows([(1, 2), (1,)])


@pytest.mark.parametrize("given", [
    *(None, 1, "ab", {}, (1, 2), [1], ["ab"], [None], [()], [[1], [1, 2]], [[], []], [[[1]]]),
    *([[{}]], [[1], [b"a"]], [[1j]]),
], ids=str)  # fmt: skip
def test_what_is_no_table_of_plain_cells_is_no_rows(given):
    """Not a list of lists, of several lengths, without cells, or with cells of another kind."""
    with pytest.raises(ValueError, match=r"rows are|cells are"):
        rows_of(given)


@pytest.mark.parametrize("given", [None, "12", (1, 2), [1, True], [1.0], ["1"], [[1]], {1: 2}])
def test_what_is_no_list_of_whole_numbers_is_none(given):
    """True is no 1, and 1.0 neither."""
    with pytest.raises(ValueError, match="whole numbers"):
        integers_of(given)


@pytest.mark.slow
@given(found=columns())
def test_csv_in_blocks_is_the_csv(found):
    """Text that is made column by column, in blocks, is what the cells give one by one."""
    kinds = ("text",) * len(found)
    names, block = tuple("abcd"[: len(found)]), rows_module.BLOCK
    listed = Tidy("t", names, kinds, list(zip(*found, strict=True)))
    try:
        rows_module.BLOCK = 1  # each cell is the only one of its column
        one_by_one = csv_text(listed)
        rows_module.BLOCK = 3
        assert list(csv_blocks(Tidy("t", names, kinds, Rows(found))))[1:]
        assert csv_text(Tidy("t", names, kinds, Rows(found))) == one_by_one
    finally:
        rows_module.BLOCK = block


@pytest.mark.slow
@pytest.mark.parametrize(("at", "to"), [(0, "z"), (1, 8), (1, None), (2, 0.25), (3, False)])
def test_a_parquet_file_with_another_cell_is_another(at, to, tmp_path):
    """One cell in any column, one row more or fewer, or another name."""
    size, place = 40_000, 20_001
    cells = [["a"] * size, [7] * size, [0.5] * size, [True] * size]
    names, kinds = ("t", "w", "r", "f"), ("text", "whole", "real", "flag")
    write_parquet(tmp_path / "p", columns=names, kinds=kinds, cells=cells)
    content = (tmp_path / "p").read_bytes()

    assert same_parquet(content, columns=names, cells=cells)
    assert not same_parquet(content, columns=("t", "w", "r", "F"), cells=cells)
    assert not same_parquet(content, columns=names, cells=[one[1:] for one in cells])
    assert not same_parquet(content, columns=names, cells=[[*one, one[0]] for one in cells])
    cells[at][place] = to
    assert not same_parquet(content, columns=names, cells=cells)
    assert not same_parquet(b"no parquet", columns=names, cells=cells)


def test_no_bar_is_printed_while_parquet_is_written():
    """DuckDB shows one after two seconds, on stdout, where `--json` prints its answer."""
    with parquet._connected() as connection:
        shown = connection.execute("SELECT current_setting('enable_progress_bar')").fetchone()

    assert shown == (False,)


def test_a_parquet_file_keeps_the_gaps_of_each_kind(tmp_path):
    """A missing cell is none of the values that stand in for it on the way."""
    cells = [["", None], [None, 0], [0.0, None], [None, False]]
    names, kinds = ("t", "w", "r", "f"), ("text", "whole", "real", "flag")
    write_parquet(tmp_path / "p", columns=names, kinds=kinds, cells=cells)

    assert same_parquet((tmp_path / "p").read_bytes(), columns=names, cells=cells)


# Bulk: what is done for a cell is done in C, so that the number of Python calls does not grow


@cache
def sized(cells: int) -> Document:
    """Return a release of five answers of so many rows."""
    plain = table(
        [],
        unit="row",
        columns={"x": bounds(0, 100_000, step=1)},
        keys={"number": range(cells), "word": [f"ward {i}" for i in range(cells)]},
        name="t",
    )
    asked = [count(by="number"), count(by="word"), sum_("x", by="word"), mean("x", by="word")]
    asked.append(histogram("x", bins=cells))
    return made(plan(plain, *asked, spend=zcdp(1)), size=900)


def calls(act: Callable[[], object]) -> int:
    """Return how many Python functions and generators an act enters."""
    found = 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal found
        found += event == "call"

    sys.setprofile(count_call)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


def parquet_of(found: Tidy, folder: Path, cells: int) -> bool:
    path, columns = folder / str(cells), [found.column(name) for name in found.columns]
    write_parquet(path, columns=found.columns, kinds=found.kinds, cells=columns)
    return same_parquet(path.read_bytes(), columns=found.columns, cells=columns)


ACTS = {
    "plan": lambda found, _folder, _cells: plan_of(found.plan).digest,
    "answers": lambda found, _folder, cells: answered(plan_of(found.plan), noisy_of(found)),
    "text": lambda found, _folder, _cells: found.text(),
    "tidy": lambda found, _folder, _cells: tidy(found),
    "csv": lambda found, _folder, _cells: csv_text(tidy(found)),
    "parquet": lambda found, folder, cells: parquet_of(tidy(found), folder, cells),
    "page": lambda found, _folder, _cells: page(found),
    "read": lambda found, _folder, _cells: document_of(sized_text(found)),
    "check": lambda found, _folder, _cells: checked_document(sized_text(found)),
    "same": lambda found, _folder, _cells: same_answers(found.statistics, found.statistics),
    "a generator a cell": lambda found, _folder, _cells: [
        tuple(cell for cell in row) for row in found.statistics[0].answer.rows
    ],
}
FEW, MANY = 3_000, 9_000


def noisy_of(found: Document) -> list:
    from discreet.aggregate import Noisy

    return [Noisy(tuple(one.noisy)) for asked in found.statistics for one in asked.vectors]


@cache
def _text(cells: int) -> str:
    return sized(cells).text()


def sized_text(found: Document) -> str:
    return _text(len(found.statistics[0].answer.rows))


def growth(name: str, folder: Path) -> float:
    """Return how many calls more there are for a cell more, after both sizes were seen once."""
    taken = []
    for cells in (FEW, MANY, FEW, MANY):
        found = sized(cells)
        sized_text(found)
        taken.append(calls(lambda found=found, cells=cells: ACTS[name](found, folder, cells)))
    return (taken[3] - taken[2]) / (5 * (MANY - FEW))


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ACTS if name != "a generator a cell"])
def test_no_function_is_called_for_each_cell(name, tmp_path):
    """From the plan to the files and back: a cell more costs no Python call more."""
    assert growth(name, tmp_path) < 0.01


def test_a_function_that_is_called_for_each_cell_is_seen(tmp_path):
    """The count has power: one generator a row of one answer in five."""
    assert growth("a generator a cell", tmp_path) > 0.15
