"""Frequent pairs of two columns, each of whose cells may be rare: from a plan file to a checked page."""

import json
import random
import re

import pandas as pd
import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.errors import VerifyError
from discreet.report.words import rows as said_of_rows

pytestmark = pytest.mark.claim("C130")

PLAN = """
[data]
source = "trips.csv"
unit = { column = "who", max_rows = 10 }
[columns]
minutes = { lower = 0, upper = 60, step = "0.5" }
[keys.trip]
unknown = true
of = ["start", "end"]
max_groups = 4
other = "elsewhere"
[spend]
epsilon = 4
delta = "1e-6"
[[ask]]
statistic = "count_units"
by = "trip"
[[ask]]
statistic = "mean"
column = "minutes"
by = "trip"
max_rows_per_group = 1
[[ask]]
statistic = "median"
column = "minutes"
by = "trip"
max_rows_per_group = 1
"""
LINES = 40  # each from a stop of its own to one of its own, and one that is an attack


def trips(people=4_000):
    """People, and three lines of each, each with a start and an end that no other has."""
    chance = random.Random(3)
    evil = ("=1+1", "<script>alert(1)</script>")
    ends = [evil, *((f"stop {n}", f"place | {n}") for n in range(1, LINES))]
    return pd.DataFrame(
        [
            {"who": f"p{person}", "start": start, "end": end, "minutes": 10 + line % 30}
            for person in range(people)
            for line in {chance.randrange(LINES) for _ in range(3)}
            for start, end in [ends[line]]
        ]
    )


def test_pairs_are_found_counted_and_checked(tmp_path, capsys):
    """By the command line: two columns that no question lists, and all others in one row."""
    trips().to_csv(tmp_path / "trips.csv", index=False)
    (tmp_path / "plan.toml").write_text(PLAN)

    def said(*words):
        assert main([*words]) == 0
        return capsys.readouterr().out

    plan, book = str(tmp_path / "plan.toml"), str(tmp_path / "trips.ledger")
    said("ledger", "init", book, "--epsilon", "4", "--delta", "1e-5", "--subject", "trips.csv")
    assert "Made of each row: trip, the texts of start and end." in said("plan", plan)
    assert "REHEARSAL" in said("rehearse", plan)
    assert "keys of trip" in said(
        "forecast", plan, "--units", "4000", "--keys", "40", "--each", "3"
    )
    out = tmp_path / "trips.release"
    said("release", plan, "--ledger", book, "--out", str(out))
    assert "thresholds and price of finding trip" in said("verify", str(out), "--ledger", book)

    release = dp.load(out)
    shown = [row["trip"] for row in release["count_units by trip"].rows]
    assert "stop 7 | place || 7" in shown
    assert shown[-1] == "elsewhere"
    how = dp.unknown(max_groups=4, of=["start", "end"])
    assert how.parts("stop 7 | place || 7") == ("stop 7", "place | 7")
    means = {row["trip"]: row for row in release["mean minutes by trip"].rows}
    assert abs(means["stop 7 | place || 7"]["value"] - 17) < 8
    assert {*means} == {*shown}
    assert "=1+1 | <script>alert(1)</script>" in shown
    page = (out / "report.html").read_text("utf-8")
    assert "<script>alert" not in page
    cells = "".join(file.read_text("utf-8") for file in out.glob("*.csv"))
    assert not re.search(r"(^|,)\"?=1", cells, flags=re.MULTILINE)


def test_what_a_key_is_made_of_is_part_of_the_plan(tmp_path):
    """Another order of the columns is another plan; a release that was changed does not check."""

    def declared(*of):
        return dp.table(
            trips(2_000),
            unit=dp.unit("who"),
            keys={"trip": dp.unknown(max_groups=3, of=of)},
            name="trips",
        )

    one, other = (
        dp.plan(declared(*of), dp.count_units(by="trip"), spend=dp.approx(4, "1e-6"))
        for of in (("start", "end"), ("end", "start"))
    )
    assert one.digest != other.digest
    assert one.costs == other.costs
    release = dp.run(one, ledger=dp.ledger(tmp_path / "trips.ledger", budget=dp.approx(4, "1e-5")))
    assert any("“start” and “end”" in said for said in said_of_rows(one.table))
    plain = json.loads(release.document.text())
    plain["plan"]["table"]["unknown"]["trip"]["of"] = ["end", "start"]
    (tmp_path / "changed.json").write_text(json.dumps(plain))
    with pytest.raises(VerifyError):
        dp.verify(tmp_path / "changed.json")


def test_pairs_stand_beside_each_part_alone(tmp_path):
    """Three unknown columns, of which one is made of the two others; each takes its share."""
    rows = trips(2_000)
    part = {"max_groups": 3, "share": "1/6"}
    known = dp.table(
        rows,
        unit=dp.unit("who", max_rows=10),
        keys={
            "trip": dp.unknown(of=["start", "end"], **part),
            "start": dp.unknown(**part),
            "line": [1],
        },
        name="trips",
    )
    asked = dp.plan(
        known, dp.count_units(by="trip"), dp.count_units(by="start"), spend=dp.approx(9, "1e-5")
    )
    release = dp.run(asked, ledger=dp.ledger(tmp_path / "l", budget=dp.approx(9, "1e-4")))
    starts = {row["start"] for row in release["count_units by start"].rows}
    pairs = {row["trip"] for row in release["count_units by trip"].rows}

    assert {"stop 1", "stop 2", "other"} <= starts
    assert {"stop 1 | place || 1", "other"} <= pairs
