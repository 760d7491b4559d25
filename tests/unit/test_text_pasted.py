"""What a declaration, a loss or a question says of itself is the call that makes it again."""

import os
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.privacy.loss import Loss
from discreet.schema import ROW, table_of
from discreet.statistic.catalog import LISTED, statistic_of
from discreet.text import pasted
from property.strategies import declared
from unit.report_documents import HOSTILE

NUMBERS = st.fractions(0, 10**6, max_denominator=10**9)
CHANCES = st.fractions(0, Fraction(999, 1000), max_denominator=10**9)
NAMES = st.text(min_size=1, max_size=9).filter(lambda text: "\0" not in text) | st.sampled_from(
    [name for name in HOSTILE if name and "\0" not in name]
)
NAMES = NAMES.filter(lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text))
SOURCE = pd.DataFrame({"secret": ["canary-4711"]})


def again(thing):
    """The object that its own text makes."""
    return eval(repr(thing), {"discreet": discreet, "source": SOURCE})


@pytest.mark.claim("C452")
@pytest.mark.slow
@given(NUMBERS, CHANCES)
def test_a_loss_is_pasted_exactly(number, chance):
    """To the last digit, whatever its kind; only the purses of a ledger are made by no call."""
    made = [
        discreet.pure(number),
        discreet.zcdp(number),
        discreet.gdp(mu2=number),
        discreet.approx(number, chance),
        discreet.zcdp(number, delta=chance),
        discreet.gdp(mu2=number, delta=chance),
    ]

    assert [again(loss) for loss in made] == made
    assert repr(Loss("purses", (number, number, chance))).startswith("<Loss ")


@pytest.mark.claim("C452")
@pytest.mark.slow
@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.sampled_from([1, 7, 100]), st.data())
def test_bounds_are_pasted_exactly(low, width, parts, data):
    """Numbers, with a step or without, days, moments, and what a missing cell counts as."""
    step = Fraction(1, parts)
    missing = data.draw(st.none() | st.just(low))
    made = [
        discreet.bounds(low, low + width, step=step, missing=missing),
        discreet.bounds(Fraction(low, parts), Fraction(low + width, parts), step=step),
        discreet.bounds(low, low + width),
        discreet.bounds("1990-01-01", date(2024, 1, 1), missing="2000-01-01"),
        discreet.bounds("1990-01-01 08:00:00", "2024-12-31 23:59:59"),
    ]

    assert [again(limits) for limits in made] == made


@pytest.mark.claim("C452")
@pytest.mark.slow
@given(NAMES, st.lists(NAMES, min_size=2, max_size=4, unique=True))
def test_keys_and_units_are_pasted(name, texts):
    """Hostile names among them: each is text in Python's own quotation marks."""
    first, second = texts[:2]
    made = [
        discreet.keys(texts),
        discreet.keys(texts, other=f"{name}-other-x"),
        discreet.keys(range(3, 9), missing=-1, other=-2),
        discreet.keys({first: [f"{first}-1", f"{first}-2"], second: []}, missing=f"{name}-none"),
        discreet.unit(name),
        discreet.unit(name, max_rows=3, sampling="portable"),
        discreet.unknown(max_groups=3, share="1/3", other=name, of=["a", "b"]),
        discreet.levels(["region", name], rows=[["x", text] for text in texts])
        if name != "region"
        else ROW,
        discreet.derived("floor(age / 10)", keys=range(2, 9), bounds=discreet.bounds(0, 12)),
        discreet.join("a/b.csv", gives=[name], key="k", csv={"decimal": ","}),
        discreet.owner("b.csv", on=name, gives=["u"], name="orders"),
    ]

    assert [again(thing) for thing in made] == made
    assert again(ROW) is ROW


@pytest.mark.claim("C452")
@pytest.mark.slow
@settings(deadline=None)
@given(st.booleans(), NAMES)
def test_a_table_is_pasted_with_all_that_is_declared(other, name):
    """Frames are called `source`; rows, joins, filters and derived columns come along."""
    first = replace(
        declared(SOURCE, unit=discreet.unit("who", max_rows=3), other=other),
        name=name.strip() or "t",
    )
    made = [
        first,
        first.derive(deca=discreet.derived("cost * 2", keys=[0, 2, 4])).where("floor = 1"),
        first.joined(discreet.join("p.csv", gives=["age"])),
        discreet.table(
            ["a.csv", "b.csv"], unit="row", rows=30, neighbors="replace", csv={"decimal": ","}
        ),
        discreet.table(
            "a.csv", unit=discreet.unit("u"), units=3, rows=9, vouched="of one row each"
        ),
        discreet.table([{"secret": "canary-4711"}], unit="row", name=name.strip() or "t"),
    ]

    assert [again(table) for table in made] == made
    assert not any("canary" in repr(table) or "secret" in repr(table) for table in made)
    same = made[:-1]  # how a list of dicts is read is said beside it
    assert [again(table).plain() for table in same] == [table.plain() for table in same]


def every_question():
    table = declared([], unit=discreet.unit("who", max_rows=3))
    for name, one in LISTED.items():
        for options in one.examples(table):
            for by in ([], ["ward"], ["floor", "ward"]):
                yield name, {**options, "by": by} if "by" not in options else options


@pytest.mark.claim("C452")
def test_every_question_is_pasted():
    """Each statistic that is listed, with the options that try it, and with shared ones."""
    made = []
    for name, options in every_question():
        try:
            question = statistic_of({"statistic": name, **options})
        except discreet.errors.InputError:
            continue  # it takes no groups
        made.append(question)
    made += [
        discreet.count(by="k", within="5%", rows=200, where="x > 'a''b'", max_groups=3),
        discreet.cube(["a", discreet.levels(["r", "z"], rows=[["N", "1"], ["S", "2"]])]),
        discreet.mean(["a", "b"], ball=3),
        discreet.count(by="k", publish=discreet.publish(at_least=90, round_to=5)),
        discreet.quantile("x", [0.25, "1/3"]),
    ]

    assert {type(question).__name__ for question in made} >= {"Count", "Cube", "Quantile", "Mean"}
    assert [again(question).plain() for question in made] == [one.plain() for one in made]
    assert [again(question) for question in made] == made


@pytest.mark.claim("C452")
def test_found_keys_stand_in_no_repr():
    """They are of the data: a declaration says that they are to be found."""
    table = discreet.table("a.csv", unit="row", keys={"film": discreet.unknown(max_groups=1)})
    seen = table.with_keys("film", ["canary-4711"])

    assert "canary" not in repr(seen)
    assert again(seen) == table


@pytest.mark.claim("C452")
def test_keys_in_a_file_are_pasted_as_the_file(tmp_path, monkeypatch):
    """Not as what it lists; what was read of a release, without its path, lists them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zips.csv").write_text("zip\n02134\n02139\n")
    keys = discreet.keys(file="zips.csv", column="zip", other="other")
    table = discreet.table("p.csv", unit="row", keys={"zip": keys, "k": ["a"]})

    assert "02134" not in repr(keys) + repr(table)
    assert (again(keys), again(table)) == (keys, table)
    assert again(table).plain() == table.plain()
    assert again(table_of(table.plain(), "p.csv")) == table


def test_what_cannot_be_pasted_is_one_short_line():
    """Too long a list, or a part of one: the line says so by its angle brackets."""
    many = discreet.keys([f"key {n}" for n in range(2_000)], other="other")
    table = discreet.table("a.csv", unit="row", keys={"k": many})
    sentence = pasted("<Unit a>", "discreet.unit", "x" * 10_001)

    assert repr(many) == "<WithOther 2,000 keys>"
    assert repr(table) == "<Table a.csv: k; unit one row>"
    assert sentence == "<Unit a>"


def test_a_path_is_pasted_as_text():
    """Whatever class it is of."""
    from pathlib import Path

    assert again(discreet.table(Path("a") / "b.csv", unit="row")).source == os.path.join(
        "a", "b.csv"
    )
