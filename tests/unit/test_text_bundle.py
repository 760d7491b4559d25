"""What a notebook shows: the table, and a picture of a plan, a release, cleaned numbers, a ledger."""

import base64
import re
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

import discreet as dp
from discreet.text import Bar, bars_drawn

KINDS = {"text/plain", "text/html", "image/svg+xml"}
ROWS = [{"ward": "ab"[n % 2], "age": n % 90} for n in range(200)]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    table = dp.table(
        ROWS,
        name="visits <b>",
        unit="row",
        columns={"age": dp.bounds(0, 90)},
        keys={"ward": ["a", "b"]},
    )
    plan = dp.plan(table, dp.count(by="ward"), dp.histogram("age", bins=9), spend=dp.zcdp("1/8"))
    ledger = dp.ledger(folder / "t.ledger", budget=dp.zcdp(1))
    release = dp.run(plan, ledger=ledger)
    return {"plan": plan, "release": release, "cleaned": dp.denoise(release), "ledger": ledger}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plan", "release", "cleaned", "ledger"])
def test_a_notebook_gets_text_a_table_and_a_picture(shown, name):
    """The picture is in the page, too, as an image of its own: nothing of it leaks into the page."""
    thing = shown[name]
    bundle = thing._repr_mimebundle_(include=None, exclude=None)

    assert set(bundle) == KINDS
    assert bundle["text/plain"] == repr(thing)
    assert bundle["text/html"].startswith(thing._repr_html_())
    (image,) = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", bundle["text/html"])
    assert base64.b64decode(image).decode() == bundle["image/svg+xml"]
    assert ET.fromstring(bundle["image/svg+xml"]).tag.endswith("svg")
    assert "<b>" not in bundle["image/svg+xml"]


@pytest.mark.slow
def test_the_formatter_of_ipython_takes_it(shown):
    """As a cell of a notebook does."""
    formatters = pytest.importorskip("IPython.core.formatters")
    data, _ = formatters.DisplayFormatter().format(shown["plan"])
    assert set(data) >= KINDS


def test_bars_are_as_long_as_they_say_and_end():
    """The longest reaches the end; a share of nothing is still seen; many are cut, and counted."""
    bars = [
        Bar("all", "1", Fraction(1)),
        Bar("half", "1/2", Fraction(1, 2)),
        Bar("0", "0", Fraction(0)),
    ]
    widths = re.findall(r'width="(\d+)" height="14"', bars_drawn("t", bars))
    assert widths == ["260", "130", "1"]
    many = bars_drawn("t", bars * 40)
    assert many.count('height="14"') == 40
    assert "... and 80 more" in many
    assert "&lt;&amp;" in bars_drawn("<&", bars)
