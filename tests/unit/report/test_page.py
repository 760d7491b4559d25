"""The page, its row pictures, and the figure."""

import re
import warnings
from fractions import Fraction
from html.parser import HTMLParser
from io import BytesIO

import pytest
from matplotlib.text import Text

from discreet import bounds, iqr, ledger, plan, run, verify
from discreet.document.document import document_of
from discreet.document.numbers import spoken
from discreet.privacy.loss import approx, loss_of, pure, zcdp
from discreet.report import panels, words
from discreet.report.about_file import Said
from discreet.report.page import page
from discreet.report.pictures import figure, panel_svg
from discreet.schema import about, table, unit
from discreet.statistic.mean import mean
from unit.report_documents import HOSTILE, LOSSES, hostile, one, small

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "p", "h1"),
    *("h2", "h3", "ul", "li", "em", "b", "strong", "table", "thead", "tbody", "tfoot", "tr", "th"),
    *("td", "span", "small", "br", "bdi", "dl", "dt", "dd", "pre", "code", "div", "svg", "line"),
    *("circle", "rect", "text", "polygon", "polyline", "a", "details", "summary", "caption"),
    *("figure", "figcaption", "footer", "script", "abbr"),
}
DATA = '<script type="application/ld+json">'  # the one block, which nothing runs
SPOKEN = {"content", "aria-label"}  # attributes that hold texts, which are read to people
FILES = {"table.csv", "labelled.csv", "table.parquet", "release.json"}


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        spoken = {*SPOKEN, "name", "property"} if tag == "meta" else SPOKEN
        self.values += [value or "" for name, value in attrs if name not in spoken]

    def handle_data(self, data):
        self.words.append(data)


def read(text: str) -> Reader:
    found = Reader()
    found.feed(text)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rehearsal", [False, True])
def test_no_key_becomes_markup(rehearsal):
    """Whatever names and keys say, the page has our tags and attributes and no others."""
    ours = read(page(small(rehearsal=rehearsal)))
    theirs = read(page(hostile()))

    assert theirs.tags | ours.tags <= ALLOWED
    assert not {name for name in theirs.attributes if name.startswith("on")}
    known = ours.attributes | read(page(small())).attributes
    assert theirs.attributes <= known | {"colspan", "scope", "class"}
    assert not [value for value in theirs.values if "script" in value or "http:" in value]
    assert page(hostile()).count("<script") == page(hostile()).count(DATA) == 1
    assert set(re.findall('href="([^"]*)"', page(hostile()))) <= FILES


@pytest.mark.slow
def test_every_hostile_key_is_shown_as_text():
    """Nothing is lost and nothing is hidden: what cannot be printed stands there as its code."""
    text = page(hostile())
    shown = "".join(read(text).words)

    assert "<script>alert(1)</script>" in shown
    assert "{{ 7*7 }}" in shown
    assert "\\u202eb" in shown
    assert "\\x1b[31mred" in shown
    assert not {c for c in text if not c.isprintable()} - {"\n"}


def test_the_page_forbids_scripts_and_requests_by_itself():
    """Its policy is the first thing in it, and it needs nothing that the policy forbids."""
    text = page(small())

    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in text
    assert text.count(DATA) == 1
    start, end = text.index(DATA), text.index("</script>") + len("</script>")
    assert not re.search(r"https?:|src=|url\(|@import|<script", text[:start] + text[end:])
    assert set(re.findall(r'href="?([^">]*)', text)) <= FILES


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_the_page_says_how_it_was_done(loss, neighbors):
    """Protection, unit, loss, law, bounds, keys, limits, ledger, request and how to verify."""
    document = small(loss=loss, neighbors=neighbors)
    shown = " ".join("".join(read(page(document)).words).split())

    drawn = document.statistics[0].vectors[0].noise["law"]
    law = {"discrete_laplace": "discrete Laplace", "discrete_gaussian": "discrete Gaussian"}[drawn]
    entry = document.ledger
    for fact in (
        *(
            "visits",
            str(loss_of(document.protection.loss)),
            law,
            "0 to 5000 in steps of 0.01",
            "A, B, C",
            neighbors,
        ),
        *("at most 3 rows", "at most 1 group", "at most 2 rows", "discreet verify"),
        *(document.request, document.digest, entry.id, entry.hash, f"entry {entry.seq}"),
        *(document.convention, document.software.version, "can bias", "95 % interval"),
    ):
        assert fact in shown, fact


def test_a_rehearsal_is_marked_on_the_page():
    """In the title, in a warning, and across each picture."""
    assert 'class="rehearsal"' in page(small(rehearsal=True))
    assert "say nothing of any data" in page(small(rehearsal=True))
    assert "say nothing of any data" not in page(small())


def test_the_same_document_gives_the_same_page():
    """No clock, no chance, no order of a set; and the same once it was written and read again."""
    assert page(small()) == page(small())
    assert page(document_of(small().text())) == page(small())


@pytest.mark.parametrize("from_zero", [False, True])
@pytest.mark.parametrize(
    "row", [(0.0, 0.0, 5e-324), (1e300, 1e300, 1e300), (3.0, 3.0, 3.0000000000000004)]
)
def test_numbers_that_are_all_but_one_have_a_scale(row, from_zero):
    """A release of quartiles that fall together was paid for, and could not be saved."""
    scale = panels.scale_of([row], from_zero=from_zero)
    assert scale.low < scale.high
    assert "circle" in panels.dot(scale, *row)
    assert panels.axis(scale, ["" for _ in scale.ticks])


def test_quartiles_that_fall_together_are_saved(tmp_path):
    """All cells in one step: their distance is 0, and its interval ends at the next double."""
    wages = table([{"x": 2}] * 3_000, unit="row", columns={"x": bounds(0, 9, step=1)}, name="wages")
    book = ledger(tmp_path / "a.ledger", budget=zcdp(1))
    found = run(plan(wages, iqr("x"), spend=zcdp(1)), ledger=book)
    assert found["iqr x"].rows[0]["value"] == 0
    assert verify(found.save(tmp_path / "a.release"), ledger=book)


def test_too_few_to_say_has_an_interval_and_no_point():
    """A mean without rows shows all that could be true, and no number."""
    document = one(mean("x"), size=2)
    value, low, high = document.statistics[0].answer.rows[0][-3:]
    scale = panels.scale_of([(value, low, high)], from_zero=False)

    assert value is None
    assert "circle" not in panels.dot(scale, value, low, high)
    assert "bare" in panels.dot(scale, value, low, high)
    assert "too few to say" in page(document)


def test_shown_intervals_are_rounded_outward():
    """What is read off the page covers no less than release.json says, in its decimals."""
    for low, high in ((0.1234567, 0.2), (-5.55, 7.001), (1e-9, 3e-9), (-1e20, 1e21), (3, 9)):
        _, start, end = spoken(low, low, high)
        assert Fraction(start.replace(",", "")) <= Fraction(str(low))
        assert Fraction(end.replace(",", "")) >= Fraction(str(high))


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 0, 0)],
        [(None, -1.0, 1.0)],
        [(5, 4, 6), (None, 0, 10**9)],
        [(1e300, -1e300, 1e300)],
        [(1e-300, 0.0, 2e-300)],
        [(-901, 0, 0)],
    ],
)
def test_every_number_stays_inside_its_picture(rows):
    """Also where all numbers are equal, huge or missing."""
    for from_zero in (True, False):
        scale = panels.scale_of(rows, from_zero=from_zero)
        for row in rows:
            for drawn in (panels.dot, panels.bar):
                places = re.findall(r'(?:x|x1|x2|cx)="([^"]*)%"', drawn(scale, *row))
                assert places
                assert all(0 <= float(place) <= 100 for place in places)


def test_what_a_loss_means_is_never_stronger_than_the_loss():
    """Factors are rounded up; a huge loss promises nothing."""
    rows, units = (table([], unit=who) for who in ("row", unit("id", max_rows=3)))
    odds, test = words.loss_sentences(pure(1), table=rows)
    assert "2.719" in odds  # e = 2.71828...
    assert "this row is in the data" in test
    assert "at most 2.72 of 100 cases" in test
    assert words.loss_sentences(approx(1, 0), table=rows) == [odds, test]
    implied, _ = words.loss_sentences(zcdp("1/50"), table=units)
    assert "(0.901, 0.000001) and (1.164, 1e-9)" in implied  # 0.89994 and 1.16329
    for loss in (pure(1_000), approx(1_000, "0.5")):
        _, marked, *_ = words.loss_sentences(loss, table=units)
        assert marked.startswith("WARNING: this protects hardly anybody.")
        assert "this unit is in the data" in marked
        assert "at most 100 of 100 cases" in marked


@pytest.mark.parametrize(
    ("neighbors", "by"),
    [("add_remove", "more or less"), ("replace", "in the place of another")],
)
def test_neighbors_are_said_in_a_publishers_word(neighbors, by):
    """A row, a unit, or what the publisher calls one, which may be any text."""
    for who, own in (("row", "row"), (unit("id", max_rows=3), "unit")):
        declared = table([], unit=who, neighbors=neighbors)
        for called in ("", "person"):
            wanted = f"one {called or own} {by} ({neighbors})"
            assert words.neighboring(declared, called) == wanted
    assert "one person: each row that counts is one person." in words.who(
        table([], unit="row"), "person"
    )
    shown = page(small(neighbors=neighbors), Said(about(one="<b>person</b>")))
    assert f"one &lt;b&gt;person&lt;/b&gt; {by} ({neighbors})" in shown


def test_a_loss_that_protects_nobody_is_red_on_the_page():
    """And one that protects is not."""
    assert '<li class="warning">WARNING' in page(small(loss=pure(1_000)))
    assert 'class="warning"' not in page(small())


@pytest.mark.slow
def test_the_figure_has_a_panel_a_statistic_and_reads_no_mathematics():
    """Keys such as $x^2$ are drawn as they are."""
    document = hostile()
    made = figure(document)

    assert len(made.axes) == len(document.statistics)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font.*")
        made.savefig(BytesIO(), format="png", dpi=20)
    ticks = [text for panel in made.axes for text in panel.get_yticklabels()]
    assert not any(text.get_parse_math() for text in ticks)
    assert "$x^2$" in {text.get_text() for text in ticks}
    assert all("\x1b" not in text.get_text() for text in ticks)
    assert len(HOSTILE) == len(made.axes[0].get_yticklabels())


@pytest.mark.slow
def test_a_figure_of_a_rehearsal_has_a_watermark():
    """Across every panel."""
    for panel in figure(small(rehearsal=True)).axes:
        assert "REHEARSAL: made-up data" in {text.get_text() for text in panel.texts}
    assert not [
        text
        for panel in figure(small()).axes
        for text in panel.findobj(Text)
        if "REHEARSAL" in text.get_text()
    ]


@pytest.mark.slow
def test_a_picture_as_svg_is_the_same_each_time_and_holds_no_key_as_markup():
    """No date, no random id, no script."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font.*")
        first, second = panel_svg(hostile(), 0), panel_svg(hostile(), 0)

    assert first == second
    assert "<script" not in first
    assert "onerror=alert(1)>" not in re.sub(r"<!--.*?-->", "", first, flags=re.DOTALL)
    assert "dc:date" not in first
