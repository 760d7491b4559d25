"""`make house` counts what it says it counts, and its picture is the same each time."""

import re
import shutil
import sys
from pathlib import Path

import pytest

import discreet

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import bars  # noqa: E402 - the tools are beside the package, not in it
import drawing  # noqa: E402

FLOORS = [["top"], ["left", "right"], ["middle"], ["ground"]]
ARROWS = {("top", "left"), ("top", "ground"), ("left", "middle"), ("right", "ground")} | {
    ("middle", "ground"),
    ("left", "ground"),
}


@pytest.fixture
def copy(tmp_path):
    """A copy of the source, with what was compiled, but for what is being written now."""
    shutil.copytree(bars.reach.SRC, tmp_path / "src", ignore=shutil.ignore_patterns("*.pyc.*"))
    return tmp_path / "src"


@pytest.fixture(scope="module")
def now():
    """Every bar of the source; its trees, a million parts, are forgotten at the end."""
    yield bars.measured(bars.reach.SRC)
    for kept in (bars.reach.parsed, bars.reach.inside, bars.reach.modules):
        kept.cache_clear()


@pytest.mark.slow
def test_each_bar_moves_with_what_it_measures(copy, now):
    """Two planted questions of a kind, an arrow upward, a dead module, a long function.

    What a run enters no planted module moves: `test_a_plain_run_enters_no_more_than_is_wanted`.
    """
    before = {name: number for name, number in now.items() if name not in bars.RUN}
    loss = sorted(bars.classes_of(copy, "privacy/loss.py"))[0]
    law = sorted(bars.laws_of(copy))[0]
    body = "".join(f"    x = {i}\n" for i in range(60))
    text = (
        f"def f(x):\n    return isinstance(x, {loss}), isinstance(x, (int, {law}))\n"
        f"def g(x, found=1):\n    match x:\n        case {law}():\n            from ..cli import cli\n"
        f"def h():\n{body}"
    )
    (copy / "discreet" / "report" / "planted.py").write_text(text)

    after = bars.read(copy)

    assert after["lines"] == before["lines"] + text.count("\n")
    assert {name: after[name] - before[name] for name in before if name != "lines"} == {
        "files": 1,
        "losses": 1,
        "laws": 2,
        "vague": 1,
        "gone": 1,
        "hidden": 0,
        "upward": 1,
        "file": 0,
        "function": 60 - before["function"],
    }


@pytest.mark.slow
def test_a_plain_run_enters_no_more_than_is_wanted(now):
    """Files and functions; what waits for a busy machine may enter one more, so the least counts."""
    names = ("run", "run_in", "again", "again_in", "plan", "plan_in", "save", "save_in")
    wanted = {name: int(bars.BARS[name][2]) for name in names if bars.BARS[name][2]}
    turns = [now]
    while len(turns) < 3 and not all(turns[-1][n] <= most for n, most in wanted.items()):
        turns.append(dict(zip(names, bars._run(bars.reach.SRC, "entered"), strict=True)))

    assert wanted == {"run": 70, "run_in": 450, "plan": 30, "plan_in": 150, "save": 45} | {
        "save_in": 300
    }
    assert {name: min(turn[name] for turn in turns) for name in wanted} == {
        name: min(most, *(turn[name] for turn in turns)) for name, most in wanted.items()
    }


def test_the_page_says_what_is_measured():
    """Every bar has its line, the picture every room; the page is written, not edited."""
    said = (ROOT / "docs" / "house.md").read_text("utf-8")
    picture = (ROOT / "docs" / "house.svg").read_text("utf-8")

    assert re.findall(r"^\| (.+?) \| [\d,]+ \|", said, flags=re.MULTILINE) == [
        words for words, _, _ in bars.BARS.values()
    ]
    assert all(f">{room}<" in picture for floor in bars.reach.floors() for room in floor)


def test_the_picture_is_the_same_each_time_and_shows_every_room():
    """Bytes do not depend on a date, a seed, or the order of a set."""
    first = drawing.drawn(FLOORS, ARROWS, {"top": 3})

    assert first == drawing.drawn(FLOORS, {*reversed(list(ARROWS))}, {"top": 3})
    assert all(f">{room}<" in first.decode() for floor in FLOORS for room in floor)
    assert first != drawing.drawn(FLOORS, ARROWS - {("middle", "ground")}, {"top": 3})


def test_arrows_that_follow_are_left_out_and_none_runs_under_a_room():
    """A long arrow has a place of its own on each floor that it passes, clear of rooms."""
    needed = drawing.needful(ARROWS)
    levels, ways = drawing.routed(FLOORS, needed)
    at = drawing.places(levels, ways)

    assert needed == ARROWS - {("top", "ground"), ("left", "ground")}
    for level in levels:
        for one in level:
            clear = [abs(at[one] - at[other]) for other in level if other != one]
            assert all(gap > drawing.WIDE / 2 or ">" in one for gap in clear)
            assert all(gap >= drawing.PASSING - 1e-9 for gap in clear)


def test_tab_completion_shows_the_public_page_and_nothing_else():
    """The names in __all__, which the docs tell of, and the calculator's page."""
    assert dir(discreet) == sorted([*discreet.__all__, "calculator"])
    assert all(hasattr(discreet, name) for name in dir(discreet))
    assert not [name for name in dir(discreet) if name.startswith("_")]
