"""Titles and charts of questions: said beside the plan, escaped, put right after the release."""

import json
import shutil
from html import unescape

import pytest
from session import run

import discreet as dp
from discreet.errors import InputError, VerifyError
from discreet.plan_file.plan_file import read_plan_file
from discreet.report.about_file import Said, said_in
from discreet.report.page import page
from discreet.schema import about as about_of

HOSTILE = (
    "<script>alert(1)</script>",
    "</h1><img src=x onerror=alert(1)>",
    "one\nline\r\nand \x00 another\x1b[2J",
    "\u202eevil\u2066 \u200bbidi",
    "&lt;b&gt; \" ' {{ title }} {% raw %} $x^2$ =1+1",
)
FILE = """\
title = "Wages"
[data]
source = "people.csv"
unit = "row"
[columns]
wage = { lower = 0, upper = 9 }
[keys]
educ = { from = 9, to = 12 }
[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = "educ"
title = "How far they went"
chart = "bars"
[[ask]]
statistic = "mean"
column = "wage"
chart = "dots"
"""
WORDS = """\
title = "Wages, put right"
[labels]
educ = "schooling"
[questions."count by educ"]
title = "How far each went"
"""


@pytest.fixture(scope="module")
def release():
    table = dp.table(
        [],
        unit="row",
        name="census",
        keys={"educ": range(9, 13)},
        columns={"wage": dp.bounds(0, 9)},
    )
    asked = [dp.count(by="educ"), dp.mean("wage", by="educ"), dp.cube(["educ"])]
    return dp.rehearse(dp.plan(table, *asked, spend=dp.zcdp("1/50")))


@pytest.fixture(scope="module")
def once(release, tmp_path_factory):
    said = dp.about(questions={"count by educ": "How far they went", "mean wage by educ": {}})
    return release.save(tmp_path_factory.mktemp("words") / "r.release", about=said)


@pytest.fixture
def saved(once, tmp_path):
    return shutil.copytree(once, tmp_path / "r.release")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(FILE)
    return path


def tampered(saved, change):
    """Change about.json in one place, and write it as we do."""
    path = saved / "about.json"
    plain = json.loads(path.read_text())
    change(plain)
    path.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")) + "\n")


@pytest.mark.claim("C190")
def test_a_title_and_a_chart_change_no_number_and_no_digest(release, saved, file):
    """Over the numbers, in pictures and tables; release.json and the plan know nothing of them."""
    text = (saved / "report.html").read_text("utf-8")
    assert "How far they went" in text
    assert "Number of rows, by educ. Each number with its 95 % interval" in text
    lines = (saved / "labelled.csv").read_text("utf-8").splitlines()
    assert lines[0].startswith('"statistic","title","educ"')
    assert lines[1].startswith('"count by educ","How far they went",9,')
    assert json.loads((saved / "release.json").read_text("utf-8"))["plan"] == release.document.plan
    said = dp.about(questions={"count by educ": {"title": "Far", "chart": "bars"}})
    drawn = release.plot(about=said).axes[0]
    assert drawn.get_title(loc="left").startswith("Far, with 95 % intervals")
    assert len(drawn.patches) == 4  # bars
    assert not release.plot().axes[0].patches
    alone = release.plot("count by educ", about=said).axes[0]
    assert alone.get_title(loc="left").startswith("Far, with")
    found = read_plan_file(file)
    assert found.about.questions["count by educ"].plain() == {
        "title": "How far they went",
        "chart": "bars",
    }
    file.write_text(FILE.replace('title = "How far they went"\nchart = "bars"\n', ""))
    assert read_plan_file(file).plan.digest == found.plan.digest


@pytest.mark.claim("C190")
def test_bars_are_drawn_in_the_page_where_they_are_wanted(release):
    """Counts are dots, until somebody wants bars."""
    usual = page(release.document)
    wanted = page(release.document, Said(dp.about(questions={"count by educ": {"chart": "bars"}})))
    assert usual.count('class="fill"') == 0
    assert wanted.count('class="fill"') == 4


@pytest.mark.claim("C190")
@pytest.mark.parametrize(
    ("questions", "told"),
    [
        ({"count by edc": "x"}, "no question 'count by edc'"),
        ({"mean wage by educ": {"chart": "bars"}}, "not drawn as bars"),
        ({"cube": {"chart": "dots"}}, "has no chart"),
        ({"count by educ": {"chart": "pie"}}, "'pie' is not known"),
        ({"count by educ": {"chart": ["bars"]}}, "is not known"),
        ({"count by educ": {"titel": "x"}}, "has no titel"),
        ({"count by educ": 3}, "is not text"),
        ({"count by educ": "x" * 1_000_000}, "is not text"),
        (["count by educ"], "is not text"),
    ],
)
def test_what_does_not_fit_is_refused_in_three_lines(release, tmp_path, questions, told):
    """A name, a chart, a million letters; nothing is written, and nothing long is said."""
    with pytest.raises(InputError) as refused:
        release.save(tmp_path / "new.release", about=dp.about(questions=questions))
    assert told in str(refused.value)
    assert len(str(refused.value).splitlines()) == 3
    assert len(str(refused.value)) < 1_000
    assert not (tmp_path / "new.release").exists()


@pytest.mark.exhaustive
@pytest.mark.claim("C190")
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_title_is_text(release, text, tmp_path):
    """In the page, the table and the picture: nothing runs, nothing steers, nothing is lost."""
    said = dp.about(title=text, labels={"educ": {"name": text, "values": {9: text}}},
                    questions={"count by educ": text, "cube": text})  # fmt: skip
    place = release.save(tmp_path / "r.release", about=said)
    html = (place / "report.html").read_text("utf-8")
    assert "<script" not in html
    assert "<img" not in html
    assert not any(mark in html for mark in "\x00\x1b\u202e\u2066\u200b")
    plain = text.split("\n")[0].split("\u202e")[0]
    assert unescape(html).count(plain) >= 4
    assert dp.verify(place)
    assert release.plot(about=said)._repr_png_()
    assert said_in((place / "about.json").read_bytes()).about.title == text


@pytest.mark.claim("C190")
def test_words_put_right_leave_a_record(release, saved):
    """The day and the hash of the words before; the same words again leave none."""
    before = said_in((saved / "about.json").read_bytes())
    release.annotate(saved, before.about)
    assert said_in((saved / "about.json").read_bytes()) == before
    release.annotate(saved, about_of(title="Other"))
    after = said_in((saved / "about.json").read_bytes())
    assert [one for _, one in after.changes] == [before.hash]
    html = (saved / "report.html").read_text("utf-8")
    assert after.hash in html
    assert before.hash in html
    assert f"Changed on {after.changes[0][0]}" in html
    assert dp.verify(saved)
    release.annotate(saved, before.about)
    assert len(said_in((saved / "about.json").read_bytes()).changes) == 2


@pytest.mark.exhaustive
@pytest.mark.claim("C190")
@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.pop("changes"),
        lambda plain: plain["changes"].append({"before": "0" * 64, "day": "2026-01-01"}),
        lambda plain: plain["changes"][0].update(day="<b>"),
        lambda plain: plain["changes"][0].update(day=3),
        lambda plain: plain.update(sha256="0" * 64),
        lambda plain: plain["about"].update(title="mine"),
        lambda plain: plain["about"]["questions"]["count by educ"].update(title="mine"),
        lambda plain: plain["about"]["questions"]["count by educ"].update(chart="bars"),
        lambda plain: plain["about"]["questions"].update({"count by educ": {"chart": "pie"}}),
        lambda plain: plain.update(changes=3),
    ],
)
def test_a_record_that_was_changed_does_not_check(release, saved, change):
    """The page says the same words, the same hashes and the same days, or it is not its page."""
    said = dp.about(questions={"count by educ": "a title"})
    release.annotate(saved, said)
    assert dp.verify(saved)
    tampered(saved, change)
    with pytest.raises(VerifyError):
        dp.verify(saved)


@pytest.mark.claim("C190")
@pytest.mark.parametrize("harm", ["gone", "none of ours", "a dangling link"])
def test_a_record_that_is_gone_is_not_lost_in_silence(release, saved, harm):
    """Words are not put right where those before are not known; without their page they are new."""
    path, page_before = saved / "about.json", (saved / "report.html").read_bytes()
    path.unlink()
    if harm == "none of ours":
        path.write_text("{}")
    elif harm == "a dangling link":
        path.symlink_to(saved / "nowhere")

    with pytest.raises(InputError, match=r"about\.json.*\n.*record would be lost.*\n.*a copy"):
        release.annotate(saved, dp.about(title="Other"))

    assert (saved / "report.html").read_bytes() == page_before
    path.unlink(missing_ok=True)
    (saved / "report.html").unlink()
    release.annotate(saved, dp.about(title="Other"))
    assert dp.verify(saved)


def test_words_without_a_record_are_read_as_before(release, tmp_path):
    """An about.json of before there were hashes says what it said."""
    path = tmp_path / "r.release"
    release.save(path, about=dp.about(title="Old"))
    tampered(path, lambda plain: plain.pop("sha256"))
    assert said_in((path / "about.json").read_bytes()) == Said(dp.about(title="Old"))


def test_a_chart_that_does_not_fit_is_refused_before_a_charge(tmp_path, file):
    """In the line where it stands, before any data is looked for; nothing is in the ledger."""
    file.write_text(FILE.replace('chart = "dots"', 'chart = "bars"'))
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp("1/8"))
    code, said = run(f"discreet release {file} --ledger {tmp_path / 'a.ledger'}")
    assert code == 2
    assert "line 19, ask 2, chart: 'mean wage' is not drawn as bars." in said
    assert 'fix: write chart = "dots"' in said
    assert ledger.left() == dp.zcdp("1/8")
    assert len(said.splitlines()) == 3


def test_the_command_line_puts_words_right(tmp_path, file):
    """From a file of words, or from the plan file itself; a plan of other questions is refused."""
    saved, words = tmp_path / "r.release", tmp_path / "about.toml"
    words.write_text(WORDS)
    code, said = run(f"discreet rehearse {file} --out {saved}")
    assert code == 0
    assert "Over count by educ: “How far they went”, drawn as bars." in said
    code, said = run(f"discreet annotate {saved} {words}")
    assert (code, "Changed once since it was saved" in said) == (0, True)
    assert "How far each went" in (saved / "report.html").read_text("utf-8")
    file.write_text(FILE.replace("How far they went", "So far"))
    code, said = run(f"discreet annotate {saved} {file} --json")
    assert (code, json.loads(said)["changes"]) == (0, 2)
    assert "So far" in (saved / "report.html").read_text("utf-8")
    assert dp.verify(saved)
    file.write_text(FILE.replace("1/50", "1/40"))
    code, said = run(f"discreet annotate {saved} {file}")
    assert (code, "is not the plan of this release" in said) == (2, True)


@pytest.mark.parametrize(
    ("wrong", "told", "fix"),
    [
        ('{ show = "log" }', "show = 'log' is not known.", 'write educ = { show = "exp" }'),
        ("{ nam = 'years' }", "the label of educ has no nam.", "write name in place of nam"),
        (
            "{ values = 3 }",
            "the values of educ are not",
            "write a dict with a name for each key there",
        ),
        ("3", "educ = 3 is not text.", "write a line of text in quotes"),
    ],
)
def test_a_label_that_is_wrong_is_put_right_where_it_stands(file, wrong, told, fix):
    """Under [labels], and not in [about], which has no such names."""
    file.write_text(FILE.replace("[spend]", f"[labels]\neduc = {wrong}\n[spend]"))
    with pytest.raises(InputError) as caught:
        read_plan_file(file)
    first, _, last = str(caught.value).splitlines()
    assert first.startswith("plan.toml, line 10, labels, educ")
    assert (told in first, fix in last) == (True, True), str(caught.value)


@pytest.mark.claim("C190")
def test_a_folder_of_somebody_else_leads_nowhere(release, saved, tmp_path):
    """Links where words are written first are taken away; a page that all may read stays so."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("about.json", "report.html", "labelled.csv"):
        (saved / f".{name}.new").symlink_to(precious)
    (saved / "report.html").chmod(0o644)
    release.annotate(saved, dp.about(title="Put right", labels={"educ": "schooling"}))
    assert precious.read_text() == "mine"
    assert not any(one.is_symlink() for one in saved.iterdir())
    modes = [(saved / name).stat().st_mode & 0o777 for name in ("report.html", "about.json")]
    assert modes == [0o644, 0o600]
    assert dp.verify(saved)
    (saved / ".about.json.new").mkdir()
    with pytest.raises(InputError, match=r"cannot be written: Is a directory.\n.*why.*\n.*fix"):
        release.annotate(saved, dp.about(title="Again"))


@pytest.mark.claim("C190")
def test_more_words_than_are_read_again_are_refused(release, saved, file, tmp_path):
    """Before a charge, and before anything is written."""
    many, before = dp.about(notes=["é" * 1_900] * 200), (saved / "report.html").read_bytes()
    for attempt in (
        lambda: release.save(tmp_path / "x.release", about=many),
        lambda: release.annotate(saved, many),
    ):
        with pytest.raises(InputError, match=r"words take 2,2\d\d,\d\d\d bytes.\n.*2,097,152"):
            attempt()
    assert not (tmp_path / "x.release").exists()
    assert (saved / "report.html").read_bytes() == before
    file.write_text(f"about.notes = {json.dumps(['é' * 1_900] * 200)}\n{FILE}")
    with pytest.raises(InputError, match=r"plan\.toml: a publisher's words take"):
        read_plan_file(file)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[labels]", "[lables]", "write labels in place of lables"),
        ("title = \"How", "titel = \"How", "line 5, questions, count by educ, titel"),
        ("count by educ", "count by edc", "write count by educ in place of count by edc"),
        ("[labels]\neduc =", "labels =", "does not fit here"),
        ("title = \"Wages, put right\"", "title = 3", "line 1, title"),
        ("title = \"Wages", "title = ", "not TOML"),
        ("[labels]", "[about]\ntitle = \"Two\"\n[labels]", "line 3, about, title: the title stands"),
    ],
)  # fmt: skip
def test_a_file_of_words_says_where_it_is_wrong(once, tmp_path, old, new, told):
    """The line, the reason and what to write; the release stays as it was."""
    words, before = tmp_path / "about.toml", (once / "report.html").read_bytes()
    words.write_text(WORDS.replace(old, new))
    code, said = run(f"discreet annotate {once} {words}")
    assert code == 2
    assert told in said
    assert len(said.splitlines()) == 3
    assert (once / "report.html").read_bytes() == before
