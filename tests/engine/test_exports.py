"""Files as people's programs export them: each row counts, or the plan's line names what would not."""

import pytest
from poison import exports as poison
from poison.cases import Share
from poison.exports import EXPORTS, TABLES, exports

from discreet.engine.csv import cut
from discreet.plans import show

pytestmark = pytest.mark.claim("C245")


def test_every_row_counts_or_its_kind_is_told():
    """One file of eight of more than 500; `make poison` tries them all."""
    assert len(EXPORTS) * TABLES >= 500

    assert [*exports(Share(8))] == []


def only(monkeypatch, *names):
    some = {name: EXPORTS[name] for name in names}
    monkeypatch.setattr(poison, "EXPORTS", some)
    return [found.what for found in exports(Share(2))]


def test_a_line_that_is_lost_is_found(monkeypatch):
    """The suite sees rows that are not counted, whatever made them none."""
    monkeypatch.setattr(cut, "LONGEST", 60)

    found = only(monkeypatch, "Excel, CSV UTF-8", "pandas")

    assert found
    assert all("counted" in one for one in found)


def test_a_plan_that_is_silent_is_found(monkeypatch):
    """Where rows are lost, the line of the plan is asked for."""
    monkeypatch.setattr(show, "cells_said", lambda *_: iter(()))

    assert any("the plan is silent" in one for one in only(monkeypatch, "pandas", "R, write.table"))
