"""Flags in a saved release and in a plan file: kept beside the numbers, checked, put right for nothing."""

import shutil

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.errors import InputError, VerifyError
from discreet.plan_file.plan_file import read_plan_file
from discreet.report.bundle import save
from unit.report.test_forms import FLAGS
from unit.report_documents import one, small

pytestmark = pytest.mark.claim("C568")
FILE = """\
[data]
source = "people.csv"
unit = "row"
[keys]
ward = ["A", "B"]
[about]
publisher = "Office of Examples"
[about.reliability]
by = "half_width"
flags = [{ from = 10, flag = "*", words = "imprecise" }, { from = 25.5, flag = "**", words = "poor" }]
[about.sdmx]
structure = "ABC:WARDS(1.0)"
dimensions = { ward = "WARD" }
[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = "ward"
"""


def test_flags_are_kept_and_checked_and_put_right(tmp_path, monkeypatch):
    """labelled.csv has them; one that was changed does not verify; other thresholds cost nothing."""
    monkeypatch.chdir(tmp_path)
    place = save(small(), tmp_path / "r.release", about=dp.about(reliability=FLAGS))
    numbers = (place / "release.json").read_bytes()
    table = place / "labelled.csv"
    assert table.read_text("utf-8").splitlines()[0].endswith('"value","low","high","flag"')
    assert dp.verify(place).checks

    other = {"flags": [{"from": "90%", "flag": "?", "words": "a guess"}]}
    dp.load(place).annotate(place, dp.about(reliability=other))
    assert '"?"' in table.read_text("utf-8")
    assert (place / "release.json").read_bytes() == numbers
    assert dp.verify(place).checks
    shutil.copytree(place, tmp_path / "changed.release")
    changed = tmp_path / "changed.release" / "labelled.csv"
    changed.write_text(changed.read_text("utf-8").replace('"?"', '""', 1), "utf-8", newline="")
    with pytest.raises(VerifyError, match=r"labelled\.csv"):
        dp.verify(tmp_path / "changed.release")


def test_a_plan_file_declares_flags_and_names(tmp_path):
    """In whole numbers, decimals and percent; a slip is refused with its place, before any charge."""
    path = tmp_path / "plan.toml"
    path.write_text(FILE)
    about = read_plan_file(path).about

    assert [flag.plain()["from"] for flag in about.reliability.flags] == ["10", "25.5"]
    assert about.sdmx.dimensions == {"ward": "WARD"}
    for good, bad in (('flag = "*"', 'flagg = "*"'), ('by = "half_width"', 'by = "cv"')):
        path.write_text(FILE.replace(good, bad))
        with pytest.raises(InputError, match=r"plan\.toml"):
            read_plan_file(path)
    path.write_text(FILE.replace("ABC:WARDS(1.0)", "WARDS"))
    assert main(["plan", str(path)]) == 2


def test_days_and_choices_have_no_flag():
    """A day has no size that an error could be a part of; a number of which nothing is known neither."""
    table = dp.table(
        [], unit="row", keys={"k": ["a", "b"]}, columns={"d": dp.bounds("2000-01-01", "2000-12-31")}
    )
    plan = dp.plan(table, dp.mean("d", by="k"), dp.choose("k"), dp.count(), spend=dp.zcdp(1))
    release = dp.rehearse(plan)
    of = {
        row["statistic"]: row["flag"] for row in release.table(about=dp.about(reliability=ALWAYS))
    }
    few = dp.Release(one(dp.mean("x", by="k"), size=2)).table(about=dp.about(reliability=ALWAYS))

    assert of == {"mean d by k": None, "choose by k": None, "count": "A"}
    assert few.column("flag") == [None, None]


ALWAYS = {"flags": [{"from": 0, "flag": "A", "words": "any"}]}
