"""Charts of a whole statistic: what is drawn stands in the table, and no text becomes markup."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from discreet import about
from discreet.document.accessors import told
from discreet.document.headings import labelled
from discreet.errors import InputError
from discreet.plans.plan import Plan, plan
from discreet.privacy.loss import zcdp
from discreet.report.about_file import Said
from discreet.report.page import page, with_bands
from discreet.report.panels import panel_layout, panels
from discreet.schema import bounds, derived, table, unit
from discreet.statistic.count import count
from discreet.statistic.cube import cube
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from unit.report_documents import HOSTILE, made, small

NO_WORDS = about()
LIVE = "<script>alert(1)</script>\" onload=\"alert(2)' x='\u202e"


def wards(*asked: object, **keys: object) -> Plan:
    declared = {"ward": ["A", "B", "C"], "year": range(1990, 2002), "age": range(6), **keys}
    rows = table(
        [],
        unit=unit("person", max_rows=2),
        columns={"x": bounds(0, 100, step=1)},
        keys={name: list(values) for name, values in declared.items()},  # type: ignore[call-overload]
        name="wards",
    )
    return plan(rows, *asked, spend=zcdp("1/8"))  # type: ignore[arg-type]


def layouts(asked: Plan, words=NO_WORDS) -> list[str]:
    document = made(asked, size=9_000)
    return [
        panel_layout(released, words, words.heading(released.label))[0]
        for released in document.statistics
    ]


def test_a_chart_follows_from_the_keys():
    """Lines along a scale, one for each name beside it; names crossed; long lists sorted."""
    names = [f"name {n}" for n in range(40)]
    asked = wards(
        count(by="year"),
        count(by="ward"),
        count(by="name"),
        count(by=["ward", "year"]),
        count(by=["year", "ward"]),
        count(by=["name", "ward"]),
        mean("x", by=["name", "ward"]),
        count(by=["ward", "year", "age"]),
        histogram("x", by="year", bins=4),
        count(),
        name=names,
    )
    assert layouts(asked) == ["line", "", "sorted", "lines", "lines", "heat", "", "", "", ""]


def test_a_publisher_says_what_is_a_scale():
    """Numbers that are codes are names, and names may be a scale; a chart that is asked for stays."""
    asked = wards(count(by="code"), count(by="step"), code=range(1, 30), step=list("ABCDEF"))

    assert layouts(asked) == ["line", ""]
    codes = about(labels={"code": {"ordered": False}, "step": {"ordered": True}})
    assert layouts(asked, codes) == ["sorted", "line"]
    assert layouts(asked, about(labels={"code": {"values": {1: "one"}}})) == ["sorted", ""]
    assert layouts(asked, about(questions={"count by code": {"chart": "dots"}})) == ["", ""]


@pytest.mark.claim("C563")
def test_a_line_has_every_number_of_its_question():
    """As many dots as numbers that are told, and the band's ends where the intervals end."""
    document = made(wards(count(by="year"), count(by=["ward", "year"])), size=60)
    single, several = panels(document, NO_WORDS)

    assert [len(single.charts), len(several.charts)] == [1, 3]
    assert single.charts[0][1].count("<circle") == 12
    assert [chart.count("<circle") for _, chart in several.charts] == [12] * 3
    band = re.search(r'class="spread" points="([^"]*)"', single.charts[0][1])
    assert band is not None
    heights = [float(point.split(",")[1]) for point in band[1].split()]
    rows = list(told(document.statistics[0]))
    tops, feet = heights[:12], heights[12:][::-1]
    wide = [foot - top for top, foot in zip(tops, feet, strict=True)]
    real = [float(row.high) - float(row.low) for row in rows]
    unit_high = max(wide) / max(real)
    assert all(abs(w - r * unit_high) < 0.05 for w, r in zip(wide, real, strict=True))
    assert len(set(real)) > 1


@pytest.mark.claim("C563")
def test_no_chart_shows_a_part():
    """Where a page has no room for all rows of a question there is no line through some of them."""
    many = made(wards(count(by="n"), count(by="m"), n=range(199), m=range(198)), size=9_000)
    first, second = panels(many, NO_WORDS)
    assert not first.charts
    assert not second.charts
    assert first.more + second.more == 397 - 300


def test_sorted_rows_begin_with_the_largest():
    """Twelve stand open, the others are folded, and none is lost."""
    document = made(wards(count(by="name"), name=[f"n{at}" for at in range(40)]), size=9_000)
    (panel,) = panels(document, NO_WORDS)
    tables = [[line for _, lines in part.sections for line in lines] for part in panel.parts]
    values = [int(line.value.replace(",", "")) for lines in tables for line in lines]

    assert [len(lines) for lines in tables] == [12, 28]
    assert values == sorted(values, reverse=True)
    assert sorted(values) == sorted(row.value for row in told(document.statistics[0]))
    assert "partly because their noise is" in panel.caption


def test_a_heat_table_has_its_numbers_in_words():
    """Each cell with its interval, the longer list at the side, a sign where noise is large."""
    keys = {"name": [f"n{at}" for at in range(20)], "sex": [0, 1]}
    document = made(wards(count(by=["sex", "name"]), **keys), size=60)
    words = about(labels={"sex": {"name": "Sex", "values": {0: "men", 1: "women"}}})
    (panel,) = panels(document, words)

    assert (panel.heat.side, panel.heat.top) == ("name", "Sex")
    assert panel.heat.columns == ("men", "women")
    assert len(panel.heat.lines) == 20
    cells = [cell for _, line in panel.heat.lines for cell in line]
    assert {cell.value for cell in cells} == {
        f"{row.value:,}" for row in told(document.statistics[0])
    }
    assert any("unsure" in cell.shade for cell in cells)


def test_bands_are_told_in_words():
    """floor(age / 10) makes bands; a name that a publisher gives stays."""
    people = table(
        [], unit="row", columns={"age": bounds(0, 90, step=1)}, keys={}, name="p"
    ).derive(
        ten=derived("floor(age / 10)", keys=range(3)),
        from_=derived("floor(age / 15) * 15", keys=[0, 15, 30]),
        other=derived("floor(age / 10) * 5", keys=[0, 5]),
    )
    words = with_bands(about(labels={"ten": {"name": "tens"}}), people)

    assert words.labels["ten"].name == "tens"
    assert words.value("ten", 2, "2") == "20 to under 30"
    assert words.value("from_", 15, "15") == "15 to under 30"
    assert words.value("other", 5, "5") == "5"
    own = about(labels={"ten": {"values": {0: "children"}}})
    assert with_bands(own, people).value("ten", 2, "2") == "2"


class Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.pairs: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.pairs += attrs


@pytest.mark.claim("C561")
def test_no_name_of_a_chart_becomes_markup():
    """Names under a line, over small ones, in its sentence, in shaded and crossed tables."""
    words = about(
        title=LIVE,
        publisher=LIVE,
        why=LIVE,
        one=LIVE,
        labels={
            name: {
                "name": LIVE,
                "unit": LIVE,
                "values": dict.fromkeys(keys, LIVE),
                "ordered": is_,
            }
            for name, keys, is_ in (
                ("ward", "ABC", None),
                ("year", range(1990, 2002), True),
                ("sex", [0, 1], None),
            )
        },
    )
    strange = list(HOSTILE[:12])
    asked = wards(
        count(by="year"),
        count(by=["ward", "year"]),
        count(by=["ward", "sex"]),
        count(by="odd"),
        sex=[0, 1],
        odd=strange,
    )
    text = page(made(asked, size=900), Said(words))
    plain = page(made(asked, size=900))
    read, before = Attributes(), Attributes()
    read.feed(text)
    before.feed(plain)

    assert set(read.tags) == set(before.tags) | {"dl", "polygon"}
    assert {name for name, _ in read.pairs} <= {name for name, _ in before.pairs}
    assert "<script>alert" not in text.replace("&lt;", "")
    assert "\u202e" not in text
    labels = [value or "" for name, value in read.pairs if name == "aria-label"]
    assert any("<script>alert(1)</script>" in unescape(label) for label in labels)


def test_a_page_has_at_most_150_kilobytes():
    """Long lists, many questions: rows that have no place are in the tables."""
    keys = {"n": [f"name number {at}" for at in range(2_000)], "m": range(2_000)}
    long = wards(
        count(by="n"), count(by="m"), mean("x", by="n"), count(by=["ward", "year", "age"]), **keys
    )
    assert len(page(made(long, size=900)).encode()) < 150_000
    assert len(page(small()).encode()) < 60_000


@pytest.mark.claim("C593")
def test_the_flags_of_a_page_are_those_of_the_table():
    """In rows, in shaded cells and in the tables of a cube; each that occurs has its meaning below."""
    rule = {
        "flags": [
            {"from": "1%", "flag": "E", "words": "use <with> caution"},
            {"from": "6%", "flag": "F", "words": "unreliable"},
            {"from": "900%", "flag": "G", "words": "none is so bad"},
        ]
    }
    asked = wards(
        count(by="ward"),
        count(by=["ward", "age"], max_groups=1),
        mean("x", by="name"),
        cube(["ward", "age"]),
        name=[f"n{at}" for at in range(20)],
        age=range(3),
    )
    document, marked = made(asked, size=20_000), about(reliability=rule)
    every = list(panels(document, marked))
    table_flags = labelled(document, marked)
    wanted = [(row["statistic"], row["flag"]) for row in table_flags if row["flag"] is not None]

    shown: list[tuple[str, str]] = []
    for panel in every:
        cells = [line for part in panel.parts for _, lines in part.sections for line in lines]
        if panel.heat:
            cells = [cell for _, line in panel.heat.lines for cell in line]
        shown += [(panel.label, cell.flag.flag) for cell in cells if cell.flag is not None]
    plain = [label for label in (panel.label for panel in every) if "cube" not in label]
    assert sorted(shown) == sorted(pair for pair in wanted if pair[0] in plain)
    assert {mark for _, mark in shown} == {"E", "F"}
    (cubes,) = [panel for panel in every if panel.tables]
    assert any(
        cell.flag for printed in cubes.tables for line in printed.lines for cell in line.cells
    )
    for panel in every:
        borne = {mark for label, mark in shown if label == panel.label}
        assert panel.tables or [mark for mark, _ in panel.flags] == sorted(borne)
    text = page(document, Said(marked))
    assert (
        "use &lt;with&gt; caution (a coefficient of variation of the interval from 1% on)" in text
    )
    assert not any(panel.flags for panel in panels(document, NO_WORDS))


def test_words_of_a_publisher_are_marked_by_their_language():
    """Title, byline and titles of questions; the page itself is English."""
    words = about(
        title="Löhne",
        publisher="Amt",
        language="de",
        questions={"count by ward": {"title": "Wo sie wohnen"}},
    )
    text = page(made(wards(count(by="ward"), count(by="year"))), Said(words))

    assert '<html lang="en">' in text
    assert '<h1 lang="de">Löhne</h1>' in text
    assert '<dd lang="de">Amt</dd>' in text
    assert '<span lang="de">Wo sie wohnen</span>' in text
    assert text.count('lang="de"') == 3
    assert '"inLanguage": "de"' in text
    with pytest.raises(InputError, match="is no language"):
        about(language='de" onload="x')


def test_a_chart_says_what_it_shows_and_where_its_scale_begins():
    """The question and its intervals stand below the picture, whose keys are at even steps."""
    from_10 = made(wards(mean("x", by="year"), count(by="ward")), size=90_000)
    line, rows = panels(from_10, about(questions={"mean x by year": "Costs"}))

    assert line.drawn.startswith("Mean of x, by year, with 95 % intervals")
    assert rows.drawn == ""
    many = made(wards(count(by="year"), year=range(1990, 2003)), size=9_000)
    (panel,) = panels(many, NO_WORDS)
    feet = re.findall(r">(\d{4})</text>", panel.charts[0][1])
    assert feet == ["1990", "1993", "1996", "1999", "2002"]
    lows = [row.low for row in told(many.statistics[0])]
    assert panel.drawn.endswith(" The scale does not begin at 0.") == (min(lows) > 0)


def test_a_page_has_the_publishers_word_for_a_unit():
    text = page(small(), Said(about(one="patient")))
    assert "1 patient" in text
    assert "What is protected is one patient, with all rows" in text
