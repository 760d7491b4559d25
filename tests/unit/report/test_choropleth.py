"""Maps of regions: every number on its region, colors with their limits, and what noise changes."""

import re
from bisect import bisect_right
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import discreet as dp
from discreet import about
from discreet.document.accessors import told
from discreet.document.document import Document
from discreet.errors import InputError
from discreet.plans.plan import plan
from discreet.privacy.loss import zcdp
from discreet.releases.release import Release
from discreet.report.about_file import Said
from discreet.report.choropleth import _limits
from discreet.report.files_check import beside
from discreet.report.page import page
from discreet.report.panels import panels
from discreet.schema import About, bounds, table
from discreet.statistic.count import count
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from unit.made_country import country
from unit.report_documents import HOSTILE, made

USE = re.compile(r'<use href="#(k\d+-\d+)" class="(\w+)"(?:/>|><title>([^<]*)</title></use>)')


def words(keys: int = 12, **more: object) -> About:
    of_map = {"map": {"file": country(keys // 3, 3), "property": "name"}}
    return about(labels={"region": {**of_map, **more}})


def asked(*questions: object, size: int = 9_000, keys: object = None) -> Document:
    regions = keys or [f"r{at}" for at in range(12)]
    people = table(
        [],
        unit="row",
        columns={"x": bounds(0, 100, step=1)},
        keys={"region": regions, "sex": ["f", "m"], "age": list(range(8))},  # type: ignore[call-overload]
        name="people",
    )
    return made(plan(people, *questions, spend=zcdp("1/8")), size=size)  # type: ignore[arg-type]


def uses(chart: str) -> list[tuple[str, str, str]]:
    return [(of, color, unescape(title)) for of, color, title in USE.findall(chart)]


@pytest.mark.claim("C592")
def test_a_map_shows_every_number_on_its_region():
    """Each in the color of its class, with its interval in its title."""
    document = asked(count(by="region"))
    (panel,) = panels(document, words())
    ((_, chart),) = panel.charts
    titled = {title.partition(":")[0]: title for _, _, title in uses(chart) if title}
    colors = {of: color for of, color, _ in uses(chart) if color != "doubt"}

    rows = list(told(document.statistics[0]))
    limits = _limits([float(row.value) for row in rows])
    assert len(titled) == len(colors) == len(rows) == 12
    for at, row in enumerate(rows):
        shown = f"r{at}: {row.value:,} ({row.low:,} to {row.high:,})"
        assert titled[f"r{at}"] == shown
        assert colors[f"k0-{at}"] == f"m{bisect_right(limits, row.value)}"
    assert len({*colors.values()}) == 5
    assert [color for color, _ in panel.legend.lines] == ["m0", "m1", "m2", "m3", "m4", "doubt"]


@pytest.mark.claim("C641")
def test_a_count_below_zero_is_hatched_however_short_its_interval():
    """It is noise alone: its interval was cut at zero."""
    document = asked(count(by="region"))
    (panel,) = panels(document, words())
    ((_, chart),) = panel.charts
    hatched = {title.partition(":")[0] for _, color, title in uses(chart) if color == "doubt"}
    below = {f"r{at}" for at, row in enumerate(told(document.statistics[0])) if row.value < 0}
    assert below
    assert below <= hatched


@pytest.mark.claim("C592")
def test_the_legend_says_how_many_numbers_may_have_another_color():
    """Counted anew; where most may, differences are called noise."""
    for size in (9_000, 60):
        document = asked(count(by="region"), size=size)
        (panel,) = panels(document, words())
        rows = list(told(document.statistics[0]))
        limits = _limits([float(row.value) for row in rows])
        many = sum(bisect_right(limits, r.low) != bisect_right(limits, r.high) for r in rows)

        assert f"Of 12 numbers on the map, {many} have an interval" in panel.legend.words[0]
        assert ("noise alone" in " ".join(panel.legend.words)) == (2 * many > 12) == (size == 60)


@pytest.mark.claim("C592")
def test_what_does_not_lie_on_the_map_is_named():
    """Keys without a region in words, and regions without a number hatched."""
    keys = ["r1", "r2", "r3", *(f"far {at}" for at in range(8))]
    document = asked(count(by="region"), keys=keys)
    (panel,) = panels(document, words(values={"far 0": "abroad", "r0": "the capital"}))
    ((_, chart),) = panel.charts

    assert panel.legend.words[-1] == (
        "Not on the map: abroad, far 1, far 2, far 3, far 4, far 5 and 2 more."
    )
    void = [title for _, color, title in uses(chart) if color == "void"]
    assert len(void) == 9
    assert void[0] == "the capital: not asked for"
    assert panel.legend.lines[-1] == ("void", "hatched alone: not asked for")


def test_a_number_of_too_few_rows_is_hatched():
    """It has no color, and its title and the legend say why; a number that noise may be is hatched."""
    document = asked(mean("x", by="region"), size=2_000)
    (panel,) = panels(document, words())
    rows = list(told(document.statistics[0]))
    few = [f"r{at}" for at, row in enumerate(rows) if row.value is None]
    assert 0 < len(few) < 12

    ((_, chart),) = panel.charts
    titles = [title for _, color, title in uses(chart) if color == "doubt"]
    assert {*few} <= {title.partition(":")[0] for title in titles}
    assert sum("too few" in title for title in titles) == len(few)
    assert sum(color == "few" for _, color, _ in uses(chart)) == len(few)
    assert ("few", "gray and hatched: too few rows to say") in panel.legend.lines
    assert panel.counted


@pytest.mark.claim("C583")
def test_a_region_that_a_rule_hides_is_not_shown_and_others_were_not_asked_for():
    """Of keys that are declared the map says which; of keys that were found it cannot."""
    keys = [f"r{at}" for at in range(9)]
    document = asked(dp.count(by="region", publish=dp.publish(at_least=400)), size=900, keys=keys)
    ((shown,),) = [[len(released.answer.rows) for released in document.statistics]]
    assert 0 < shown < 9
    (panel,) = panels(document, words())
    ((_, chart),) = panel.charts

    void = [title.rpartition(": ")[2] for _, color, title in uses(chart) if color == "void"]
    assert sorted(void) == ["not asked for"] * 3 + ["not shown"] * (9 - shown)
    assert ("void", "hatched alone: not shown or not asked for") in panel.legend.lines


@pytest.mark.claim("C583")
def test_a_region_whose_key_was_not_found_is_not_shown_or_not_asked_for():
    """Nobody knows which keys the data has."""
    unknown = dp.unknown(max_groups=1)
    people = table([], unit="row", keys={"region": unknown}, name="people")  # type: ignore[dict-item]
    counted = dp.count(by="region", publish=dp.publish(at_least=100))
    found = plan(people, counted, spend=dp.approx(1, "1e-6")).found({"region": ["r0", "r1"]})
    (panel,) = panels(made(found, size=900), words())
    ((_, chart),) = panel.charts

    void = [title for _, color, title in uses(chart) if color == "void"]
    assert void
    assert all(title.endswith(": not shown, or not asked for") for title in void)


def test_two_keys_are_small_maps_on_one_scale():
    """One for each name beside the regions, up to six; a longer list has no maps."""
    document = asked(count(by=["region", "sex"]), count(by=["age", "region"]))
    several, none = panels(document, words())

    assert [name for name, _ in several.charts] == ["f", "m"]
    assert len(several.legend.lines) == 6
    drawn = [[use for use in uses(chart) if use[1] != "doubt"] for _, chart in several.charts]
    assert [*map(len, drawn)] == [12, 12]
    assert none.legend is None


def test_a_chart_that_is_asked_for_stays_and_bins_have_no_map():
    document = asked(count(by="region"), histogram("x", by="region", bins=3))
    as_dots = about(labels=dict(words().labels), questions={"count by region": {"chart": "dots"}})
    assert [panel.legend for panel in panels(document, as_dots)] == [None, None]


@pytest.mark.slow
def test_a_page_has_room_for_so_many_regions():
    """Maps of 400 regions in all; what comes behind them has its rows."""
    regions = [f"r{at}" for at in range(240)]
    document = asked(count(by="region"), mean("x", by="region"), keys=regions)
    shown = about(labels={"region": {"map": {"file": country(20, 12), "property": "name"}}})
    first, second = panels(document, shown)

    assert first.map_of == "region"
    assert second.map_of == ""
    text = page(document, Said(shown))
    assert len(text.encode()) < 150_000
    assert text.count('<path id="k0-') == 240


@pytest.mark.claim("C590")
def test_no_name_on_a_map_becomes_markup():
    """Keys, names of regions and titles are text in every picture."""
    live = "<script>alert(1)</script>\" onload=\"alert(2)' x='"
    plain = {"width": 9, "height": 9, "regions": dict.fromkeys([*HOSTILE, live], "M0 0l1 0 0 1z")}
    keys = [key for key in HOSTILE if key and "\0" not in key]
    document = asked(count(by="region"), keys=keys)
    shown = about(labels={"region": {"map": plain, "values": {HOSTILE[0]: live}}})
    text = page(document, Said(shown))

    tags = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            tags.add(tag)
            assert not any(name.startswith("on") for name, _ in attrs), attrs

    Tags().feed(text)
    assert not tags & {"img", "iframe", "object", "a:script"}
    assert text.count("<script") == 1
    assert text.count("url(") == text.count("url(#hatch)") == 1
    assert "<svg" in text


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0], [1e-300, 1.0], [-5.0, 0.0, 5.0], [1e15]])
def test_limits_lie_within_the_numbers(values: list[float]):
    """At most four, that rise; none where all numbers are one."""
    limits = _limits(values)
    assert limits == sorted({*limits})
    assert len(limits) < max(1, len({*values}))
    assert all(min(values) <= limit <= max(values) for limit in limits)


def rehearsed(*regions: str) -> Release:
    people = dp.table([], unit="row", keys={"region": [*regions]}, name="people")
    return dp.rehearse(dp.plan(people, dp.count(by="region"), spend=dp.zcdp("1/8")))


def test_a_map_of_other_keys_is_refused():
    """Before anything is paid, with what its regions are called."""
    with pytest.raises(InputError, match="shows none of its keys") as refusal:
        rehearsed("north", "south").table(about=words())
    assert "r0, r1" in str(refusal.value)
    assert "north, south" in str(refusal.value)


@pytest.mark.claim("C592")
@pytest.mark.slow
def test_a_saved_release_holds_its_map(tmp_path: Path):
    """The page is made again of release.json and about.json, and `annotate` puts another map in."""
    release = rehearsed("r0", "r1", "r2")
    saved = release.save(tmp_path / "first.release", about=words(3))
    first = (saved / "report.html").read_text()

    assert first == page(release.document, Said(words(3)))
    assert first.count("<use ") == 3
    assert beside(release.document, saved)[0]["report.html"]

    release.annotate(saved, words(6))
    assert (saved / "report.html").read_text().count("<use ") == 6
    assert beside(release.document, saved)[0]["report.html"]
