"""A public function has a name of its own in its room, or is read with the name of its file."""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import bars  # noqa: E402 - the tools are beside the package, not in it

ROOT = TOOLS.parent / "src" / "discreet"
PUBLIC = re.compile(r"^def ([a-z]\w*)\(", re.MULTILINE)
BY_LAW = "each law answers it, and is read with it: `gaussian.epsilon_up`"
APART = {  # by room: the names that more than one of its files have, and why
    "audit": {"exactly": "each kind of draw is looked at by itself: `laws.exactly`"},
    "calculator/formulas": dict.fromkeys(
        ("accuracy_up", "delta_up", "epsilon_up", "rho_of", "sigma2_up", "tail"), BY_LAW
    ),
    "noise": dict.fromkeys(("accuracy", "epsilon_up", "tail"), BY_LAW),
    "privacy": dict.fromkeys(
        ("delta_up", "epsilon_up", "true_yes_up"), "each kind of loss is read: `gdp.epsilon_up`"
    ),
    "cli": dict.fromkeys(
        [
            "check",
            "demo",
            "denoise",
            "init",
            "main",
            "plan",
            "rehearse",
            "release",
            "show",
            "verify",
        ],
        "the command's words stand in one file, its job in another that is imported when it runs",
    ),
    "engine/sql": {
        "clamped": "a value in a tree, and all rows of a scan",
        "counted": "of a text, what a written day tells: `written_times.counted`",
    },
}
MOST_APART = 26  # lower it whenever it falls
VAGUE = {  # by room: locals called `found`, `one`, `given`, `said` or `told`; they may only fall
    "audit": 3,
    "cli": 1,
    "derive": 4,
    "engine": 13,
    "expressions": 56,
    "plan_file": 2,
    "plans": 26,
    "post": 33,
    "privacy": 1,
    "releases": 3,
    "report": 1,
    "schema": 13,
    "statistic": 2,
}


def twice(root):
    """Return by room the names that more than one file has."""
    files = defaultdict(lambda: defaultdict(set))
    for path in root.rglob("*.py"):
        room = path.relative_to(root).parent.as_posix()
        for name in PUBLIC.findall(path.read_text("utf-8")):
            files[room][name].add(path.name)
    names = {room: {n for n, has in of.items() if len(has) > 1} for room, of in files.items()}
    return {room: names[room] for room in names if names[room]}


def test_a_public_function_has_a_name_of_its_own_in_its_room():
    """Two of one name in a room are read as one; those that stand apart say why."""
    assert twice(ROOT) == {room: {*names} for room, names in APART.items()}
    assert sum(map(len, APART.values())) <= MOST_APART


def test_a_second_function_of_a_name_is_seen(tmp_path):
    """The check has power: in one room, and in no other."""
    texts = {"a/x": "def f(y):", "a/y": "def f():", "b/x": "def f():", "b/y": "def g():\ndef g():"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)

    assert twice(tmp_path) == {"a": {"f"}}


@pytest.mark.slow
def test_locals_that_say_nothing_may_only_fall():
    """In each room, and at most 300 in all; `make house` counts them, too."""
    counted = Counter()
    for path in ROOT.rglob("*.py"):
        room = path.relative_to(ROOT).parts[0]
        counted[room] += bars.vague(bars.reach.parsed(path.read_text("utf-8")))

    assert sum(VAGUE.values()) <= 300
    assert {room: n for room, n in counted.items() if n > VAGUE.get(room, 0)} == {}
