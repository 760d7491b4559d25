"""What objects say of themselves: one short line at a prompt, escaped HTML in a notebook."""

from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pytest

import discreet as dp
from discreet.errors import DiscreetError, InputError
from discreet.ledgers.file import Ledger
from discreet.releases.release import Release
from discreet.releases.verify import Verified
from discreet.report.picture import Picture
from discreet.schema import Bounds, Unit
from discreet.text import Sheet, listed, prompt
from unit.report_documents import HOSTILE, hostile, small

NAMES = [name for name in HOSTILE if name and "\x00" not in name]


def strange(name):
    """A table, and questions on it, in which everything has one name."""
    table = dp.table(
        [],
        unit=dp.unit(name, max_rows=3),
        columns={name: dp.bounds(0, 9, step=1)},
        keys={f"{name} k": [name, "b"]},
        name=name.strip() or "t",
    )
    by = f"{name} k"
    asked = (dp.count(by=by), dp.sum(name), dp.mean(name), dp.mean([name]), dp.histogram(name))
    return table, (*asked, dp.count_units(by=by))


def objects(tmp_path):
    """Everything that a verb returns, with hostile names, and losses of many digits."""
    release = Release(hostile())
    yield from (release, release.table(), release.document)
    yield from (release[name] for name in release)
    yield dp.denoise(release, "raw")
    yield from dp.denoise(release, "raw").statistics
    yield dp.verify(release)
    yield Verified(("x" * 500, "y\n"))
    yield Ledger(tmp_path / ("<b>" * 99))
    for name in NAMES:
        table, asked = strange(name)
        plan = dp.plan(table, *asked, spend=dp.zcdp("28754454520912638549/1180591620717411303424"))
        yield from (table, table.unit, *table.columns.values(), *asked, plan, *plan.lines)


def test_at_a_prompt_everything_is_one_short_line_or_a_call(tmp_path):
    """Each character can be printed; what is no call (`test_text_pasted.py`) has at most 100."""
    for thing in objects(tmp_path):
        line = repr(thing)
        is_declared = isinstance(thing, (dp.Table, dp.Loss, dp.Question, Bounds, Unit))

        assert line.isprintable()
        assert line.startswith("discreet.") if is_declared else line.startswith("<")
        assert is_declared or len(line) <= 100


class Seen(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found |= {tag, *(name for name, _ in attrs)}


OURS = {"div", "strong", "table", "tr", "th", "td", "class", "style"}


@pytest.mark.slow
def test_no_name_becomes_markup_in_a_notebook(tmp_path):
    """Only our own tags, and none of it is read as mathematics."""
    for thing in objects(tmp_path):
        if not hasattr(thing, "_repr_html_") or isinstance(thing, Ledger):
            continue
        seen = Seen()
        text = thing._repr_html_()
        seen.feed(text)

        assert seen.found <= OURS
        assert "mathjax_ignore" in text[:60]


def test_markup_that_is_not_escaped_is_seen():
    """The check has power: a name that is put into the page as it is adds its tags."""
    seen = Seen()
    seen.feed(Sheet(HOSTILE[24], ("a",), ()).html().replace("&lt;", "<").replace("&gt;", ">"))

    assert "script" in seen.found


def test_a_long_line_is_cut_and_a_long_list_is_counted():
    """The end says that there is more."""
    assert prompt("Unit", "x" * 200) == f"<Unit {'x' * 92}…>"
    assert listed(range(10), 8) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"


def test_statistics_are_reached_by_their_names():
    """In the order of the plan, like a dict: by name, in a loop, and all of them."""
    release = Release(small())

    assert list(release) == release.keys() == [one.label for one in small().statistics]
    assert len(release) == 6
    assert "count by ward" in release
    assert [len(one) for one in dict(release).values()] == [3, 1, 6, 2, 12, 5]


def test_one_statistic_has_its_own_columns_and_numbers():
    """Keys, value, low and high; nothing of the others."""
    release = Release(small())
    count, mean = release["count by ward"], release["mean cost by acute"]
    rows = small().statistics[0].answer.rows

    assert count.table().columns == ("ward", "value", "low", "high")
    assert (count.values, count.low, count.high) == tuple([r[i] for r in rows] for i in (1, 2, 3))
    assert (
        next(iter(count)) == count.rows[0] == dict(zip(count.table().columns, rows[0], strict=True))
    )
    assert mean.table().columns == ("acute", "rows", "value", "low", "high")
    assert release["histogram cost"].table().columns[:2] == ("from", "to")
    assert "sum cost" not in str(count)
    assert str(count).count("count by ward") == 3


NUMBERS = ["value", "low", "high"]


@pytest.mark.slow
def test_data_frames_are_made_of_a_table_and_of_one_statistic():
    """By their constructors, as of anything else."""
    release = Release(small())

    for table in (release.table(), release["count by ward"], release["mean cost by acute"]):
        columns = table.to_pandas().columns
        assert list(pd.DataFrame(table).columns) == list(columns) == pl.DataFrame(table).columns
        found, wanted = pd.DataFrame(table)[NUMBERS], table.to_pandas()[NUMBERS]
        pd.testing.assert_frame_equal(found.astype("float64"), wanted.astype("float64"))
        assert pl.DataFrame(table).equals(table.to_polars())
        assert len(pd.DataFrame(table)) == len(table)


@pytest.mark.slow
def test_a_statistic_is_drawn_alone():
    """One panel, of a figure that Matplotlib knows, and that a notebook shows."""
    release = Release(small())
    alone, whole = release.plot("count by ward"), release.plot()

    assert isinstance(alone, Picture)
    assert (len(alone.axes), len(whole.axes)) == (1, 6)
    assert alone.axes[0].get_title("left").startswith("count by ward")
    content, size = alone._repr_png_()
    assert content.startswith(b"\x89PNG")
    assert (size["width"], size["height"]) == (900, round(alone.get_size_inches()[1] * 120))
    assert int.from_bytes(content[16:20]) == 2 * size["width"]


@pytest.mark.claim("C18")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("count by wards", "count by ward"),
        ("Count by ward", "count by ward"),
        ("mean cost", "mean cost by acute"),
        ("sum cost by ward", "sum cost by ward and year"),
        ("mean cosr by acute", "mean cost by acute"),
        *((one, "") for one in ("median cost", "mean wage", "acute", "", 30, None, "x" * 300)),
        (2, "sum cost by ward and year"),
    ],
)
def test_a_statistic_that_is_not_there_is_refused_with_the_names_that_are(name, meant):
    """By both ways; the fix is the one that was meant, and none where nothing says which."""
    release = Release(small())
    with pytest.raises(InputError) as caught:
        release[name]

    assert "count by ward, count_units, sum cost by ward and year" in caught.value.why
    fix = f'write release["{meant}"]' if meant else "write one of these names in its place"
    assert caught.value.fix == fix
    assert not meant or meant in release
    with pytest.raises(InputError):
        release.plot(name if name is not None else 0)


def test_two_statistics_of_one_name_are_told_apart():
    """Two histograms with other edges have one label; the second one gets a number."""
    table = dp.table([], unit="row", columns={"x": dp.bounds(0, 9, step=1)}, name="t")
    plan = dp.plan(table, dp.histogram("x", bins=3), dp.histogram("x", bins=9), spend=dp.pure(1))
    release = dp.rehearse(plan)

    assert [len(release[name]) for name in ("histogram x (1)", "histogram x (2)")] == [3, 9]
    with pytest.raises(InputError, match="there is no statistic 'histogram x'"):
        release["histogram x"]


def test_tab_completion_shows_the_public_page():
    """And the calculator, which is a page of its own."""
    assert dir(dp) == sorted([*dp.__all__, "calculator"])
    assert dp.calculator.accuracy("geometric", epsilon="0.1", alpha="0.05") == 30
    assert dp.__version__ == small().software.version


TRIED = {
    "percentile": "quantile", "cdf": "share_below", "mode": "histogram", "var": "variance", "stdev": "std", "cov": "covariance", "ols": "regression",
    "min": "quantile", "max": "quantile", "query": "sql", "select": "by=", "filter": "by=",
    "merge": "discreet.join", "groupby": "by=", "avg": "mean", "read_csv": "table", "seed": "rehearse",
    "epsilon": "pure", "laplace": "calculator", "histgram": "histogram",
    "frobnicate": "help(discreet)", "heatmap": "maps",
}  # fmt: skip


@pytest.mark.claim("C18")
@pytest.mark.parametrize("name", TRIED)
def test_a_name_that_people_try_is_answered_with_what_there_is(name):
    """In three lines, as an AttributeError, so that hasattr and a default work."""
    with pytest.raises(AttributeError) as caught:
        getattr(dp, name)

    assert isinstance(caught.value, DiscreetError)
    assert isinstance(caught.value, InputError)
    assert len(str(caught.value).split("\n")) == 3
    assert TRIED[name] in caught.value.fix
    assert not hasattr(dp, name)
    assert getattr(dp, name, 7) == 7


def test_a_name_that_programs_look_for_is_answered_plainly():
    """An AttributeError, and no advice."""
    for name in ("_ipython_display_", "__wrapped__", "_x"):
        with pytest.raises(AttributeError) as caught:
            getattr(dp, name)
        assert not isinstance(caught.value, DiscreetError)


def test_no_fix_names_what_is_not_there():
    """Each name of ours in a fix exists."""
    import re

    from discreet.absent import _INSTEAD

    for why, fix in _INSTEAD.values():
        assert why
        for name in re.findall(r"discreet\.(\w+)", fix):
            assert name in {*dp.__all__, "calculator", "maps"}
    assert not {name for names in _INSTEAD for name in names} & set(dp.__all__)
