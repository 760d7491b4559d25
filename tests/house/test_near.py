"""`make near` finds the tests that guard a file."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("near", ROOT / "tools" / "near.py")
near = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(near)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("post/moments.py", "test_moments"),
        ("privacy/loss.py", "test_loss"),
        ("statistic/quantile.py", "test_quantile_chosen"),
        ("schema/csv_options.py", "test_check_command"),
    ],
)
def test_the_test_that_a_person_would_run_is_among_the_nearest(file, test):
    """By its imports, lazy ones and names of the public page among them."""
    found = near.nearest(near.module_of(ROOT / "src" / "discreet" / file))

    assert test in [path.stem for path in found]
    assert 0 < len(found) <= near.MOST


@pytest.mark.slow
def test_every_file_of_the_source_has_a_test_near_it():
    """None is out of reach of the unit tests, however far."""
    rooms = ["noise/law.py", "engine/spark/frame.py", "cli/cli.py", "calculator/shrink.py"]

    assert all(near.nearest(near.module_of(ROOT / "src" / "discreet" / name)) for name in rooms)
