"""What a page says to cards and search: no more than to readers, and never as markup."""

import json
import re

import pytest

from discreet import about
from discreet.report.about_file import Said
from discreet.report.metadata import metadata_of
from discreet.report.page import page
from unit.report_documents import hostile, small

ENDS = "</script><script>alert(1)</script><!-- & ]]> \u2028 \u202e"
BLOCK = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@pytest.mark.claim("C561")
def test_no_text_ends_the_block_of_data():
    """Titles, names and labels are what they were once the data is read."""
    words = about(title=ENDS, publisher=ENDS, licence=ENDS, period=ENDS)
    text = page(hostile(), Said(words))
    (block,) = BLOCK.findall(text)

    assert text.count("<script") == 1
    assert not set(block) & set("<>&\u2028\u202e")
    data = json.loads(block)
    assert data["name"] == data["license"] == data["creator"]["name"] == ENDS
    assert data["variableMeasured"][0] == "count by =1+1"


@pytest.mark.claim("C564")
def test_nothing_is_said_of_a_rehearsal():
    """Its numbers are none: no card, no data, and search is sent away."""
    text = page(small(rehearsal=True), Said(about(url="https://a.org/r")))
    assert "og:" not in text
    assert "ld+json" not in text
    assert not any(metadata_of(small(rehearsal=True), about(url="https://a.org/r")).values())
    assert '<meta name="robots" content="noindex">' in text
    assert "robots" not in page(small())


@pytest.mark.claim("C564")
def test_a_card_is_named_by_its_whole_address_or_not_at_all():
    """Readers of cards know no other address."""
    bare = dict(metadata_of(small(), about())["cards"])
    named = dict(metadata_of(small(), about(url="https://a.org/r/"))["cards"])

    assert "og:image" not in bare
    assert named["og:image"] == "https://a.org/r/card.png"
    assert named["og:title"] == bare["og:title"] == "visits"


def test_the_data_is_a_dataset():
    """Of schema.org: name, description, licence, what was measured and how, and where the files are."""
    words = about(publisher="Office", licence="CC BY 4.0", period="2000", url="https://a.org/r")
    data = json.loads(metadata_of(small(), words)["data"])

    assert (data["@type"], data["license"], data["temporalCoverage"]) == (
        "Dataset",
        "CC BY 4.0",
        "2000",
    )
    assert data["measurementTechnique"] == "Differential privacy, rho = 0.02"
    assert "count by ward" in data["variableMeasured"]
    assert [part["contentUrl"] for part in data["distribution"]] == ["table.csv", "release.json"]
    assert 50 <= len(data["description"]) <= 300
    assert "isBasedOn" not in data
