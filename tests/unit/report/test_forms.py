"""Long, wide and crossed: the numbers of a release, and marks where there is none."""

import pytest

import discreet as dp
from discreet.document.marks import HIDDEN, NOT_ASKED, TOO_FEW
from discreet.errors import InputError
from discreet.releases.release import Release
from discreet.report.forms import marked, wide
from unit.report_documents import made, small

pytestmark = pytest.mark.claim("C565")
ABOUT = dp.about()
FLAGS = {"by": "half_width", "flags": [{"from": "1%", "flag": "E", "words": "caution"}]}


def ruled():
    """Return a release of which three of ten, and one of six numbers are shown."""
    keys = {"k": dp.keys("a", "b", "=1+1", other="rest", missing="none"), "s": ["f", "m"]}
    table = dp.table(
        [], unit="row", keys=keys, columns={"x": dp.bounds(0, 9, step=1)}, name="wards"
    )
    rule = dp.publish(at_least=400)
    questions = (
        dp.count(by=["k", "s"], publish=rule),
        dp.histogram("x", by="s", bins=3, publish=rule),
        dp.mean("x", by="k"),
    )
    return made(dp.plan(table, *questions, spend=dp.zcdp(1)))


def numbers_of(document):
    rows = [row for released in document.statistics for row in released.answer.rows]
    return sorted((tuple(row[-3:]) for row in rows), key=str)


@pytest.mark.parametrize("document", [small(), ruled()], ids=["every", "ruled"])
def test_each_number_stands_in_the_wide_table_once(document):
    """And nothing else does: a cell without a number has a mark, and the others none."""
    table = wide(document, ABOUT)
    heads = [name.removesuffix(" value") for name in table.columns if name.endswith(" value")]
    cells = [tuple(row[f"{h} {end}"] for end in ("value", "low", "high", "mark")) for row in table for h in heads]  # fmt: skip

    there = [cell[:3] for cell in cells if cell[3] in (None, TOO_FEW)]
    assert sorted(there, key=str) == numbers_of(document)
    assert all(cell[:3] == (None, None, None) for cell in cells if cell[3] in (HIDDEN, NOT_ASKED))
    assert all((cell[0] is None) == (cell[3] is not None) for cell in cells)


def test_a_number_that_is_not_shown_has_a_mark_and_no_number():
    """The places of all ten and all six are told; the release's numbers are at theirs."""
    document = ruled()
    counts, bins, means = (marked(document, place, ABOUT) for place in range(3))

    assert [m.value for m in counts if m.mark != HIDDEN] == [448, 728, 685]
    assert [m.index for m in counts if m.mark != HIDDEN] == [
        ("=1+1", "f"),
        ("none", "f"),
        ("none", "m"),
    ]
    assert [m.mark for m in counts].count(HIDDEN) == 7
    assert [(m.index, m.value) for m in bins if not m.mark] == [(("m", 3.0, 6.0), 448)]
    assert {m.status for m in counts} == {"A", "Q"}
    assert not any(m.mark for m in means)


def test_too_few_and_not_shown_and_not_asked_are_three_things():
    """None of them is 0, and none is another."""
    table = dp.table([], unit="row", keys={"k": ["a", "b"]}, columns={"x": dp.bounds(0, 9)})
    plan = dp.plan(table, dp.mean("x", by="k"), dp.count(), spend=dp.zcdp("1/1000"))
    document = made(plan, size=2)
    few = marked(document, 0, ABOUT)

    assert {(m.value, m.mark, m.status) for m in few} == {(None, TOO_FEW, "O")}
    assert all(m.low is not None for m in few)
    assert wide(document, ABOUT).column("count mark") == [NOT_ASKED, NOT_ASKED, None]


def test_found_keys_have_no_row_for_what_was_not_shown():
    """Where nobody can list the groups, an absent one is not told; beside others it is marked."""
    keys = {"k": dp.unknown(max_groups=1), "s": ["f", "m"]}
    table = dp.table([{"k": "a", "s": "f"}] * 900, unit="row", keys=keys, name="wards")
    rule = dp.publish(at_least=1)
    plan = dp.plan(
        table, dp.count(by="k", publish=rule), dp.count(by="s"), spend=dp.approx(3, "1e-3")
    )
    document = dp.rehearse(plan).document
    shown = document.statistics[0].answer.rows

    assert len(marked(document, 0, ABOUT)) == len(shown)


def test_flags_stand_in_every_form():
    """In the long table as the last column, in a wide one as marks; the numbers are the same."""
    release, words = Release(small()), dp.about(reliability=FLAGS)
    long, side = release.table(about=words), release.table(about=words, form="wide")
    marks = [mark for name in side.columns if name.endswith(" mark") for mark in side.column(name)]

    assert long.columns[-4:] == ("value", "low", "high", "flag")
    assert long.column("value") == release.table().column("value")
    assert long.column("flag").count("E") == marks.count("E") > 0


def test_a_question_is_crossed_without_totals():
    """Each number at its keys; a bin by its words; a place without a number has its mark."""
    document = ruled()
    release = Release(document)
    table = release["count by k and s"].crossed("k", "s")

    assert table.row_keys == (("a",), ("b",), ("=1+1",), ("none",), ("rest",))
    assert table.cells[2] == ((448, 445, 451), (None, None, None))
    assert table.marks[2] == ("", HIDDEN)
    assert "[c]: not shown" in str(table)
    bins = release["histogram x by s"].crossed("s", "x")
    assert bins.column_keys == (("0 to 3",), ("3 to 6",), ("6 to 9",))
    assert bins.long().columns == ("s", "x", "value", "low", "high", "mark")
    only = release["count by k and s"].crossed("k", s="f")
    assert [line[0][0] for line in only.cells] == [None, None, 448, 728, None]
    for sides in ({}, {"rows": "k"}, {"rows": ["k", "s"], "columns": "s"}, {"rows": "k", "s": "x"}):
        with pytest.raises(InputError):
            release["count by k and s"].crossed(**sides)


def test_a_question_of_rows_in_all_is_crossed_too():
    """A mean's decimals are those of its interval."""
    table = Release(small())["mean cost by acute"].crossed("acute")

    assert [key for (key,) in table.row_keys] == [True, False]
    assert "all" in str(table)
