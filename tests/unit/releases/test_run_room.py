"""The room that is kept for an answer: enough for the widest, and known from the plan alone."""

from fractions import Fraction
from itertools import cycle

import pytest

import discreet as dp
from adversarial.moves import options
from adversarial.rivers import ROWS, planned, started
from discreet.aggregate import Noisy
from discreet.document.document import LedgerEntry
from discreet.errors import InputError
from discreet.plans import size
from discreet.releases import run as river
from discreet.releases.document import compose
from discreet.releases.run import room_of
from discreet.statistic.catalog import LISTED, statistic_of
from discreet.sums import ROWS as ROWS_AT_MOST
from discreet.sums import added, largest

KEYS = {
    "ward": ["A", 'a "quoted", long and ünïcödé name', "\x01\n\t"],
    "floor": list(range(-3, 60)),  # so many that the slack of a document does not count
    "ok": [True, False],
}
COLUMNS = {
    "cost": dp.bounds("-0.001", "1000000.5", step="0.0005"),
    "ünï": dp.bounds(10**6, 10**6 + 1, step=1),
}
REQUEST = "Größe \U0001f600 'x'"
WIDEST = Fraction(1, 2**100)


def table(**changes):
    usual = {"name": "vïsits", "unit": dp.unit("who", max_rows=3)}
    return dp.table([], columns=COLUMNS, keys=KEYS, **{**usual, **changes})


def entry(seq=123_456_789):
    return LedgerEntry(id="0" * 16, subject="vïsits", seq=seq, hash="f" * 64)


def most(found, vector) -> int:
    """How far all numbers of a vector can be from zero, together, with as many rows as may be."""
    sums = [pair for measure in vector.measures for pair in added(measure)]
    total = ROWS_AT_MOST * sum(abs(factor) * largest(found, one) for factor, one in sums)
    return total * max(vector.transform.matrix.sizes()) if vector.transform else total


def length(plan, numbers) -> int:
    """How many bytes the document takes with these integers for noisy numbers, over and over.

    Numbers are longest together where each has an equal part of what all may add up to.
    """
    noisy = []
    for found, law in zip(plan.aggregates, plan.laws, strict=True):
        cells = found.size(plan.table)
        wide = most(plan.table, found) // cells + law.half_width(WIDEST)
        if found.choice:  # what is chosen is a place, and no number with noise
            wide, numbers = found.bins.count - 1, [abs(number) for number in numbers]
        some = cycle(round(number * wide) for number in numbers)
        noisy.append(Noisy(tuple(next(some) for _ in range(cells))))
    made = compose(
        plan, noisy, request=REQUEST, created="2026-11-03T10:00:00+00:00", ledger=entry()
    )
    return len(made.text().encode())


NUMBERS = {
    "widest": [Fraction(1)],
    "widest below zero": [Fraction(-1)],
    "one of each": [Fraction(1), Fraction(-1), Fraction(1, 3), Fraction(1, 10**12), Fraction(0)],
}
BYS = [["ok", "ward", "floor"], ["ward"], None]
SPENDS = [
    (dp.pure("1/1000"), "replace"),
    (dp.zcdp(10), "add_remove"),
    (dp.approx("1/2", "1e-9"), "replace"),
]


def questions(name, turn):
    """Every option with one of the groupings, by turns: in three turns each with all three."""
    bins = [30] if name != "histogram" else [1, 30, [10**6, 10**6 + 1]]
    own = options(name, table(), bys=[None], columns=list(COLUMNS), bins=bins, limits=[None])
    for at, plain in enumerate(own):
        every = {**plain, "by": BYS[(turn + at) % len(BYS)]}
        yield {key: value for key, value in every.items() if value is not None}


@pytest.mark.exhaustive
@pytest.mark.claim("C36")
@pytest.mark.slow
@pytest.mark.parametrize(("spend", "neighbors"), SPENDS, ids=str)
@pytest.mark.parametrize("name", [name for name, one in LISTED.items() if not one.chooses])
def test_the_widest_answer_fits_into_its_room(name, spend, neighbors):
    """Every statistic of the catalog, odd keys and names, numbers as wide as any.

    Each option meets each grouping, and each spend with its relation, but one grouping at a spend.
    """
    asked = 0
    for plain in questions(name, SPENDS.index((spend, neighbors))):
        try:
            plan = dp.plan(table(neighbors=neighbors), statistic_of(plain), spend=spend)
        except InputError:
            continue
        kept = room_of(plan, REQUEST, "vïsits", "0" * 16)
        others = list(NUMBERS)[1:]
        for numbers in ("widest", others[asked % len(others)]):
            assert length(plan, NUMBERS[numbers]) <= kept, (plain, numbers)
        asked += 1
    assert asked


@pytest.mark.claim("C36")
@pytest.mark.slow
@pytest.mark.parametrize(
    "questions",
    [[dp.count(by="k")], [dp.count(by="k"), dp.mean("x", by="k")], [dp.histogram("x", bins=3000)]],
    ids=["counts", "means", "bins"],
)
def test_the_room_is_no_more_than_some_times_the_answer(questions):
    """Long answers, of numbers as people have them: at most five times."""
    found = dp.table(
        [], name="x", unit="row", columns={"x": dp.bounds(0, 3000, step=1)}, keys={"k": range(3000)}
    )
    plan = dp.plan(found, *questions, spend=dp.zcdp("1/50"))
    noisy = [Noisy((1234,) * a.size(found)) for a in plan.aggregates]
    made = compose(plan, noisy, request="r", created="2026", ledger=entry())

    assert len(made.text()) <= room_of(plan) <= 5 * len(made.text())


@pytest.mark.claim("C36")
@pytest.mark.slow
def test_the_room_does_not_depend_on_the_data(tmp_path):
    """No rows, some, or many: the charge is the same but for its random name and the clock."""
    rooms = []
    for number, rows in enumerate(([], ROWS, ROWS * 50)):
        ledger = started(tmp_path, name=f"{number}.ledger")
        plan = planned(list(rows))
        dp.run(plan, ledger=ledger)
        charge = ledger.book().entries[0]
        rooms.append((charge.room, charge.events, ledger.path.stat().st_size))

    assert rooms[0] == rooms[1] == rooms[2]
    assert rooms[0][0] > 1000


@pytest.mark.claim("C36")
@pytest.mark.slow
def test_an_answer_that_is_wider_than_its_room_is_stored_behind(tmp_path, monkeypatch):
    """Where the room is too small, nothing is cut: the rest follows, and the repeat is the same."""
    monkeypatch.setattr(river, "room_of", lambda plan, *texts: 700)
    ledger = started(tmp_path)
    plan = planned(list(ROWS))

    first = dp.run(plan, ledger=ledger)

    assert len(first.document.text()) > 700
    assert dp.run(plan, ledger=ledger).document.text() == first.document.text()
    assert ledger.verify() == []


def test_a_room_for_half_of_the_digits_is_caught(monkeypatch):
    """The check has power: the widest answer does not fit where numbers are taken to be short."""
    groups, digits = dp.count(by=["ward", "floor", "ok"]), size._digits
    right = dp.plan(table(), groups, spend=dp.pure("1/1000"))
    assert length(right, [1]) <= room_of(right, REQUEST)

    monkeypatch.setattr(size, "_digits", lambda *parts: digits(*parts) // 2)

    wrong = dp.plan(table(), groups, spend=dp.pure("1/1000"))  # a plan is bounded once
    assert length(wrong, [1]) > room_of(wrong, REQUEST)
