"""A fix that is followed leads to a call with the meaning that was asked for, or to none."""

import copy
import pickle
from pathlib import Path

import pytest

import discreet as dp
from discreet.errors import InputError

TABLE = dp.table(
    "p.csv",
    unit=dp.unit("pid", max_rows=3),
    keys={"ward": ["Nord", "Ost"], "acute": [0, 1]},
    columns={"cost": dp.bounds(0, 900), "day": dp.bounds("2020-01-01", "2021-01-01")},
)
SPEND = dp.zcdp(1)


def fix_of(made):
    with pytest.raises(InputError) as caught:
        made()
    return caught.value.fix


def plan(*questions, **how):
    return dp.plan(TABLE, *questions, **{"spend": SPEND, **how})


FIXES = {
    "a unit": (lambda: plan(dp.count_units("pid")), "leave by out, for all rows: a group of one unit"),
    "two columns": (lambda: plan(dp.count("ward,acute")), 'write by=["ward", "acute"]'),
    "a formula": (
        lambda: plan(dp.count("month(day)")),
        'write table.derive(month=discreet.derived("month(day)", keys=range(1, 13))) and group by month',
    ),
    "a mean of texts": (lambda: plan(dp.mean("ward")), 'write discreet.count(by="ward"), because'),
    "edges": (lambda: dp.histogram("cost", edges=[0, 5]), "write bins in place of edges"),
    "a share": (lambda: dp.share, 'write release.share("count by ward")'),
    "a part of a count": (lambda: plan(dp.count(), within="5%"), "write rows=? in that question"),
    "days of csv": (
        lambda: dp.table("x.csv", unit="row", csv={"encoding": "latin-1", "days": "dd.mm.yyyy"}),
        'write csv={"encoding": "latin-1", "days": "%d.%m.%Y"}',
    ),
    "a day": (lambda: dp.bounds("31.1.1990", "2000-01-01"), 'write lower="1990-01-31"'),
    "thousands": (lambda: dp.bounds(0, "5.000,00"), 'write upper="5000.00"'),
    "a comma": (lambda: dp.bounds(0, "100,5"), 'write upper="100.5"'),
    "a comma of three": (lambda: dp.bounds(0, "2,000"), "write upper=?, as a number or as text"),
    "per cent of ranks": (lambda: dp.quantile("cost", at="95%"), 'write at="0.95"'),
    "per cent of misses": (lambda: plan(dp.count(), alpha="10%"), 'write alpha="0.10"'),
    "a named loss": (lambda: plan(dp.count(), spend="epsilon=1"), 'write spend=discreet.pure("1")'),
    "two of them": (
        lambda: plan(dp.count(), spend="epsilon=1, delta=1e-6"),
        'write spend=discreet.approx("1", "1e-6")',
    ),
    "no name": (lambda: plan(dp.count(), spend="0.5"), 'write spend=discreet.pure("0.5") for epsilon = 0.5, or'),
    "what is left": (
        lambda: plan(dp.count(within=1), dp.mean("cost"), spend=dp.zcdp("1/50")),
        "keeps the wanted errors, the rest is for mean cost",
    ),
    "join": (lambda: TABLE.join, 'write visits.joined(discreet.join("people.csv", gives=["sex"]))'),
    "run": (lambda: plan(dp.count()).run, 'write discreet.run(plan, ledger="visits.ledger")'),
    "to_pandas": (
        lambda: dp.rehearse(dp.plan(LISTED, dp.count(), spend=SPEND)).to_pandas,
        "write release.table().to_pandas()",
    ),
}  # fmt: skip
LISTED = dp.table([{"a": 1}], unit="row", name="t")


@pytest.mark.claim("C412")
def test_a_join_of_sql_is_answered_with_the_line_that_declares_one():
    """The first point in it was refused as a sign; what is shown can be asked of."""
    text = "SELECT p.sex, COUNT(*) FROM p JOIN people AS q ON p.pid = q.pid GROUP BY q.sex"
    fix = fix_of(lambda: dp.sql(text, TABLE))

    assert fix.startswith('write table.joined(discreet.join("people.csv", gives=["sex"])) for the')
    for of in ("p, people", "p, people AS q", "p AS a, people q"):
        name = "q" if of.endswith("q") else "people"
        comma = f"SELECT COUNT(*) FROM {of} WHERE p.pid = {name}.pid AND {name}.sex = 'f'"
        assert fix_of(lambda comma=comma: dp.sql(comma, TABLE)) == fix
    table = dp.table("p.csv", unit=dp.unit("pid", max_rows=3), keys={"sex": ["f", "m"]})
    joined = table.joined(dp.join("people.csv", gives=["sex"]))
    asked = dp.sql("SELECT sex, COUNT(*) FROM p GROUP BY sex", joined)
    assert dp.plan(*asked, spend=SPEND)
    for other in (
        "LEFT JOIN people USING (pid)",
        "NATURAL JOIN people",
        "JOIN people ON a.b = c.b",
        ", people",
    ):
        said = fix_of(lambda other=other: dp.sql(f"SELECT COUNT(*) FROM p {other}", TABLE))
        assert "discreet.join or discreet.owner" in said
    assert dp.sql("SELECT COUNT(*) FROM p WHERE ward = 'JOIN people ON'", NAMED)


NAMED = dp.table("p.csv", unit="row")


@pytest.mark.claim("C412")
def test_a_plan_of_rows_without_a_name_says_that_a_ledger_asks_for_one():
    """Before the run that would be refused; with a name, or of a file, it says nothing of it."""
    rows = [{"pid": 1}]
    asks = "say name=... in discreet.table"
    plans = [
        str(dp.plan(dp.table(rows, unit="row", **named), dp.count(), spend=SPEND))
        for named in ({}, {"name": "people"})
    ]

    assert [asks in " ".join(plan.split()) for plan in plans] == [True, False]
    assert asks not in str(dp.plan(NAMED, dp.count(), spend=SPEND))


@pytest.mark.parametrize(
    "spend", [dp.zcdp("1/50"), dp.pure("0.1"), dp.approx("0.1", "1e-6"), dp.gdp(mu2="0.01")]
)
@pytest.mark.parametrize("without", [1, 3])
def test_a_spend_that_is_advised_leaves_something_for_the_other_questions(spend, without):
    """What keeps the wanted errors alone left the others whatever was above it: nothing."""
    questions = [dp.count(within=1), *[dp.sum("cost")] * without][: 1 + without]
    questions = questions[:2] + [dp.mean("cost"), dp.median("cost")][: without - 1]
    with pytest.raises(InputError) as caught:
        plan(*questions, spend=spend)
    advised = caught.value.ways[1].settings["spend"]

    made = plan(
        *questions, spend=getattr(dp, advised.name.split(".")[1])(*advised.args, **advised.options)
    )

    prices = [line.costs[0].numbers[0] for line in made.lines]
    assert min(prices) * (without + 1) * 4 > max(prices)


@pytest.mark.claim("C363")
@pytest.mark.parametrize("ending", ["html", "json", "CSV", "parquet", "toml", "pdf", "xlsx"])
def test_a_release_is_not_saved_under_the_name_of_a_file(ending, tmp_path, monkeypatch):
    """A folder called r7.html opened no report; what is shown is saved."""
    monkeypatch.chdir(tmp_path)
    release = dp.rehearse(dp.plan(LISTED, dp.count(), spend=SPEND))

    fix = fix_of(lambda: release.save(f"r7.{ending}"))

    assert fix == 'write release.save("r7.release"), or release.save("r7.zip") for one file'
    assert [*tmp_path.iterdir()] == []
    for path in ("r7.release", "r7.zip", "r.7", "2026.11"):
        assert release.save(path).exists()


@pytest.mark.claim("C363")
def test_a_place_with_the_name_of_a_file_is_refused_before_the_charge(tmp_path, monkeypatch):
    """By the command that charges; what is shown is taken, and charged once."""
    from discreet.cli.cli import main

    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("sex\nf\n", encoding="utf-8")
    Path("a.toml").write_text(PLAN_FILE, encoding="utf-8")
    ledger = dp.ledger("a.ledger", budget=dp.zcdp(1))

    assert main(["release", "a.toml", "--out", "r7.html"]) == 2
    assert ledger.spent() == dp.zcdp(0)
    assert main(["release", "a.toml", "--out", "r7.release"]) == 0
    assert ledger.spent() == dp.zcdp("1/50")


PLAN_FILE = """\
title = "A"
[data]
source = "a.csv"
unit = "row"
[spend]
rho = "1/50"
ledger = "a.ledger"
[[ask]]
statistic = "count"
"""


@pytest.mark.parametrize("kind", FIXES)
def test_a_fix_says_what_was_meant(kind):
    """Where one thing can be meant, it is typed; where two can, nobody guesses."""
    made, fix = FIXES[kind]

    assert fix in fix_of(made)


def test_what_was_meant_is_taken():
    """The calls that the fixes type."""
    assert plan(dp.count_units())
    assert plan(dp.count(by=["ward", "acute"]))
    derived = TABLE.derive(band=dp.derived("month(day)", keys=[1, 2]))
    assert dp.plan(derived, dp.count("band"), spend=SPEND)
    assert plan(dp.count(rows=100), within="5%", spend=None)
    assert dp.bounds("1990-01-31", "2000-01-01")
    assert dp.table("x.csv", unit="row", csv={"decimal": "comma"}).csv.decimal == ","


def test_names_that_programs_look_for_stay_plain():
    """hasattr, copy and pickle are told as everywhere that nothing is there."""
    asked = plan(dp.count())

    assert not hasattr(asked, "run")
    assert not hasattr(TABLE, "__array__")
    assert getattr(TABLE, "merge", None) is None
    assert copy.copy(asked) == asked
    assert pickle.loads(pickle.dumps(SPEND)) == SPEND
