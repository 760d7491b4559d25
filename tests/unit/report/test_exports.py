"""Files of a release: where they may lie, and what the command line says of them."""

import json

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.document.regular import csv_rows
from discreet.errors import InputError
from discreet.releases.release import Release
from discreet.report.bundle import save
from unit.report.test_forms import FLAGS, ruled
from unit.report.test_sdmx_csv import NAMES

pytestmark = pytest.mark.claim("C565")
ABOUT = dp.about(
    sdmx=NAMES, reliability=FLAGS, labels={"k": {"name": "ward", "values": {"=1+1": "C"}}}
)


@pytest.mark.parametrize("form", ["long", "wide"])
def test_a_file_has_the_rows_of_its_table(form, tmp_path):
    """As CSV that no spreadsheet runs."""
    release = Release(ruled())
    table = release.table(form=form, about=ABOUT)
    text = release.export(tmp_path / "t.csv", form=form, about=ABOUT).read_bytes().decode("utf-8")

    assert csv_rows(text, table.kinds) == (table.columns, [tuple(row) for row in table.rows])


def test_nothing_is_written_over_or_into_a_release(tmp_path):
    """Another ending, a file that is there, and a saved release are refused."""
    release = Release(ruled())
    place = save(release.document, tmp_path / "wards.release")
    (tmp_path / "there.xlsx").write_text("mine")
    for path, form in [
        (tmp_path / "there.xlsx", None),
        (place / "tables.xlsx", None),
        (tmp_path / "tables.ods", None),
        (tmp_path / "tables.xlsx", "long"),
        (tmp_path / "tables.csv", "excel"),
        (tmp_path / "no" / "tables.csv", None),
    ]:
        with pytest.raises(InputError):
            release.export(path, form=form)
    assert (tmp_path / "there.xlsx").read_text() == "mine"
    assert not (tmp_path / "tables.csv").exists()
    with pytest.raises(InputError, match="no form of the table"):
        release.table(form="tall")


@pytest.mark.slow
def test_the_command_line_writes_each_form(tmp_path, capsys, monkeypatch):
    """In the words that lie beside the release; what is not shown is in none of them."""
    monkeypatch.chdir(tmp_path)
    save(ruled(), tmp_path / "wards.release", about=ABOUT)
    for form, name in [
        *(("long", "l.csv"), ("wide", "w.csv"), ("sdmx-csv", "s.csv"), ("excel", "e.xlsx")),
    ]:
        assert main(["table", "wards.release", "--form", form, "--out", name]) == 0
        assert f"The table is in {name}." in capsys.readouterr().out
    asked = ["--of", "count by k and s", "--rows", "k", "--columns", "s"]
    assert main(["table", "wards.release", *asked, "--out", "c.xlsx"]) == 0
    assert "C" in capsys.readouterr().out
    assert main(["table", "wards.release", "--form", "wide", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["columns"][:2] == ["ward", "s"]
    assert len(answer["rows"]) == 10 + 2 + 5
    for wrong in (["--form", "excel"], ["--form", "wide", "--rows", "k"], ["--form", "tall"]):
        assert main(["table", "wards.release", *wrong]) == 2
    assert main(["verify", "wards.release"]) == 0
