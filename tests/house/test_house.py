"""The laws of the house are kept, and the check that says so can see."""

import importlib.util
import os
import pickle
import subprocess
import sys
from copy import copy, deepcopy
from pathlib import Path

import pytest

import discreet
from discreet.aggregate import Exact
from discreet.errors import InternalError

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
house = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(house)

PLANTED = {
    "a float literal": ("plans/x.py", "x = 0.5\n"),
    "a call of float": ("ledgers/x.py", "x = float(3)\n"),
    "a true division": ("engine/x.py", "x = 3 / 4\n"),
    "a float function": ("schema/x.py", "from math import exp\n"),
    "chance": ("noise/x.py", "import secrets\n"),
    "numpy's chance": ("noise/x.py", "import numpy as np\nx = np.random.default_rng()\n"),
    "an opening": ("report/x.py", "x = exact.opened_by_the_door()\n"),
    "a fourth function of the door": (
        "releases/door.py",
        "def told(exact):\n    return exact.opened_by_the_door()\n",
    ),
    "a look at what was set aside": ("releases/find.py", "x = aside._aside\n"),
    "a branch on losses": ("plans/x.py", "x = isinstance(spend, Loss)\n"),
    "a branch on losses under a name": ("cli/x.py", "x = isinstance(spend, (int, loss.Loss))\n"),
    "a branch on a law": ("report/x.py", "if isinstance(law, DiscreteLaplace | str):\n    pass\n"),
    "a branch on the type of a law": ("plans/x.py", "x = type(law) is DiscreteGaussian\n"),
    "a branch on what is a law": ("post/x.py", "x = issubclass(made, Law)\n"),
    "a match of a law": ("post/x.py", "match law:\n case DiscreteGaussian():\n  pass\n"),
    "a branch on the register of laws": ("post/x.py", "x = type(law) is LAWS['mine']\n"),
    "a branch on a law's name": ("calculator/x.py", "x = law == 'laplace'\n"),
    "a branch on several names": ("cli/x.py", "x = law not in ('gaussian', 'laplace')\n"),
    "a branch on part of a name": ("calculator/x.py", "x = 'truncated' in law\n"),
    "a branch on the end of a name": ("plans/x.py", "x = law.endswith('_geometric')\n"),
    "a match of a name": ("documents/x.py", "match law:\n case 'gaussian':\n  pass\n"),
    "a table of the calculator by name": ("calculator/x.py", "x = {'geometric': 1}[law]\n"),
    "a long function": ("post/x.py", "def f():\n" + "    x = 1\n" * 41),
    "deep nesting": (
        "post/x.py",
        "def f():\n if a:\n  if b:\n   if c:\n    if d:\n     pass\n",
    ),
}


@pytest.mark.claim("C19")
@pytest.mark.claim("C20")
@pytest.mark.slow
def test_the_house_keeps_its_laws():
    """No float in an exact room, no chance beside entropy, no opening beside the door."""
    assert [fault for path in house.SOURCE.rglob("*.py") for fault in house.faults(path)] == []
    assert house.twice() == []


def test_two_classes_of_one_name_are_seen(tmp_path):
    """In any two rooms, but not where only one module knows them."""
    for room in ("post", "plans"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "x.py").write_text("class Line:\n    pass\n\n\nclass _Own:\n    pass\n")

    assert house.twice(tmp_path) == ["plans/x.py, post/x.py: two classes Line"]


@pytest.mark.claim("C19")
@pytest.mark.claim("C20")
@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_breach_is_seen(planted, tmp_path):
    """The check has power."""
    place, text = PLANTED[planted]
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")

    assert len(list(house.faults(path, tmp_path))) >= 1


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("privacy/x.py", "x = isinstance(spend, Loss)\n"),
        ("noise/x.py", "x = isinstance(law, DiscreteLaplace)\n"),
        ("plans/x.py", "x = isinstance(statistic, Mean)\nlaw = LAWS['mine'](loss)\n"),
        ("calculator/laws/x.py", "x = law == 'laplace'\n"),
        ("post/x.py", "x = noise.kind == 'discrete_laplace'\n"),
        ("calculator/x.py", "x = accuracy('gaussian', sigma=1)\ny = name == 'epsilon'\n"),
    ],
)
def test_who_may_ask_is_not_refused(place, text, tmp_path):
    """Losses in their room, laws in theirs, and any other class anywhere."""
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")

    assert list(house.faults(path, tmp_path)) == []
    assert {"DiscreteLaplace", "DiscreteGaussian"} <= house.KINDS["noise"]
    assert house.LAW_NAMES.issuperset(["geometric", "discrete_laplace", "clamped_geometric"])


@pytest.mark.claim("C19")
def test_private_integers_stay_sealed():
    """They do not print, compare, hash, pickle or copy."""
    sealed = Exact((123_457, 9))

    assert "123457" not in repr(sealed) + str(sealed) + f"{sealed}"
    for use in (
        lambda: sealed == sealed,
        lambda: hash(sealed),
        lambda: pickle.dumps(sealed),
        lambda: copy(sealed),
        lambda: deepcopy(sealed),
    ):
        with pytest.raises(InternalError):
            use()


@pytest.mark.claim("C20")
@pytest.mark.slow
def test_imports_point_downward_only():
    """Every contract of pyproject.toml is kept, by the code that is tried here."""
    pytest.importorskip("importlinter")
    place = Path(discreet.__file__).parents[1]

    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert "0 broken" in done.stdout
    assert done.returncode == 0
