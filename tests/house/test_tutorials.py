"""Tutorials: one path from data to a release that is checked, on data that is there."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
(NAV,) = [part["Tutorials"] for part in SITE["nav"] if "Tutorials" in part]
TUTORIALS = [path for entry in NAV for path in entry.values()]
RUN = re.compile(r"^```(?:python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def missing(text):
    """What a tutorial must have, and has not."""
    code = "\n".join(RUN.findall(text))
    steps = {
        "a plan": "dp.plan(" in code or "discreet plan " in code or "discreet heatmap " in code,
        "a ledger": "dp.ledger(" in code or "discreet ledger init " in code,
        "a check": "dp.verify(" in code or " verify " in code,
        "data that is there": not re.search(r"https?://|urlopen|requests", code),
        "output": bool(re.search(r"^```(text|output)\n", text, re.MULTILINE)),
    }
    return [name for name, there in steps.items() if not there]


@pytest.mark.claim("C554")
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_goes_from_data_to_a_release_that_is_checked(page):
    """It plans, pays and verifies, and downloads nothing."""
    assert missing((ROOT / "docs" / page).read_text(encoding="utf-8")) == []


@pytest.mark.claim("C554")
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_is_short(page):
    """Its prose and code are read in ten minutes."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")

    assert 300 <= len(text.split()) <= 1200


@pytest.mark.claim("C554")
def test_a_page_that_is_no_tutorial_is_seen():
    """The check has power."""
    page = '```python\ndp.table("https://example.org/a.csv")\n```\n'

    assert missing(page) == ["a plan", "a ledger", "a check", "data that is there", "output"]
