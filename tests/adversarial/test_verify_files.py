"""Each file of a published release is checked, or said not to be; what does not belong is a fault.

A folder, a zip, and the folder of a heat map, each with one thing changed, added or taken away.
"""

import io
import json
import os
import shutil
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.errors import VerifyError
from discreet.maps.heatmap import Points, heatmap, save
from discreet.maps.net import grid
from discreet.releases import verify as room
from discreet.report import files_check as others_room
from discreet.report.files_check import Others

pytestmark = [pytest.mark.claim("C15"), pytest.mark.slow]

ROWS = [{"ward": "AB"[i % 2], "x": i % 3, "y": 0.5} for i in range(90)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder, a zip and a map, and their ledger."""
    folder = tmp_path_factory.mktemp("saved")
    table = dp.table(ROWS, unit="row", keys={"ward": ["A", "B"]}, name="visits")
    ledger = dp.ledger(folder / "visits.ledger", budget=dp.pure(9))
    release = dp.run(dp.plan(table, dp.count(by="ward"), spend=dp.pure(1)), ledger=ledger)
    release.save(folder / "visits.release")
    release.save(folder / "visits.zip")
    points = Points(ROWS, "x", "y", name="visits")
    net = grid(-1, 0, 3, 1, columns=4, rows=1)
    save(heatmap(points, net, spend=dp.pure(1), ledger=ledger, how="raw"), folder / "visits.map")
    return folder


@pytest.fixture
def place(saved, tmp_path):
    """A copy to be spoiled."""
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def fails(path, *names):
    with pytest.raises(VerifyError) as caught:
        dp.verify(path)
    for name in names:
        assert name in caught.value.what
    assert len(str(caught.value).split("\n")) == 3
    return caught.value


def test_every_file_is_accounted_for(saved):
    """In what was checked, or in what was not, with the reason."""
    ledger = saved / "visits.ledger"
    for name in ("visits.release", "visits.zip", "visits.map"):
        found = dp.verify(saved / name, ledger=ledger)
        said = "\n".join(found.checks + found.unchecked)
        files = (
            zipfile.ZipFile(saved / name).namelist()
            if name.endswith("zip")
            else os.listdir(saved / name)
        )
        assert len(files) >= 5
        assert all(file in said for file in files), (files, said)
        assert (found.unchecked == ()) == (name != "visits.map")
    assert "map.png" in str(found).split("not checked: ")[-1]
    assert dp.verify(saved / "visits.release").unchecked == ("who paid (no ledger was given)",)
    alone = dp.verify(saved / "visits.release" / "release.json", ledger=ledger)
    assert "table.csv" in alone.unchecked[0]


def test_what_a_parquet_file_says_beside_its_cells_is_caught(place):
    """Least and largest values of a column, which some programs believe, and room for notes."""
    path = place / "visits.release" / "table.parquet"
    content = path.read_bytes()
    least = content.rindex(b"count by ward")
    notes = io.BytesIO()
    written = pq.read_table(path)
    pq.write_table(written.replace_schema_metadata({"raw": "zebrafish"}), notes)

    path.write_bytes(content[:least] + b"count by wars" + content[least + 13 :])
    assert pq.read_table(path) == written
    fails(place / "visits.release", "table.parquet")
    path.write_bytes(notes.getvalue())
    (said, _) = dp.verify(place / "visits.release").unchecked
    assert said.startswith("what table.parquet holds beside its cells (written by parquet-cpp")
    path.write_bytes(content)
    assert "table.parquet" in dp.verify(place / "visits.release").checks[3]


def stray_file(folder):
    (folder / "raw_data.csv").write_text("person,ward\n1,A\n")
    return "raw_data.csv"


def hidden_file(folder):
    (folder / ".DS_Store").write_bytes(b"\0")
    return ".DS_Store"


def copy_of_a_table(folder):
    shutil.copy(folder / "table.csv", folder / "Table.csv")
    return "Table.csv"


def folder_of_files(folder):
    (folder / "data").mkdir()
    return "data/"


def empty_folder_by_a_known_name(folder):
    (folder / "README.txt").unlink()
    (folder / "README.txt").mkdir()
    return "README.txt/"


def pipe_by_a_known_name(folder):
    (folder / "table.csv").unlink()
    os.mkfifo(folder / "table.csv")
    return "table.csv (no file)"


def device_by_a_known_name(folder):
    (folder / "table.parquet").unlink()
    (folder / "table.parquet").symlink_to("/dev/zero")
    return "table.parquet (no file)"


def link_to_nothing(folder):
    (folder / "gone").symlink_to("nowhere")
    return "gone (no file)"


def map_of_another_kind(folder):
    (folder / "map.geojson").write_text("{}")
    return "map.geojson"


def name_that_steers_the_terminal(folder):
    (folder / "a\x1b[31m\u202e.csv").write_text("")
    return r"a\x1b[31m\u202e.csv"


STRANGERS = [
    stray_file, hidden_file, copy_of_a_table, folder_of_files, empty_folder_by_a_known_name,
    pipe_by_a_known_name, device_by_a_known_name, link_to_nothing, map_of_another_kind,
    name_that_steers_the_terminal,
]  # fmt: skip


@pytest.mark.parametrize("act", STRANGERS)
def test_what_no_release_holds_is_a_fault(act, place):
    """It is named, never opened, and told to be taken out before anything is published."""
    error = fails(place / "visits.release", act(place / "visits.release"))

    assert "does not belong" in error.what
    assert "before anything is published" in error.fix


def test_many_strangers_are_told_in_one_line(place):
    """However many there are."""
    for number in range(3_000):
        (place / "visits.release" / f"part-{number}.csv").touch()

    assert len(fails(place / "visits.release").what) < 200


@pytest.mark.parametrize(
    "member", ["raw_data.csv", "data/raw.csv", "__MACOSX/._table.csv", "README.txt", "data/"]
)
def test_a_stranger_in_a_zip_is_a_fault(member, place):
    """Beside the release, below it, or under a name that is there already."""
    with zipfile.ZipFile(place / "visits.zip", "a") as archive:
        if member == "README.txt":
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr(member, "person,ward\n1,A\n")
        else:
            archive.writestr(member, "" if member.endswith("/") else "1,A\n")

    fails(place / "visits.zip", member)


def test_a_zip_of_the_folder_itself_is_a_release(place):
    """As every packer makes it; a file outside the folder is a stranger."""
    path = place / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("visits.release/", "")
        for file in (place / "visits.release").iterdir():
            archive.write(file, f"visits.release/{file.name}")
    assert len(dp.verify(path).checks) == 4

    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("raw_data.csv", "1")
    fails(path, "raw_data.csv")


@pytest.mark.parametrize("text", ["", "more", "A differentially private release.\n"])
def test_an_altered_readme_is_caught(text, place):
    """Shorter, longer, another; in the folder and in a zip of it."""
    readme = place / "visits.release" / "README.txt"
    readme.write_text(readme.read_text() + text if text == "more" else text)
    fails(place / "visits.release", "README.txt")
    with zipfile.ZipFile(place / "b.zip", "w") as archive:
        for file in (place / "visits.release").iterdir():
            archive.write(file, file.name)
    fails(place / "b.zip", "README.txt")


def edited(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_an_edited_version_does_not_switch_the_check_of_the_report_off(place):
    """A report that another version wrote says so itself; then it is said not to be checked."""
    folder = place / "visits.release"
    own = dp.load(folder).document.software.version
    edited(folder / "release.json", f'"version":"{own}"', '"version":"9.9"')
    fails(folder, "report.html")

    edited(folder / "report.html", f"by discreet {own}", "by discreet 9.9")
    found = dp.verify(folder)
    assert f"report.html and README.txt (written by discreet 9.9, and this is {own})" in (
        found.unchecked
    )
    assert "report.html" not in " ".join(found.checks)
    with pytest.raises(VerifyError, match="the result that was stored"):
        dp.verify(folder, ledger=place / "visits.ledger")


def seen(path):
    """Return which file is said to be changed."""
    try:
        dp.verify(path)
    except VerifyError as error:
        return error.what.split(": ")[1].split(" ")[0]
    return None


def leaves(value, path=()):
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in parts:
        if isinstance(part, (dict, list)):
            yield from leaves(part, (*path, name))
        else:
            yield (*path, name), part


def test_no_leaf_of_a_map_but_the_cleaned_numbers_can_be_changed_unseen(place):
    """Places, raw numbers, intervals, words about the release; what cleaning says is not checked."""
    path = place / "visits.map" / "map.geojson"
    honest = json.loads(path.read_text())
    unseen = set()
    for at, value in leaves(honest):
        changed = json.loads(json.dumps(honest))
        inner = changed
        for step in at[:-1]:
            inner = inner[step]
        inner[at[-1]] = value + "x" if isinstance(value, str) else value + 1
        path.write_text(json.dumps(changed))
        if seen(place / "visits.map") != "map.geojson":
            unseen.add(at[-1])

    assert len(list(leaves(honest))) > 30
    assert unseen == {"cleaned", "denoiser"}  # error is the same in all places, or it is seen


def less(made):
    made["features"].pop()


def more(made):
    made["features"].append(made["features"][0])


def turned(made):
    made["features"].reverse()


def planted(made):
    made["features"][0]["properties"]["person"] = "Ann Miller"


def endless(made):
    made["features"][0]["properties"]["cleaned"] = float("inf")


@pytest.mark.parametrize("act", [less, more, turned, planted, endless])
def test_a_map_of_other_places_is_caught(act, place):
    """Fewer, more, in another order, with something else in it, without end."""
    path = place / "visits.map" / "map.geojson"
    made = json.loads(path.read_text())
    act(made)
    path.write_text(json.dumps(made))

    fails(place / "visits.map", "map.geojson")


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, "[]", '{"features": []}', " " * 10**6])
def test_a_map_that_is_none_is_caught(text, place):
    """And no traceback is seen."""
    (place / "visits.map" / "map.geojson").write_text(text)

    fails(place / "visits.map", "map.geojson")


def test_a_check_that_looks_at_known_files_only_is_caught(place, monkeypatch):
    """The check has power: without the list of all names, the data itself would pass."""
    stray_file(place / "visits.release")
    monkeypatch.setattr(others_room, "others", lambda *_: Others())

    assert room.verify(place / "visits.release").checks


def test_a_map_says_the_intervals_of_the_table(saved):
    """Both files are made of the same answers, far from the bound at 0, too."""
    rows = dp.load(saved / "visits.map").document.statistics[0].answer.rows
    made = json.loads((saved / "visits.map" / "map.geojson").read_text())
    said = [[f["properties"][name] for name in ("raw", "low", "high")] for f in made["features"]]

    assert said == [list(row[-3:]) for row in rows]
    assert max(low for _, low, _ in said) > 10
