"""The last line of an error can be pasted: then it works, or asks for what only a person knows.

Over the tables of bad input: each fix is pasted where its error points to. What comes out is a plan
that is priced, or a question mark that is still to be answered, with the line that it stands in; no
number, key or name in a fix is made up.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from bad_input import commands, planfiles
from bad_input.world import LEDGER, build, command
from pasting import PLACE, ways

import discreet as dp
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from unit.plan_slips import CASES as SLIPS
from unit.plan_slips import GOOD

pytestmark = pytest.mark.claim("C18")

TEXTS = {
    name: text.decode()
    for name, (text, _) in planfiles.CASES.items()
    if not text.startswith((b"\xff\xfe", b"\0"))
}
TEXTS |= {
    f"good: {name}": GOOD.replace(old, new, 1) for name, (old, new, *_) in SLIPS.items() if old
}
PROSE = {  # a person must think, or correct TOML
    *("plan file is not TOML", "plan file is a data file", "plan file nested 10,000 deep"),
    *("a number of 10,000 digits", "plan file with a name twice", "plan file with a part twice"),
    *(
        "the same question twice",
        "still a question mark",
        "good: not TOML, and nobody can say what",
    ),
    *("good: an endless number", "good: asked twice", "good: still a question"),
    *("good: a question in a range", "good: a question in an ask", "good: questions in keys"),
    *(
        "good: vector: no columns",
        "good: column without a name",
        "good: vector: two steps",
        "no ledger named",
    ),
}
KNOWN = {  # words and numbers that decide nothing about anybody
    *("?", "row", "add_remove", "replace", "zcdp", "pure", "people.ledger", "count"),
    *("0.05", "20", "1"),
}


def refused(text, folder):
    (folder / "people.toml").write_text(text, encoding="utf-8")
    try:
        read_plan_file(folder / "people.toml")
    except InputError as error:
        return error
    return None


def check_works_or_asks(text, folder):
    """Check that a plan file is priced, or refused for a question mark in the line that is said."""
    error = refused(text, folder)
    if error is None:
        return
    assert "still a question mark" in error.what, (text, str(error))
    line = text.split("\n")[int(PLACE.search(error.what)[1]) - 1]
    assert '"?"' in line, (line, str(error))
    assert PLACE.search(error.what)[0][2:] in error.fix, str(error)


def check_nothing_is_made_up(snippet, text):
    """Check that each number and each text of a fix stands in the plan file, or decides nothing.

    A step follows from the bounds and says nothing of anybody.
    """
    snippet = re.sub(r'step = "?[-\d./e]+"?', "", snippet)
    for word in re.findall(r'"([^"]*)"|(?<![\w.-])(-?\d[\w./-]*)', snippet):
        said = word[0] or word[1]
        assert said in KNOWN or said in text, (said, snippet)


def check_fix(error, text, folder):
    found = ways(text, error.what, error.fix)
    assert found, str(error)
    for snippet, after in found:
        check_nothing_is_made_up(snippet, text)
        check_works_or_asks(after, folder)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted({*TEXTS} - PROSE))
def test_a_fix_for_a_plan_file_can_be_pasted(name, tmp_path):
    """Each way that it shows."""
    error = refused(TEXTS[name], tmp_path)
    if name == "mean of a column without bounds":
        assert "under [columns]" in error.fix

    check_fix(error, TEXTS[name], tmp_path)


@pytest.mark.parametrize("name", sorted(PROSE))
def test_what_is_not_pasted_is_prose(name, tmp_path):
    """It shows nothing to be pasted that would not do."""
    error = refused(TEXTS[name], tmp_path)

    for _, after in [] if error is None else ways(TEXTS[name], error.what, error.fix):
        check_works_or_asks(after, tmp_path)


LIES = {  # fixes that were printed once, and others that would be wrong
    "bounds reversed in a file": 'write cost = { lower = 0, upper = 120, step = "1" }',
    "mean of a column without bounds": "under [columns], write price = { lower = 0, upper = 120 }",
    "no [keys]": 'write keys = { ward = ["A", "Z"] } above the first [part]',
    "statistic unknown": 'write statistic = "average"',
    "rho and epsilon": 'write rho = "1/50", or epsilon = 1',
    "unit is another word": 'write unit = { column = "person", max_rows = 8 }',
    "unknown option": "write by in place of bye",
    "seed": "do better",
}


@pytest.mark.parametrize("name", LIES)
def test_a_fix_that_does_not_work_or_is_made_up_is_seen(name, tmp_path):
    """The check has power: example ranges, keys and limits, names that clash, and no advice."""
    error = refused(TEXTS[name], tmp_path)

    with pytest.raises(AssertionError):
        check_fix(InputError(error.what, why=error.why, fix=LIES[name]), TEXTS[name], tmp_path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dp.ledger(LEDGER, budget=dp.pure(9))
    build(tmp_path, Path(LEDGER).read_bytes())
    return tmp_path


RUN = re.compile(r"(?:: )(discreet [^;]+)")
ONE = r"--[\w-]+ (?:'[^']*'|[^ ,;]+(?:,[^ ,;]+)*) ?"
OPTION = re.compile(rf"^(?:add|write|plan again with) ((?:{ONE})+)")


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("name", commands.CASES)
def test_a_fix_of_a_command_can_be_typed(name, folder):
    """A command that is shown runs; an option that is shown, added or in place, is taken or asks."""
    make, words, _ = commands.CASES[name]
    make()
    fix = command(*words).err.split("  fix: ")[1].rstrip("\n")
    if found := RUN.search(fix):
        (folder / "other.csv").write_bytes((folder / "people.csv").read_bytes())
        said = command(*shlex.split(found[1].replace("init DATA", "init other.csv"))[1:])
        assert said.code == 0 or "still a question mark" in said.err, (fix, said)
    for way in fix.split(", or "):
        if found := OPTION.match(f"add {way}" if way.startswith("-") else way):
            added = shlex.split(found[1])
            said = command(*instead(words, added), *added)
            assert said.code == 0 or "question mark" in said.err, (way, said)


def instead(words, added):
    """Return the words without those that say what is said again; the loss is said once."""
    losses = {"--rho", "--epsilon", "--delta"}
    options = {word for word in added if word.startswith("--")}
    again = options | (losses if losses & options else set())
    kept, skip = [], False
    for word in words:
        if not skip and word not in again:
            kept.append(word)
        skip = not skip and word in again
    return kept


MAP = "heatmap trips.csv --ledger trips.ledger"
ROADS = "--graph roads.json --within 9"
BOX = "--box 0,0,1,1 --cells 2x2"
MAPS = {  # options that are refused before the charge, and whether the way out is prose
    f"{ROADS}": False,
    f"{ROADS} --rho 1 --epsilon 1": False,
    f"{ROADS} --rho abc": False,
    f"{ROADS} --delta 1e-6": False,
    f"{ROADS} --rho 9": False,
    f"{ROADS} --rho 1/8 --clean magic": False,
    f"{ROADS} --rho 1/8 --unit cab": False,
    f"{ROADS} --rho 1/8 --max-rows 5": False,
    f"{ROADS} --rho 1/8 --unit cab --max-rows many": False,
    f"{ROADS} --rho 1/8 --weight n": False,
    f"{ROADS} --rho 1/8 --max-weight 5": False,
    f"{ROADS} --rho 1/8 --name other": False,
    f"{ROADS} --rho 1/8 --out trips.csv": False,
    f"{ROADS} --rho 1/8 --out map.zip": True,
    f"{ROADS} --rho 1/8 --request ' '": False,
    f"{ROADS} {BOX} --rho 1/8": False,
    "--graph roads.json --rho 1/8": False,
    "--graph roads.json --within 0 --rho 1/8": False,
    "--graph none.json --within 9 --rho 1/8": True,
    f"{BOX} --rho 1/8 --longitude lon": True,
    "--box 0,0,1,1 --rho 1/8": False,
    "--box 0,0,1 --cells 2x2 --rho 1/8": False,
    "--box 0,1,1,0 --cells 2x2 --rho 1/8": False,
    "--box 1,0,0,1 --cells 2x2 --rho 1/8": False,
    "--box 0,0,1,1 --cells 2xtwo --rho 1/8": False,
}


@pytest.fixture
def trips(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trips.csv").write_text("longitude,latitude,cab,n\n0,0,1,2\n1,1,2,1\n")
    (tmp_path / "roads.json").write_text('{"places": [[0, 0], [1, 1]], "edges": [[0, 1]]}')
    dp.ledger("trips.ledger", budget=dp.zcdp(2), subject="trips.csv")
    return tmp_path


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("options", MAPS)
def test_a_fix_of_a_map_can_be_typed(options, trips):
    """What is added or written in place is taken, or asks; nothing is charged before."""
    out = "" if "--out " in options else "--out map"
    words = shlex.split(f"{MAP} {options} {out}")
    refusal = command(*words).err
    assert dp.ledger("trips.ledger").left() == dp.zcdp(2), refusal
    pasted = 0
    for way in refusal.split("  fix: ")[1].rstrip("\n").split(", or "):
        if found := OPTION.match(f"add {way}" if way.startswith("-") else way):
            added = shlex.split(found[1])
            said = command(*instead(words, added), *added)
            assert said.code == 0 or "question mark" in said.err, (way, said)
            shutil.rmtree("map", ignore_errors=True)
            pasted += 1

    assert (pasted == 0) == MAPS[options], refusal
