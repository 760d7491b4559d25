"""A test that draws real coins says how often it fails by luck, or why it cannot.

Coins of tests repeat (`coins.Tape`), and generators have seeds; a file with real coins of its own
bears the word "alarm", beside the number, or stands here. What `dp.run` draws is not seen here.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SURE = {
    "adversarial/test_river_fingerprint.py": "coins make keys of digests alone",
    "adversarial/test_river_key.py": "coins make keys alone, and no two are alike",
    "adversarial/test_river_paid_first.py": "coins are asked for in the wrong order, on purpose",
    "engine/spark_that_loses.py": "what is lost is seen in whatever order rows come",
    "statistical/test_sparse_cubes.py": "a right build is beyond a bound with 1e-9, as it states",
}
DRAWS = {"Coins", "default_rng", "Random", "SystemRandom", "RandomState"}


def real_coins(text):
    """Whether a file calls something that draws, without a seed."""
    for node in ast.walk(ast.parse(text)) if any(name in text for name in DRAWS) else ():
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in DRAWS:
                return True
    return False


def silent():
    """Return the files of tests that draw real coins and do not state their false alarms."""
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text("utf-8")
        if "alarm" not in text.lower() and real_coins(text):
            yield str(path.relative_to(TESTS))


@pytest.mark.slow
def test_what_draws_real_coins_states_its_false_alarms():
    """And what stands in the list of those that cannot fail draws some."""
    assert [*silent()] == [*SURE]


def test_a_seedless_generator_is_seen():
    """The check has power: each way to draw, bare and of a module; and none that has a seed."""
    assert real_coins("import numpy as np\nx = np.random.default_rng().normal()")
    assert real_coins("import random\nx = random.SystemRandom().shuffle([1])")
    assert real_coins("from discreet.entropy import Coins\nx = law.draws(9, Coins())")
    assert not real_coins("import numpy as np\nx = np.random.default_rng(3).normal()")
    assert not real_coins("import random\nx = random.Random('a').random()")
