"""The tutorial's plan of census microdata, run as it is written, where the file is there."""

import os
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from session import run

import discreet as dp

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data")) / "pums-fulton.csv"
PAGE = ROOT / "docs" / "of-those-who.md"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    if not DATA.is_file():
        pytest.skip("pums-fulton.csv is not in the folder that DISCREET_DATA names")
    shutil.copy(DATA, tmp_path)
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "pums.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(command):
    code, said = run(command)
    assert code == 0, said
    return " ".join(said.split())


def true_counts():
    rows = pd.read_csv("pums-fulton.csv")
    rows = rows[(rows["employed"] == 1) & (rows["age"] >= 16)]
    band = pd.cut(rows["age"], [16, 25, 35, 45, 55, 65, 999], right=False, labels=False)
    starts = band.map(dict(enumerate([16, 25, 35, 45, 55, 65])))
    return rows.assign(band=starts)


@pytest.mark.slow
@pytest.mark.claim("C52")
def test_a_census_file_becomes_a_release_of_the_employed_by_sex_and_band(folder):
    """From the file to a checked release, in the plan file alone; false once in 1e6."""
    told = typed("discreet plan pums.toml")
    assert "Rows: those where employed = 1 AND age >= 16." in told
    assert "tables where married = 1" in told

    typed("discreet ledger init pums.ledger --rho 1/8 --subject 'Fulton County'")
    typed("discreet release pums.toml --ledger pums.ledger --out pums.release")
    assert "ok: the ledger's chain is whole" in typed(
        "discreet verify pums.release --ledger pums.ledger"
    )

    release, rows = dp.load("pums.release"), true_counts()
    for row in release["count by sex and band"]:
        true = ((rows["sex"] == row["sex"]) & (rows["band"] == row["band"])).sum()
        assert abs(row["value"] - true) <= 3 * (row["high"] - row["value"])
    income = rows["income"].clip(0, 200_000)
    for row in release["mean income by sex and band"]:
        group = income[(rows["sex"] == row["sex"]) & (rows["band"] == row["band"])]
        assert abs(row["value"] - group.mean()) <= 3 * (row["high"] - row["low"]) / 2 + 50
    total = release["tables where married = 1"].total()
    listed = rows[rows["sex"].isin([0, 1])]
    assert abs(total.value - (listed["married"] == 1).sum()) <= 3 * (total.high - total.low)
