"""Days and times that are written otherwise than 2026-11-03: in a form that is declared."""

import random
from datetime import UTC, datetime

import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.evaluate import read_as
from discreet.engine.explain_expression import meanings
from discreet.engine.written_times import counted
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema.csv_options import csv_options

FORMS = [
    {"days": "%d.%m.%Y", "times": "%I:%M%p"},
    {"days": "%m/%d/%Y", "times": "%I:%M:%S %p"},
    {"days": "%Y%m%d", "times": "%H%M"},
    {"times": "%H:%M"},
    {"days": "%d-%b-%Y"},
    {"days": "%d-%b-%Y", "times": "%d-%b-%Y (%H.%M.%S)"},
    {"days": "%Y\u5e74%m\u6708%d\u65e5", "times": "%Hh%M"},
    {"days": "%-d/%-m/%Y"},
]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def written(form, moment, rng):
    """A moment as Python's own strftime writes it, some zeros left out, some letters turned."""
    text = moment.strftime(form)
    if rng.random() < 0.5:
        text = text.replace(moment.strftime("%b"), moment.strftime("%b").upper())
    return text.lower() if rng.random() < 0.1 else text


def cells_of(csv, rng):
    """Cells of the form, of others, and damaged ones; no line end and no separator."""
    days, times = csv.days or "%Y-%m-%d", csv.times or "%H:%M:%S"
    for _ in range(250):
        moment = datetime.fromordinal(rng.randrange(1, 3_652_059)).replace(
            hour=rng.randrange(24), minute=rng.randrange(60), second=rng.randrange(60)
        )
        forms = [days, times, f"{days} {times}", f"{days}T{times}", "%Y-%m-%d", "%H:%M", "%c"]
        text = written(rng.choice(forms), moment, rng)
        yield text
        place = rng.randrange(len(text))
        yield text[:place] + rng.choice(["", "0", "9", " ", ".", "\u0663", "x"]) + text[place + 1 :]
    yield from ("", "31.02.2024", "29.02.2023", "29.02.2024", "00.01.2024", "12:60AM", "0:30AM")
    yield from ("01.01.0000", "20240230", "2460", "24:00", "12:00AM", "12:00pm", "13:00PM")


@pytest.mark.exhaustive
@pytest.mark.claim("C270")
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", ["day", "moment"])
def test_duckdb_and_python_read_the_same_days_and_moments(form, kind, tmp_path):
    """Cell by cell, those of the form and all others: one whole number, or missing on both."""
    csv, rng = csv_options(form), random.Random(str(form))
    cells = [one for one in dict.fromkeys(cells_of(csv, rng)) if one.isprintable()]
    path = tmp_path / "t.csv"
    path.write_text("a|g\n" + "".join(f"{c}|{i}\n" for i, c in enumerate(cells)), "utf-8")
    made = "days(a)" if kind == "day" else "seconds(a)"
    bounds = dp.bounds(-(10**11), 10**12, step=1)
    table = dp.table(str(path), unit="row", csv={**form, "separator": "|"}).derive(
        x=dp.derived(made, bounds=bounds), g2=dp.derived("g", keys=range(len(cells)))
    )
    asked = (dp.sum("x", by="g2"), dp.count("g2", where="x IS NOT NULL"))
    aggregates = tuple(one for question in asked for one in question.aggregates(table))

    sums, there = (
        vector.opened_by_the_door() for vector in DuckEngine().prepare(table, aggregates).count(1)
    )

    expected = [counted(cell, kind, csv) for cell in cells]
    assert list(there) == [one is not None for one in expected]
    assert list(sums) == [one or 0 for one in expected]
    assert sum(there) > 20


@pytest.mark.claim("C270")
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_form_reads_what_python_itself_writes_in_it(form):
    """strftime is another's: what it writes is read as the moment that was written."""
    csv, rng = csv_options(form), random.Random(7)
    for _ in range(300):
        moment = datetime.fromordinal(rng.randrange(366, 3_652_059)).replace(hour=rng.randrange(24))
        moment = moment.replace(minute=rng.randrange(60), year=max(1000, moment.year), day=1)
        days = (moment.replace(tzinfo=UTC) - EPOCH).days

        assert counted(moment.strftime(csv.days or "%Y-%m-%d"), "day", csv) == days
        if csv.times and "%Y" in csv.times:
            expected = days * 86_400 + moment.hour * 3600 + moment.minute * 60
            assert counted(moment.strftime(csv.times), "moment", csv) == expected
        elif csv.times:
            expected = moment.hour * 3600 + moment.minute * 60
            assert counted(moment.strftime(csv.times), "moment", csv) == expected
            assert counted(moment.strftime(csv.times), "day", csv) is None


@pytest.mark.claim("C270")
def test_no_form_fits_a_text_in_two_ways():
    """Numbers side by side have all their digits, so that 1112024 is no day, and 20240111 is one."""
    csv = csv_options({"days": "%Y%m%d", "times": "%H%M"})

    assert counted("2024111", "day", csv) is None
    assert counted("20240111", "day", csv) == counted(
        "2024-01-11", "day", csv_options({"times": "%H:%M"})
    )
    assert counted("112", "moment", csv) is None
    assert counted("0112", "moment", csv) == 72 * 60


def test_hours_days_and_keys_of_a_file_are_read(tmp_path):
    """Hours of a time, days with bounds, a year in a condition, and keys that are days."""
    path = tmp_path / "t.csv"
    path.write_text("entered,born\n9:27AM,31.12.2024\n9:05PM,1.1.2020\n10:00pm,2020-01-01\n")
    days = ["2024-12-31", "2020-01-01"]
    table = dp.table(
        path,
        unit="row",
        csv={"days": "%d.%m.%Y", "times": "%I:%M%p"},
        keys={"born": days},
    ).derive(h=dp.derived("hour(entered)", keys=range(24)))
    asked = [dp.count("h"), dp.count("born"), dp.count(where="year(born) = 2020")]
    loss = dp.pure(300)

    release = dp.run(
        dp.plan(table, *asked, spend=loss), ledger=dp.ledger(tmp_path / "l", budget=loss)
    )

    assert [row["h"] for row in release["count by h"].rows if row["value"]] == [9, 21, 22]
    assert [row["value"] for row in release["count by born"].rows] == [1, 2]
    (year,) = release["count where year(born) = 2020"].rows
    assert year["value"] == 1  # 2020-01-01 is no day in this form


def test_nothing_of_an_object_is_asked_before_its_type():
    """A cell of a list whose class raises where it is looked at is missing, with a form and without."""

    class Odd(float):
        @property
        def __class__(self):
            raise RuntimeError

    for csv in (csv_options(None), csv_options({"days": "%d.%m.%Y"})):
        assert read_as(Odd(1), "day", csv) is None


def test_check_says_keys_that_are_days_as_they_are_counted():
    """A key of days is found by the day that a cell tells, or by the same text."""
    table = dp.table(
        "gone.csv", unit="row", csv={"days": "%d.%m.%Y"}, keys={"born": ["2024-12-31"]}
    )
    said = [meanings(table, cell)[0].value for cell in ("31.12.2024", "2024-12-31", "31.12.24")]

    assert said == ["2024-12-31", "2024-12-31", None]


@pytest.mark.parametrize(
    ("option", "form", "meant"),
    [
        ("days", "DD.MM.YYYY", "%d.%m.%Y"),
        ("days", "dd/MMM/yyyy", "%d/%b/%Y"),
        ("days", "%d.%M.%Y", "%d.%m.%Y"),
        ("days", "%d.%m.%y", "%d.%m.%Y"),
        ("days", "%F", "%Y-%m-%d"),
        ("days", 3, "%d.%m.%Y"),
        ("days", "%d.%m.%Y %H:%M", "%d.%m.%Y"),
        ("days", "%m.%b.%Y", "%d.%m.%Y"),
        ("times", "hh:mm a", "%I:%M %p"),
        ("times", "HH:mm:ss", "%H:%M:%S"),
        ("times", "%H:%M %p", "%I:%M %p"),
        ("times", "%I:%M", "%H:%M"),
        ("times", "%T", "%H:%M:%S"),
        ("times", "%d.%m. %H:%M", "%H:%M"),
        ("times", "", "%H:%M"),
        ("times", "%H:%M:%H", "%H:%M"),
    ],
)
def test_a_form_that_is_none_is_refused_with_one_that_is(option, form, meant, tmp_path):
    """Before anything is read or charged, in three lines; what the fix types is taken."""
    with pytest.raises(InputError) as caught:
        dp.table("gone.csv", unit="row", csv={option: form})

    assert [line.split(":")[0].strip() for line in str(caught.value).splitlines()[1:]] == [
        "why",
        "fix",
    ]
    assert f'write csv={{"{option}": "{meant}"}}' in str(caught.value)
    assert dp.table("gone.csv", unit="row", csv={option: meant}).csv.plain() == {option: meant}


PLAN = """
[data]
source = "t.csv"
unit = "row"
csv = {{ {csv} }}
where = "year(born) > 1990"
[spend]
rho = 1
[[ask]]
statistic = "count"
where = "hour(entered) < 12"
"""


def test_a_plan_says_how_days_and_times_are_read(tmp_path):
    """In one public line, in a plan file as in Python, with a form and without; of files whose
    columns have a type it says nothing.
    """
    path = tmp_path / "p.toml"
    path.write_text(PLAN.format(csv=""))
    assert (
        "Days and moments are read as 2026-11-03 and 2026-11-03 10:30:00 in entered, born: other "
        "text counts as missing there, unless csv says how days and times are written."
    ) in " ".join(str(read_plan_file(path).plan).split())

    path.write_text(PLAN.format(csv='days = "%d.%m.%Y", times = "%I:%M%p"'))
    assert (
        "Days are read as %d.%m.%Y and times as %I:%M%p in entered, born: other text counts as "
        "missing there."
    ) in " ".join(str(read_plan_file(path).plan).split())

    typed = dp.table("t.parquet", unit="row").where("year(born) > 1990")
    assert "read as" not in str(dp.plan(typed, dp.count(), spend=dp.zcdp(1)))

    path.write_text(PLAN.format(csv='days = "DD.MM.YYYY"'))
    with pytest.raises(InputError, match="line 5, data, csv: csv days"):
        read_plan_file(path)


@pytest.mark.parametrize("source", ["list", "objects", "moments"])
def test_a_plan_says_so_of_lists_and_pandas_too(source):
    """Of a list and of pandas' columns, one of moments among them, which one text more makes objects;
    in a form that is declared, or as usual.
    """
    pd = pytest.importorskip("pandas")
    data = [{"born": "1.1.2020"}]
    if source != "list":
        data = pd.DataFrame(data)
    if source == "moments":
        data["born"] = pd.to_datetime(data["born"])
    for csv, form in [(None, "Days and moments are read as"), ({"days": "%d.%m.%Y"}, "%d.%m.%Y")]:
        table = dp.table(data, unit="row", name="t", csv=csv).where("year(born) > 1990")
        said = str(dp.plan(table, dp.count(), spend=dp.zcdp(1)))

        assert form in said
