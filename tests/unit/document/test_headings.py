"""Numbers shown as e to their power or in percent: values and intervals alike, and never stored."""

import json
from decimal import Context, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as dp
from discreet.document.headings import as_shown, labelled
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.report.about_file import Said
from discreet.report.page import page

EXACT = Context(prec=60)
WAGE = {"name": "weekly wage", "unit": "$", "show": "exp"}
SAID = dp.about(labels={"lw": WAGE, "union": {"show": "share"}, "educ": "schooling"})
FILE = """\
[data]
source = "people.csv"
unit = "row"
[columns]
lw = { lower = 0, upper = 9 }
wide = { lower = 0, upper = 800 }
born = { lower = "1990-01-01", upper = "2000-01-01" }
[keys]
educ = ["A"]
[labels.lw]
show = "exp"
[spend]
rho = "1/50"
[[ask]]
statistic = "mean"
column = "lw"
"""


@pytest.fixture(scope="module")
def release():
    table = dp.table(
        [], unit="row", name="census", keys={"educ": [9, 10]},
        columns={"lw": dp.bounds(0, 9, step="0.01"), "union": dp.bounds(0, 1)},
    )  # fmt: skip
    asked = [
        dp.mean("lw", by="educ"), dp.median("lw"), dp.middle("lw", share="0.5"), dp.histogram("lw", bins=3),
        dp.share_below("lw", at=[6]), dp.median("lw", method="choice"), dp.mean("union"),
        dp.variance("lw"), dp.sum("lw"), dp.iqr("lw"), dp.regression("lw", on="union"),
        dp.mean(["lw", "union"]), dp.count(),
    ]  # fmt: skip
    return dp.rehearse(dp.plan(table, *asked, spend=dp.zcdp(2)))


@pytest.mark.slow
@given(
    st.lists(st.floats(-700, 700), min_size=3, max_size=3),
    st.sampled_from(["exp", "share"]),
)
@example([0.0, 0.0, 0.0], "exp")
@example([-5e-56, 0.0, 5e-56], "exp")
@example([1e-300, 5e-324, 1.0], "exp")
@pytest.mark.claim("C191")
def test_intervals_go_through_outward(release, numbers, show):
    """Against 60 digits: the low end is not above, the high end not below, and all keep order."""
    low, value, high = sorted(numbers)
    document = release["mean union"].document
    answer = document.statistics[0].answer
    row = (*answer.rows[0][:-3], value, low, high)
    answer = answer.model_copy(update={"rows": type(answer.rows)([[cell] for cell in row])})
    one = document.statistics[0].model_copy(update={"answer": answer})
    made = document.model_copy(update={"statistics": [one]})

    found = as_shown(made, dp.about(labels={"union": {"show": show}}))
    seen = [Decimal(repr(cell)) for cell in found.statistics[0].answer.rows[0][-3:]]
    exact = [Decimal(repr(one)) for one in (value, low, high)]
    wanted = [one.exp(EXACT) if show == "exp" else one * 100 for one in exact]
    assert seen[1] <= wanted[1]
    assert seen[2] >= wanted[2]
    assert seen[1] <= seen[0] <= seen[2]
    for mine, theirs in zip(seen, wanted, strict=True):
        assert abs(mine - theirs) <= abs(theirs) * Decimal("2e-11") + Decimal("1e-320")


@pytest.mark.slow
@pytest.mark.claim("C191")
def test_only_values_of_the_column_are_mapped(release):
    """Means, quantiles and edges; not a variance, a sum, a slope or what several columns have."""
    shown = as_shown(release.document, SAID)
    changed = {
        new.label
        for old, new in zip(release.document.statistics, shown.statistics, strict=True)
        if list(old.answer.rows) != list(new.answer.rows)
    }
    assert changed == {
        "mean lw by educ", "median lw", "middle lw at 0.25, 0.75", "histogram lw", "mean union",
        "share_below lw at 6", "median lw, chosen",
    }  # fmt: skip
    edges = shown.statistics[3].answer.rows
    assert [row[:2] for row in edges] == [(1.0, 20.09), (20.09, 403.4), (403.4, 8103.0)]
    assert list(edges.columns[2]) == list(release.document.statistics[3].answer.rows.columns[2])
    assert as_shown(release.document, dp.about()) is release.document


@pytest.mark.slow
@pytest.mark.claim("C191")
def test_what_is_stored_is_as_without_and_what_is_shown_says_so(release, tmp_path):
    """release.json and table.csv are the same; page, picture and labelled.csv say what they show."""
    place = release.save(tmp_path / "said.release", about=SAID)
    plain = release.save(tmp_path / "plain.release")
    for name in ("release.json", "table.csv"):
        assert (place / name).read_bytes() == (plain / name).read_bytes()
    assert dp.verify(place)
    text = (place / "report.html").read_text("utf-8")
    assert "Typical weekly wage ($) (geometric mean), by schooling" in text
    assert "Variance of the logarithm of weekly wage" in text
    assert "Sum of the logarithm of weekly wage" in text
    assert "Mean of union (%)" in text
    assert "“lw” is a logarithm: weekly wage ($) is e to its power." in text
    rows = [row["statistic"] for row in release.table(about=SAID)]
    assert rows[0] == "mean lw by educ (exp: typical (geometric mean))"
    assert "median lw (exp)" in rows
    assert "mean union (%)" in rows
    assert "variance lw" in rows
    panel = release.plot("mean lw by educ", about=SAID).axes[0]
    title = panel.get_title(loc="left")
    assert title.startswith("Typical weekly wage ($) (geometric m")
    raw = release["mean lw by educ"].values[0]
    drawn = [line.get_xdata()[0] for line in panel.get_lines() if line.get_marker() == "o"]
    assert drawn[0] == pytest.approx(float(Decimal(raw).exp()), rel=1e-9)


@pytest.mark.slow
@pytest.mark.claim("C191")
def test_a_table_that_is_shown_and_was_changed_does_not_check(release, tmp_path):
    """One digit of a mapped number."""
    place = release.save(tmp_path / "said.release", about=SAID)
    path = place / "labelled.csv"
    cell = next(row for row in labelled(release.document, SAID))["value"]
    assert str(cell) in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(str(cell), str(cell + 1), 1))
    with pytest.raises(dp.errors.VerifyError, match=r"labelled\.csv"):
        dp.verify(place)


def test_too_few_to_say_stays_so(release):
    """A value that is not told is not e to the power of nothing."""
    document = release["mean lw by educ"].document
    answer = document.statistics[0].answer
    columns = list(answer.rows.columns)
    columns[-3:] = [(None, None), (0.0, 0.0), (9.0, 9.0)]
    answer = answer.model_copy(update={"rows": type(answer.rows)(columns)})
    one = document.statistics[0].model_copy(update={"answer": answer})
    made = document.model_copy(update={"statistics": [one]})
    assert next(iter(as_shown(made, SAID).statistics[0].answer.rows))[-3:] == (
        None, 1.0, 8103.08392758,
    )  # fmt: skip
    assert "too few to say" in page(made, Said(SAID))


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ('[labels.wide]\nshow = "exp"', "labels, wide, show: 'wide' cannot be shown as exp"),
        ('[labels.born]\nshow = "share"', "it holds days"),
        ('[labels.educ]\nshow = "exp"', "it has no numbers to show"),
        ('[labels.wide]\nshow = "log"', "show = 'log' is not known"),
        ("[labels.wide]\nshow = 3", "show = 3 is not known"),
        ('[labels.wide]\nshw = "exp"', "it has name, unit, values, show"),
    ],
)
def test_what_cannot_be_shown_so_is_refused_where_it_stands(tmp_path, label, told):
    """When the plan file is read, in three lines."""
    path = tmp_path / "plan.toml"
    path.write_text(FILE.replace("[spend]", f"{label}\n[spend]"))
    with pytest.raises(InputError) as refused:
        read_plan_file(path)
    assert told in str(refused.value)
    assert len(str(refused.value).splitlines()) == 3


def test_a_plan_says_how_numbers_will_be_shown(tmp_path):
    """On the command line and as JSON; the plan is the same without."""
    from discreet.cli import commands
    from discreet.cli.output import Screen

    path = tmp_path / "plan.toml"
    path.write_text(FILE)
    reply = commands.plan(Screen(as_json=True), path)
    assert json.loads(reply.model_dump_json())["about"] == {"labels": {"lw": {"show": "exp"}}}
    digest = reply.digest
    path.write_text(FILE.replace('show = "exp"', 'show = "none"'))
    assert read_plan_file(path).plan.digest == digest
