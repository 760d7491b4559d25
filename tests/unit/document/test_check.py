"""A document of which one number in the middle of a long column is wrong is refused, whatever it is.

Long columns are checked in bulk (`document/rows.py`), so that each kind of fault is planted where a
check of the first or last cell would not see it.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from discreet.document.check import checked_document
from discreet.document.document import Document
from discreet.errors import InputError
from discreet.plans.plan import plan
from discreet.privacy.loss import zcdp
from discreet.releases.release import load
from discreet.schema import bounds, table
from discreet.statistic.count import count
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_
from unit.report_documents import made, whole

Change = Callable[[dict[str, Any]], object]

MANY = 60
HERE = 31  # the place of the fault, in a column of MANY
COUNT, SUM, HISTOGRAM, MEAN, MEANS = range(5)


class Raw(str):
    """JSON that Python would not write."""

    __slots__ = ()


@cache
def long() -> Document:
    """Return a release whose every answer has MANY rows, or twice as many."""
    plain = table(
        [],
        unit="row",
        columns={"x": bounds(0, 10, step="0.001"), "y": bounds(-5, 5, step="0.001")},
        keys={"k": range(1_000, 1_000 + MANY), "odd": [True, False]},
        name="t",
    )
    asked = plan(
        plain,
        count(by="k"),
        sum_("x", by=["odd", "k"]),
        histogram("x", bins=MANY),
        mean("x", by="k"),
        mean(["x", "y"], by="k"),
        spend=zcdp("1/50"),
    )
    return made(asked, size=90_000)


def cell(at: int, place: int, to: Any, *, row: int = HERE) -> Change:
    """Return a change of one cell of an answer."""

    def change(plain: dict[str, Any]) -> None:
        plain["statistics"][at]["answer"]["rows"][row][place] = to

    return named(change, f"{at}[{row}][{place}]={to!r}")


def rows(at: int, change_rows: Callable[[list[Any]], object], name: str) -> Change:
    """Return a change of the rows of an answer."""

    def change(plain: dict[str, Any]) -> None:
        answer = plain["statistics"][at]["answer"]
        found = change_rows(answer["rows"])
        answer["rows"] = answer["rows"] if found is None else found

    return named(change, f"{at} {name}")


def noisy(to: Any, *, at: int = COUNT) -> Change:
    """Return a change of one integer of a vector."""

    def change(plain: dict[str, Any]) -> None:
        plain["statistics"][at]["vectors"][0]["noisy"][HERE] = to

    return named(change, f"noisy={to!r}")


def vector(part: str, to: Callable[[Any], Any], name: str) -> Change:
    """Return a change of a part of a vector."""

    def change(plain: dict[str, Any]) -> None:
        found = plain["statistics"][COUNT]["vectors"][0]
        found[part] = to(found[part])

    return named(change, f"{part} {name}")


def named(change: Change, name: str) -> Change:
    change.__name__ = name[:60]
    return change


def swapped(found: list[Any]) -> None:
    found[HERE], found[HERE + 1] = found[HERE + 1], found[HERE]


def other_row(to: Any) -> Callable[[list[Any]], None]:
    return lambda found: found.__setitem__(HERE, to)


NUMBERS = (
    *(True, False, "5", "", [], [5], {}, {"5": 5}),
    *(float("nan"), float("inf"), float("-inf"), Raw("1e999"), Raw("-1e999")),
    *(10**301, -(10**301), 1e301, Raw("1" * 5_000), Raw("0x10"), Raw("05"), Raw("+5"), Raw("5.")),
)
CHANGES = (
    # value, low and high of a count, a sum, a bin, a mean and one of several means
    *(cell(COUNT, 1, number) for number in NUMBERS),
    *(cell(SUM, 2, number) for number in NUMBERS),
    *(cell(MEANS, 2, number) for number in NUMBERS),
    *(cell(at, -2, number) for at in (COUNT, MEAN) for number in (None, *NUMBERS)),
    *(cell(at, -1, number) for at in (HISTOGRAM, MEANS) for number in (None, *NUMBERS)),
    cell(COUNT, -2, 10**9),
    cell(MEAN, -1, -1e9),
    # edges of a bin
    *(cell(HISTOGRAM, 0, number) for number in (None, *NUMBERS)),
    cell(HISTOGRAM, 1, None),
    # keys
    *(cell(COUNT, 0, key) for key in (0, True, None, "1031", 1031.0, 10**400, [1031], 1032)),
    *(cell(SUM, 0, key) for key in (False, 1, 0, None, "true")),
    *(cell(MEANS, 1, name) for name in ("x", "z", 1, None, True, ["y"])),
    # rows
    rows(COUNT, other_row([]), "an empty row"),
    rows(COUNT, other_row([1031, 1, 0]), "a short row"),
    rows(COUNT, other_row([1031, 1, 0, 2, 3]), "a long row"),
    rows(COUNT, other_row("1031"), "a text for a row"),
    rows(COUNT, other_row({"0": 1031, "1": 1, "2": 0, "3": 2}), "an object for a row"),
    rows(COUNT, other_row(None), "no row"),
    rows(COUNT, other_row([[1031, 1, 0, 2]]), "a row in a row"),
    rows(COUNT, lambda found: found.pop(HERE), "one row fewer"),
    rows(COUNT, lambda found: found.insert(HERE, found[HERE]), "one row more"),
    rows(COUNT, lambda found: [*found, *found], "all rows twice"),
    rows(COUNT, lambda found: [*found[:HERE], found[0], *found[HERE + 1 :]], "a group twice"),
    rows(COUNT, lambda found: found[::-1], "rows backward"),
    rows(COUNT, swapped, "two rows swapped"),
    rows(SUM, swapped, "two rows swapped"),
    rows(MEANS, swapped, "two rows swapped"),
    rows(COUNT, lambda found: [[*row, 0] for row in found], "a column more"),
    rows(COUNT, lambda found: [row[:-1] for row in found], "a column fewer"),
    rows(COUNT, lambda found: [row[1:] for row in found], "no keys"),
    rows(COUNT, lambda found: [[] for _ in found], "rows without cells"),
    rows(COUNT, lambda found: dict(enumerate(found)), "an object of rows"),
    rows(COUNT, lambda found: list(map(list, zip(*found, strict=True))), "columns for rows"),
    # integers
    *(noisy(number) for number in (None, 5.0, 1e5, *NUMBERS) if type(number) is not int),
    vector("noisy", lambda found: found[:-1], "one fewer"),
    vector("noisy", lambda found: [*found, 0], "one more"),
    vector("noisy", lambda found: [found], "in a list"),
    vector("noisy", lambda found: {"0": found}, "in an object"),
    vector("noisy", lambda _: "1" * MANY, "as a text"),
    vector("noisy", lambda _: None, "missing"),
    vector("cells", lambda _: True, "true"),
    vector("cells", float, "a double"),
    vector("cells", str, "a text"),
    vector("cells", lambda found: found + 1, "one more"),
)


TEXT = long().text()


def text_of(plain: dict[str, Any]) -> str:
    """Return the JSON of a document, what Python would not write included."""
    raw: list[Raw] = []

    def marked(value: Any) -> Any:
        if isinstance(value, Raw):
            raw.append(value)
            return f"@{len(raw) - 1}@"
        if isinstance(value, dict):
            return {name: marked(item) for name, item in value.items()}
        return [marked(item) for item in value] if isinstance(value, list) else value

    text = json.dumps(marked(plain))
    for at, found in enumerate(raw):
        text = text.replace(f'"@{at}@"', found)
    return text


def test_the_long_release_itself_is_read(tmp_path):
    """Without a fault it is accepted, so that what is refused below is refused for its fault."""
    (tmp_path / "release.json").write_text(text_of(json.loads(long().text())))

    assert load(tmp_path).document == long()
    assert checked_document(whole().text()) == whole()


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C18")
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: ascii(change.__name__))
def test_a_fault_in_the_middle_is_refused(change, tmp_path):
    """`load` refuses each of them in three lines that quote nothing of it."""
    plain = json.loads(TEXT)
    change(plain)
    (tmp_path / "release.json").write_text(text_of(plain))

    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert len(str(caught.value).split("\n")) == 3
    assert "1031" not in str(caught.value)


def test_the_table_of_faults_stays_long():
    """At least forty, none of them twice."""
    names = [change.__name__ for change in CHANGES]

    assert len(set(names)) == len(names) > 40
