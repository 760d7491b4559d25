"""A publisher's words: shown, kept beside the numbers, put right for nothing, and never believed."""

import json
import shutil
from decimal import Decimal

import numpy as np
import pytest

import discreet as dp
from discreet.document.headings import check_about
from discreet.errors import InputError, VerifyError
from discreet.plan_file.plan_file import read_plan_file
from discreet.report.about_file import Said
from discreet.report.page import page

SAID = {
    "title": "Wages & schooling <2000>",
    "publisher": "Office of Examples",
    "population": "Persons aged 25 to 60",
    "licence": "CC BY 4.0",
    "notes": ["Wages before tax."],
    "labels": {
        "educ": {"name": "years of schooling", "values": {9: "up to grade 8"}},
        "sex": "sex",
    },
}
FILE = """\
title = "Wages"
[data]
source = "people.csv"
unit = "row"
[keys]
educ = { from = 9, to = 12 }
[about]
publisher = "Office of Examples"
[labels.educ]
name = "years of schooling"
values = { 9 = "up to grade 8" }
[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = "educ"
"""


@pytest.fixture(scope="module")
def release():
    table = dp.table([], unit="row", name="census", keys={"educ": range(9, 13), "sex": ["f", "m"]})
    questions = [dp.count(by="educ"), dp.count(by=["educ", "sex"])]
    return dp.rehearse(dp.plan(table, *questions, spend=dp.zcdp("1/50")))


@pytest.fixture(scope="module")
def once(release, tmp_path_factory):
    return release.save(tmp_path_factory.mktemp("said") / "r.release", about=dp.about(**SAID))


@pytest.fixture
def saved(once, tmp_path):
    return shutil.copytree(once, tmp_path / "r.release")


@pytest.mark.claim("C66")
def test_the_report_says_it_and_the_numbers_do_not_change(release, saved, tmp_path):
    """Title, publisher and names of keys are in the page, escaped; release.json is as without."""
    plain = release.save(tmp_path / "plain.release")
    text = (saved / "report.html").read_text("utf-8")

    assert "<h1>Wages &amp; schooling &lt;2000&gt;</h1>" in text
    assert "Office of Examples" in text
    assert "up to grade 8" in text
    assert "years of schooling" in text
    for name in ("release.json", "table.csv"):
        assert (saved / name).read_bytes() == (plain / name).read_bytes()
    found = dp.verify(saved)
    assert any("report.html" in check for check in found.checks)
    assert any("publisher's own words" in what for what in found.unchecked)


@pytest.mark.claim("C66")
def test_a_table_and_a_picture_have_names_for_columns_and_keys(release, saved):
    """labelled.csv beside table.csv, row by row the same numbers; keys without a name as they are."""
    said = dp.about(**SAID)
    lines = (saved / "labelled.csv").read_text("utf-8").splitlines()
    assert lines[0] == '"statistic","years of schooling","sex","value","low","high"'
    assert lines[1].startswith('"count by educ","up to grade 8","",')
    assert lines[2].startswith('"count by educ","10","",')
    table = release.table(about=said)
    assert [row["value"] for row in table] == [row["value"] for row in release.table()]
    drawn = release.plot(about=said).axes
    assert drawn[0].get_title(loc="left").startswith("Number of rows, by years of schooling")
    assert [text.get_text() for text in drawn[0].get_yticklabels()][:2] == ["up to grade 8", "10"]
    assert drawn[1].get_yticklabels()[0].get_text().startswith("up to grade 8")
    assert release.plot().axes[0].get_title(loc="left").startswith("count by educ")
    other = dp.about(labels={"educ": "value", "sex": "Value"})
    assert release.table(about=other).columns[1:3] == ("value (key)", "Value (key) (key)")


@pytest.mark.claim("C66")
def test_a_labelled_table_that_was_changed_does_not_check(saved):
    """It follows from release.json and about.json, byte for byte."""
    path = saved / "labelled.csv"
    path.write_text(path.read_text("utf-8").replace("up to grade 8", "up to grade 9"))
    with pytest.raises(VerifyError, match=r"labelled\.csv"):
        dp.verify(saved)


@pytest.mark.claim("C66")
def test_words_are_put_right_for_nothing(release, saved):
    """The page is written anew, and still verifies; the plan's digest never knew the words."""
    release.annotate(saved, dp.about(title="Wages, 2000"))
    assert "<h1>Wages, 2000</h1>" in (saved / "report.html").read_text("utf-8")
    assert not (saved / "labelled.csv").exists()
    assert dp.verify(saved)
    release.annotate(saved, dp.about(labels={"sex": "gender"}))
    assert '"gender"' in (saved / "labelled.csv").read_text("utf-8")
    assert dp.verify(saved)
    assert dp.load(saved).document.digest == release.document.digest


@pytest.mark.claim("C66")
@pytest.mark.parametrize("what", ["word", "more", "junk", "gone"])
def test_words_that_do_not_belong_to_the_page_do_not_check(saved, what):
    """A word changed in one of both, a key that is not ours, no JSON, or the file taken away."""
    path = saved / "about.json"
    plain = json.loads(path.read_text())
    if what == "gone":
        path.unlink()
    elif what == "junk":
        path.write_text("{")
    else:
        plain["about"]["title" if what == "word" else "html"] = "<b>"
        path.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")) + "\n")
    with pytest.raises(VerifyError):
        dp.verify(saved)


def test_words_of_another_release_are_refused(release, saved, tmp_path):
    """And in a zip, which is made again of its folder."""
    table = dp.table([], unit="row", name="other", keys={"educ": [1, 2]})
    other = dp.rehearse(dp.plan(table, dp.count(by="educ"), spend=dp.zcdp("1/50")))
    with pytest.raises(InputError, match="another release"):
        other.annotate(saved, dp.about(title="mine"))
    packed = release.save(tmp_path / "r.zip", about=dp.about(**SAID))
    assert any("report.html" in check for check in dp.verify(packed).checks)
    with pytest.raises(InputError, match="no folder"):
        release.annotate(packed, dp.about(title="mine"))


def test_a_plan_file_says_it(tmp_path):
    """[about] and [labels]; the plan is the same without them."""
    path = tmp_path / "plan.toml"
    path.write_text(FILE)
    found = read_plan_file(path)
    assert (found.title, found.about.publisher) == ("Wages", "Office of Examples")
    assert found.about.value("educ", 9, "9") == "up to grade 8"
    path.write_text(FILE.replace("Office of Examples", "Somebody else"))
    assert read_plan_file(path).plan.digest == found.plan.digest
    path.write_text(FILE.replace("publisher", "publsher"))
    with pytest.raises(InputError, match="publsher"):
        read_plan_file(path)


@pytest.mark.parametrize(
    "said",
    [
        {"titel": "x"}, {"title": 3}, {"title": "x" * 3_000}, {"notes": 3}, {"labels": ["educ"]},
        {"labels": {"educ": {"nam": "x"}}}, {"labels": {"educ": {"values": ["x"]}}},
        {"labels": {"educ": 3}},
    ],
)  # fmt: skip
def test_what_is_no_word_is_refused(said):
    """In three lines, before anything is written."""
    with pytest.raises(InputError) as refused:
        dp.about(**said)
    assert len(str(refused.value).splitlines()) == 3


def test_keys_that_were_chosen_have_names_too():
    """Beside their rank, in the page and in a picture."""
    table = dp.table([], unit="row", name="census", keys={"educ": range(9, 13)})
    plan = dp.plan(table, dp.top_k("educ", 2), spend=dp.zcdp("1/50"))
    release = dp.rehearse(plan)
    said = dp.about(labels={"educ": {"values": {key: f"school {key}" for key in range(9, 13)}}})

    drawn = [text.get_text() for text in release.plot(about=said).axes[0].get_yticklabels()]
    assert all("school" in text for text in drawn)
    assert page(release.document, Said(said)).count("school ") == 2


@pytest.mark.claim("C354")
@pytest.mark.parametrize(
    ("keys", "key", "prints"),
    [([0, 1], 1.0, "1"), ([0.0, 1.0], 0.0, "0"), ([0, 1], Decimal("1.0"), "1"),
     ([0, 1], np.float64(1), "1"), ([True, False], True, "True"), (["1.0"], "1.0", "1.0")],
)  # fmt: skip
def test_a_key_has_its_name_however_its_number_is_written(keys, key, prints):
    """A name for 1.0 was shown nowhere: the key prints as 1."""
    table = dp.table([{"k": 1}], unit="row", name="t", keys={"k": keys})
    release = dp.rehearse(dp.plan(table, dp.count(by="k"), spend=dp.zcdp(1)))
    words = dp.about(labels={"k": {"values": {key: "named"}}})
    assert words.value("k", prints, "plain") == "named"
    check_about(words, release.document)


@pytest.mark.claim("C354")
@pytest.mark.parametrize(
    ("keys", "text", "key"),
    [([0, 1], "1.0", "1"), ([0, 1], "00", "0"), ([0, 1], "0.0", "0"), ([True, False], 1, "True")],
)
def test_a_name_of_a_key_that_is_written_otherwise_is_refused(keys, text, key):
    """With the key as it prints; in a plan file keys of names are text."""
    table = dp.table([{"k": 1}], unit="row", name="t", keys={"k": keys})
    release = dp.rehearse(dp.plan(table, dp.count(by="k"), spend=dp.zcdp(1)))
    with pytest.raises(InputError, match=f"the key is {key}"):
        check_about(dp.about(labels={"k": {"values": {text: "named"}}}), release.document)


@pytest.mark.claim("C354")
@pytest.mark.parametrize("key", [0.5, float("nan"), float("inf")])
def test_a_number_that_is_no_key_has_no_name(key):
    with pytest.raises(InputError, match="which is no key"):
        dp.about(labels={"k": {"values": {key: "named"}}})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"labels": {"k": {"ordered": "yes"}}}, "ordered = 'yes' is neither true nor false"),
        ({"labels": {"k": {"ordered": 1}}}, "ordered = 1 is neither true nor false"),
        ({"url": "javascript:alert(1)"}, "is no address"),
        ({"url": "https://a b"}, "is no address"),
        ({"url": "https://a.org/\n"}, "is no address"),
        ({"url": "https://é.org"}, "is no address"),
        ({"url": 7}, "is no address"),
        ({"why": 7}, "is not text"),
    ],
)
def test_a_scale_is_true_or_false_and_an_address_is_one(words, said):
    """Others are refused, with what to write."""
    with pytest.raises(InputError, match=said):
        dp.about(**words)


def test_what_evaluators_ask_is_no_byline():
    """The page tells it at its end."""
    words = dp.about(why="A board.", approved_by="B", collection="C", url="https://a.org/r")
    assert words.lines() == []
    assert dp.about(**words.plain()).plain() == words.plain()
    ordered = dp.about(labels={"k": {"ordered": False}})
    assert dp.about(**ordered.plain()).plain() == ordered.plain()
