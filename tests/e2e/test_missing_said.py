"""What counts as missing because of how a source is read is said: in the plan, the report, README.txt."""

import json
from html import unescape

import pandas as pd
import polars as pl
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError, VerifyError

FAR = "Whole numbers of 2^53 or more count as missing in the pandas column u, unless they are text"
LIST = "t is a list of dicts, of which no names are public"
LINES = "In t a row counts if it has as many cells as the first line, and no line break in a cell unless csv says multiline."
RECORDS = "In t a row counts if it has as many cells as the first line."
ENDS = "A line of a CSV file ends as its first line does: in LF, or in CR LF."
STRAY = "A quotation mark that stays open can take all rows behind it with it."
ROWS = [{"u": n, "k": "ab"[n % 2]} for n in range(60)]


def csv(folder):
    pd.DataFrame(ROWS).to_csv(folder / "t.csv", index=False)
    return str(folder / "t.csv")


def parquet(folder):
    pd.DataFrame(ROWS).to_parquet(folder / "t.parquet")
    return str(folder / "t.parquet")


def packed(folder):
    pd.DataFrame(ROWS).to_csv(folder / "t.csv.gz", index=False)
    return str(folder / "t.csv*")


def made(folder):
    folder.mkdir()
    return folder


SAID = (FAR, LIST, LINES, RECORDS)
SOURCES = {
    "pandas": (lambda _: pd.DataFrame(ROWS), {}, FAR),
    "pandas Int64": (lambda _: pd.DataFrame(ROWS).convert_dtypes(), {}, None),
    "list": (lambda _: ROWS, {}, LIST),
    "csv": (csv, {}, LINES),
    "csv files": (lambda folder: [csv(folder)], {}, LINES),
    "csv by a glob": (lambda folder: csv(folder).replace("t.csv", "*.csv"), {}, LINES),
    "csv of many lines": (csv, {"csv": {"multiline": True}}, RECORDS),
    "csv without a quote": (csv, {"csv": {"quote": ""}}, RECORDS),
    "parquet": (parquet, {}, None),
    "parquet in a folder of that name": (lambda folder: parquet(made(folder / "of.csv")), {}, None),
    "csv, packed": (packed, {}, LINES),
    "polars": (lambda _: pl.DataFrame(ROWS), {}, None),
}


def released(source, folder, **how):
    """A plan over a source, and its release."""
    table = dp.table(source, name="t", unit=dp.unit("u", max_rows=1), keys={"k": ["a", "b"]}, **how)
    plan = dp.plan(table, dp.count("k"), spend=dp.pure(1))
    return plan, dp.run(plan, ledger=dp.ledger(folder / "t.ledger", budget=dp.pure(3)))


@pytest.mark.exhaustive
@pytest.mark.claim("C215")
@pytest.mark.parametrize("kind", SOURCES)
def test_it_stands_in_plan_report_and_readme(tmp_path, kind):
    """The same sentence, where it is true of the source, and nothing where it is not."""
    made, how, said = SOURCES[kind]
    plan, release = released(made(tmp_path), tmp_path, **how)
    release.save(tmp_path / "r")
    texts = [
        " ".join(str(plan).split()),
        " ".join((tmp_path / "r" / "report.html").read_text("utf-8").split()),
        " ".join((tmp_path / "r" / "README.txt").read_text("utf-8").split()),
    ]

    for text in texts:
        assert [one in text for one in SAID] == [one == said for one in SAID]
    dp.verify(tmp_path / "r")
    assert dp.load(tmp_path / "r")["count by k"].rows == release["count by k"].rows


@pytest.mark.parametrize(
    "read", [{"far": []}, {"far": [1]}, {"what": ["u"]}, ["u"], {"lines": "t"}]
)
def test_a_release_says_only_what_discreet_writes(tmp_path, read):
    """Words of somebody else's do not come in by it."""
    _, release = released(ROWS, tmp_path)
    release.save(tmp_path / "r")
    path = tmp_path / "r" / "release.json"
    plain = json.loads(path.read_text())
    plain["plan"]["table"]["read"] = read
    path.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")) + "\n")

    with pytest.raises((InputError, VerifyError)):
        dp.load(tmp_path / "r")


@pytest.mark.exhaustive
@pytest.mark.claim("C270")
@pytest.mark.parametrize("kind", ["csv", "list", "pandas", "parquet"])
@pytest.mark.parametrize("where", ["derived", "condition", "question"])
def test_days_in_text_are_said_wherever_they_are_read(tmp_path, kind, where):
    """In plan, report and README.txt, also where the condition of a question alone reads them.

    Of a list a condition of a question reads what is declared, and else is refused.
    """
    rows = [{**row, "born": "2020-01-03"} for row in ROWS]
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.assign(born=pd.to_datetime(frame["born"])).to_parquet(tmp_path / "t.parquet")
    source = {"list": rows, "pandas": frame}.get(kind, str(tmp_path / f"t.{kind}"))
    table = dp.table(source, name="t", unit=dp.unit("u", max_rows=1), keys={"k": ["a", "b"]})
    if where == "derived":
        table = table.derive(y=dp.derived("year(born)", keys=[2020, 2021]))
    if where == "condition":
        table = table.where("year(born) = 2020")
    question = dp.count("y") if where == "derived" else dp.count("k")
    question = dp.count("k", where="year(born) = 2020") if where == "question" else question
    if (kind, where) == ("list", "question"):
        table = table.derive(y=dp.derived("year(born)", keys=[2020, 2021]))
    plan = dp.plan(table, question, spend=dp.pure(1))
    dp.run(plan, ledger=dp.ledger(tmp_path / "t.ledger", budget=dp.pure(3))).save(tmp_path / "r")

    said = "Days and moments are read as 2026-11-03 and 2026-11-03 10:30:00 in born"
    texts = [
        str(plan),
        *((tmp_path / "r" / one).read_text("utf-8") for one in ("report.html", "README.txt")),
    ]
    assert [said in " ".join(text.split()) for text in texts] == [kind != "parquet"] * 3
    dp.verify(tmp_path / "r")


def three(plan, folder):
    """What a plan says, and the report and README.txt of its release, each in one line."""
    book = dp.ledger(folder / "three.ledger", budget=dp.pure(9))
    saved = dp.run(plan, ledger=book).save(folder / "three")
    texts = [
        str(plan),
        *((saved / one).read_text("utf-8") for one in ("report.html", "README.txt")),
    ]
    return [" ".join(unescape(text).split()) for text in texts]


NO_UNIT = "A row whose u is missing does not count."
NO_ROW = "A row whose unit has no row in o does not count; where it has several there, it counts as often."
NO_OWNER = "A row without an owner in o does not count; with several, it counts for each."
WRITTEN = "What rows are joined by is compared as it is written: 7 is not 0007."
ACCENT = (
    "In Su\u0308d a letter and its accent are two signs, as declared: a cell that has both as one"
)
LEFT_OUT = (NO_UNIT, NO_ROW, NO_OWNER, WRITTEN, ACCENT)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("row", []),
        ("unit", [NO_UNIT]),
        ("join", [NO_UNIT, NO_ROW, WRITTEN]),
        ("owner", [NO_UNIT, NO_OWNER, WRITTEN]),
        ("accent", [ACCENT]),
        ("composed", []),
    ],
)
def test_rows_that_a_declaration_leaves_out_are_said(tmp_path, kind, said):
    """Where it can happen by what is declared, whatever the data holds, and nowhere else."""
    unit = dp.unit("u", max_rows=1) if kind in ("unit", "join", "owner") else "row"
    keys = {"accent": ["Su\u0308d", "a"], "composed": ["S\xfcd", "a"]}.get(kind, ["a", "b"])
    facts = [{"i": n, "k": "a"} for n in range(60)] if kind == "owner" else ROWS
    table = dp.table(facts, name="t", unit=unit, keys={"k": keys})
    if kind == "join":
        table = table.joined(dp.join([{"u": 1, "a": 2}], name="o", gives=["a"]))
    if kind == "owner":
        table = table.joined(dp.owner([{"i": 1, "u": 2}], name="o", on="i", gives=["u"]))

    for text in three(dp.plan(table, dp.count("k"), spend=dp.pure(1)), tmp_path):
        assert [one in text for one in LEFT_OUT] == [one in said for one in LEFT_OUT]


def test_what_is_said_of_joined_rows_is_so(tmp_path):
    """A row without a partner, or of a missing unit, is not counted; with two partners it is twice."""
    rows = [{"u": u, "k": "a"} for u in ("p", "q", None, "r", "7")]
    partners = [{"u": u, "a": 1} for u in ("p", "q", "q", None, "0007")]
    table = dp.table(rows, name="t", unit=dp.unit("u", max_rows=9), keys={"k": ["a"]})
    table = table.joined(dp.join(partners, name="o", gives=["a"]))
    vector, *_ = engine_for(rows).prepare(table, dp.count().aggregates(table)).count(1)

    assert vector.opened_by_the_door() == (3,)


@pytest.mark.claim("C215")
@pytest.mark.parametrize(
    ("how", "stray"),
    [({}, False), ({"quote": ""}, False), ({"multiline": True}, True)],
)
def test_how_lines_end_and_what_a_stray_mark_does_is_said(tmp_path, how, stray):
    """F9: of a first line in CR LF over rows in LF no row counts, and the price is paid."""
    plan, _ = released(csv(tmp_path), tmp_path, csv=how)
    said = " ".join(str(plan).split())

    assert ENDS in said
    assert (STRAY in said) is stray
