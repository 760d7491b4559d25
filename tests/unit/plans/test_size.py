"""What could not be loaded again is refused by `plan`; what was planned can be shown."""

from fractions import Fraction
from functools import cache
from itertools import cycle

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.document.document import Document, LedgerEntry, canonical
from discreet.plans import size
from discreet.plans.plan import Plan, plan, plan_of
from discreet.releases.document import compose
from discreet.report import bundle
from discreet.report.page import page
from discreet.report.panels import ROWS_SHOWN
from discreet.sums import added, largest
from unit.report_documents import hostile, made, small, whole

KEYS = ["", "é" * 30, '"\\\n', "😀", *(f"a longer key {i}" for i in range(40))]
ODD = dp.table(
    [],
    unit=dp.unit("person", max_rows=9),
    columns={
        "x": dp.bounds(-(10**12), 10**12, step="0.001"),
        "é" * 50: dp.bounds(0, "1e-9", step="1e-11"),
        "third": dp.bounds("-1/3", "1/3", step="1/3"),
        "one": dp.bounds(0, 1, step=1),
    },
    keys={"k": KEYS, "whole": [1 - 2**53, 0, 2**53 - 1], "flag": [True, False]},
    name="a name " * 40,
)
ASKED = (
    dp.count(),
    dp.count(by="k"),
    dp.count_units(by=["whole", "flag", "k"]),
    dp.sum("x", by="whole"),
    dp.sum("é" * 50, by="k"),
    dp.mean("x", by="k"),
    dp.mean("third"),
    dp.mean(["third", "one", "é" * 50], by="flag"),
    dp.mean(["one", "é" * 50], by="k", weight=3),
    dp.variance("x", by="flag"),
    dp.std("third", by="k"),
    dp.histogram("x", bins=200),
    dp.histogram("é" * 50, by="k", bins=7),
    dp.histogram("third", bins=["-1/3", 0, "1/3"], by="whole"),
    dp.regression("one", ["x", "é" * 50], by="k"),
    dp.correlation(["one", "é" * 50, "third"], by="flag"),
    dp.quantile("x", at=["1/3", "2/3"], by="k"),
)
SPENDS = (
    dp.pure(1),
    dp.zcdp("1/50"),
    dp.approx(1, "1e-6"),
    dp.pure("1e-30"),
    dp.zcdp("1e-60"),
    dp.zcdp(1000),
)


def widest(asked: Plan, *, where: str) -> Document:
    """Return a release of data of ROWS rows, with noise at the end of what is to be expected."""
    noisy = []
    for one, law in zip(asked.aggregates, asked.laws, strict=True):
        cells, noise = one.size(asked.table), law.half_width(Fraction(1, 2**100))
        most = size.ROWS * sum(
            abs(factor) * largest(asked.table, summed)
            for measure in one.measures
            for factor, summed in added(measure)
        )
        truths = [most // cells] * cells
        if where == "one cell":
            truths = [most, *([0] * (cells - 1))]
        signs = cycle({"up": [1], "both ways": [-1, 1]}.get(where, [-1]))
        noisy.append(Noisy(tuple(s * (t + noise) for s, t in zip(signs, truths, strict=False))))
    entry = LedgerEntry(id="7f3a5c0012ab9def", subject=asked.table.name, seq=10**9, hash="ab" * 32)
    created = "2026-01-04T09:00:00+00:00"
    return compose(asked, noisy, request="😀" * size.MOST_NAME, created=created, ledger=entry)


@pytest.mark.exhaustive
@pytest.mark.claim("C18")
@pytest.mark.slow
@pytest.mark.parametrize("where", ["up", "down", "both ways", "one cell"])
@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_no_release_is_longer_than_its_plan_says(spend, where):
    """Each question alone, and all together, at the largest data and noise there can be."""
    for asked in [*([one] for one in ASKED), ASKED]:
        found = plan(ODD, *asked, spend=spend, alpha="1e-9")
        release = widest(found, where=where)

        check_questions(release)
        assert len(release.text()) <= size.bytes_up(found)


@pytest.mark.parametrize("document", [small(), whole(), hostile()], ids=["small", "whole", "bad"])
def test_the_bound_is_not_far_from_the_truth(document):
    """A constant apart, at most four times what a release of small numbers takes."""
    fixed = size._SKELETON + size._ESCAPED * size.MOST_NAME

    assert len(document.text()) <= size.bytes_up(plan_of(document.plan))
    assert size.bytes_up(plan_of(document.plan)) <= fixed + 4 * len(document.text())


FAULTS = {
    "digits": ("_digits", lambda *_: 3),
    "edges": ("_real", lambda *_: 3),
    "keys": ("_listed", lambda _: 0),
    "doubles": ("_REAL", 9),
    "the rows there may be": ("ROWS", 1),
}


def check_questions(found: Document) -> None:
    """Refuse a bound that any question of a release is longer than, its own words apart."""
    asked = plan_of(found.plan)
    facts = size._Facts(asked)
    for line, released in zip(asked.lines, found.statistics, strict=True):
        words = len(canonical(released.question))
        assert len(canonical(released)) <= size._question(line, facts) + words


@cache
def longest_checked() -> Document:
    """A release of every question, which the bound of ours holds."""
    longest = widest(plan(ODD, *ASKED, spend=dp.pure(1)), where="up")
    check_questions(longest)
    return longest


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_a_bound_that_forgets_a_part_is_caught(fault, monkeypatch):
    """The check has power: digits, edges, keys, doubles, or that there may be many rows."""
    longest = longest_checked()
    monkeypatch.setattr(size, *fault)

    with pytest.raises(AssertionError):
        check_questions(longest)


def of_keys(number: int, **given: object) -> Plan:
    keys = {"k": range(number)}
    return dp.plan(dp.table([], unit="row", keys=keys), dp.count(by="k"), **given)


@pytest.mark.claim("C18")
@pytest.mark.slow
def test_four_million_keys_are_refused_before_they_are_paid():
    """With both numbers, why, and what to do; a million is planned."""
    assert of_keys(1_000_000, spend=dp.zcdp(1)).aggregates

    with pytest.raises(dp.errors.InputError) as caught:
        of_keys(4_000_000, spend=dp.zcdp(1))
    assert "may take 358 MB, and 268 MB can be loaded again" in caught.value.what
    assert "4,000,000 of them for count by k" in caught.value.why
    assert "about 2,9" in caught.value.fix
    with pytest.raises(dp.errors.InputError, match="can be loaded again"):
        of_keys(4_000_000, within=20)


@pytest.mark.claim("C18")
@pytest.mark.parametrize("name", ["a", "a.zip"])
def test_what_is_planned_can_be_loaded_and_what_cannot_is_not_planned(name, tmp_path, monkeypatch):
    """At every limit of reading: either the plan is refused, or the release comes back."""
    planned = set()
    for most in (10_000, 30_000, 60_000, 90_000, 120_000):
        monkeypatch.setattr(size, "MOST_BYTES", most)
        monkeypatch.setattr(bundle, "MOST_BYTES", most)
        try:
            asked = of_keys(900, spend=dp.zcdp(1))
        except dp.errors.InputError:
            planned.add((most, False))
            continue
        planned.add((most, True))
        path = bundle.save(made(asked, size=10**9), tmp_path / f"{most} {name}")
        assert bundle.load_document(path) == made(asked, size=10**9)
    assert {was for _, was in planned} == {True, False}


@pytest.mark.claim("C18")
def test_a_request_with_an_endless_name_is_refused_and_nothing_is_charged(tmp_path):
    """The release repeats the name."""
    book = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(1))
    asked = dp.plan(dp.table([{"a": 1}], unit="row", name="t"), dp.count(), spend=dp.zcdp("1/50"))

    with pytest.raises(dp.errors.InputError, match="more than 1,000"):
        dp.run(asked, ledger=book, request="x" * 1_001)
    assert str(book.left()) == "rho = 1"
    assert dp.run(asked, ledger=book, request="x" * 1_000).document.request == "x" * 1_000


def test_a_long_report_shows_some_hundred_rows_and_says_where_the_rest_is():
    """The page stays one that a browser opens; small answers are shown whole."""
    keys = {"k": range(20_000), "few": ["a", "b"]}
    asked = dp.plan(
        dp.table([], unit="row", keys=keys), dp.count(by="k"), dp.count(by="few"), spend=dp.zcdp(1)
    )
    text = page(made(asked))

    assert text.count('<th scope="row"><bdi>') == ROWS_SHOWN + 2  # and two lines on the noise
    assert f"{20_000 - ROWS_SHOWN + 2:,} more rows are in table.csv and table.parquet." in text
    assert len(text) < 500_000


@pytest.mark.slow
def test_a_report_of_more_questions_than_rows_shows_one_row_of_each():
    """It was a ValueError, after the charge."""
    many = ROWS_SHOWN + 9
    columns = {f"x{i}": dp.bounds(0, 10) for i in range(many)}
    asked = [dp.sum(name) for name in columns]
    text = page(made(dp.plan(dp.table([], unit="row", columns=columns), *asked, spend=dp.pure(1))))

    assert text.count('<section class="panel">') == many
    assert text.count('<td class="n value">') == many


@pytest.mark.slow
def test_a_release_that_packs_very_tightly_is_read_from_its_zip(tmp_path):
    """A key of ten million equal letters packs a thousand times smaller."""
    keys = {"k": ["a" * 10_000_000, "b"]}
    document = made(
        dp.plan(dp.table([], unit="row", keys=keys), dp.count(by="k"), spend=dp.pure(1))
    )

    assert bundle.load_document(bundle.save(document, tmp_path / "a.zip")) == document


def test_a_table_longer_than_a_spreadsheet_is_said_to_be(tmp_path, monkeypatch):
    """Who opens table.csv in one would lose rows without a word."""
    documents = [made(of_keys(number, spend=dp.zcdp(1))) for number in (10, 11)]
    assert bundle._SHEET_ROWS == 1_048_576

    monkeypatch.setattr(bundle, "_SHEET_ROWS", 11)
    short, long = (bundle.save(d, tmp_path / str(at)) for at, d in enumerate(documents))
    assert "spreadsheet" not in (short / "README.txt").read_text()
    assert "spreadsheet" in (long / "README.txt").read_text()
