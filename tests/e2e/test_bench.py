"""`python -m bench` runs from a checkout, with or without the libraries it compares with."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def ran(*arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_parts_that_need_no_other_library_print_their_tables():
    """Planning and the calculator are measured, each figure beside what was wanted."""
    text = ran("-m", "bench", "planning", "calibration")

    assert "| plan 20 statistics over 1,000 keys, rho = 0.02 |" in text
    assert "| analytic sigma (1, 1e-6) |" in text


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_the_noise_of_a_release_is_timed_through_the_door():
    """Noise is drawn and added as the release does it, for both laws."""
    made = "[noise._set_up(noise.DiscreteLaplace(9)), noise._set_up(noise.DiscreteGaussian(9))]"
    text = ran("-c", f"from bench import noise; {made}; print(noise._cells(1_000).markdown())")

    assert text.count("| discrete_laplace, ") == 2
    assert text.count("| discrete_gaussian, ") == 2


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_errors_of_moments_stand_beside_those_of_others():
    """Variances of a few releases; a library that is not there says so, and formulas always are."""
    code = (
        "from bench import moments; moments.RELEASES = 60; moments.FITTED = 20; moments.GROUPS = 9\n"
        "print(*[section.markdown() for section in moments.sections()])"
    )
    text = ran("-c", code)

    assert text.count("| variance | ") == 5
    assert text.count("| slope | ") == 4
    assert "| 9 groups of 1,024 bins |" in text


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_maps_and_long_vectors_are_timed_and_a_large_map_is_weighed():
    """On small maps each row has its figure, and the process of its own tells its memory."""
    text = ran("-c", "from bench import maps; print(maps.sections(100, 400, 1000)[0].markdown())")

    assert "| 100 places, discrete Gaussian, sigma = 306 |" in text
    assert "| 1,000 numbers, discrete Laplace, scale = 10 |" in text
    assert text.count(" MB (≤ 2,000)") == 3


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_growth_is_told_for_each_axis_and_large_releases_are_weighed():
    """On small sizes every axis finds what it needs, and each large release is verified."""
    acts = "[axis.ready(axis.least) is not None for axis in growth._axes(Path(folder), 1000)]"
    code = (
        "import tempfile; from pathlib import Path; from bench import growth\n"
        f"with tempfile.TemporaryDirectory() as folder: print({acts})\n"
        "print(growth._large(1_000).markdown())"
    )
    text = ran("-c", code)

    assert str([True] * 6) in text
    assert "| 1,000 means |" in text
    assert text.count(" MB (≤ 600)") == 2


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_the_engine_is_compared_with_queries_by_hand():
    """On a small file every comparison is made, and the limited process answers."""
    text = ran("-c", "from bench import engine; print(*engine.sections(20_000, 1))")

    assert "ten statistics in four groupings, 15 rows a unit" in text
    assert "Cell(text='yes', wanted='yes', reached=True)" in text


@pytest.mark.exhaustive("bench")
@pytest.mark.slow
def test_filters_and_a_join_are_timed_beside_what_they_are_added_to():
    """On small tables each filter has its ratio, and planning and the join their times."""
    text = ran("-c", "from bench import rows; print(*rows.sections(20_000, 1, 0.001))")

    assert (
        text.count("'a filter of the table, ") == text.count("'a filter of both questions, ") == 2
    )
    assert "plan 20 statistics with filters" in text
    assert "1,500 orders and these to 150 customers" in text
    assert "joined by discreet" in text
    assert "the same filter in a query by hand" in text


@pytest.mark.slow
def test_a_missing_peer_is_said_to_be_missing():
    """A library that cannot be imported leaves a row that says so."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('opendp', 'diffprivlib', 'pipeline_dp')))\n"
        "from bench import peers; print(*(s.markdown() for s in peers.sections()))"
    )

    assert ran("-c", code).count("not installed") == 6


@pytest.mark.slow
def test_the_page_names_what_was_missed():
    """A figure beyond what was wanted is bold in its table and listed on top; a plain one is not."""
    code = (
        "from bench.__main__ import _page; from bench.table import Section, got\n"
        "row = ['one', got(3, 'ms', most=2), got(1, 'ms', most=2)]\n"
        "print(_page([Section('Speed', 'Two.', ('what', 'slow', 'fast'), [row])]))"
    )
    text = ran("-c", code)

    assert "1 of 2 wanted figures were reached." in text
    assert "- Speed, one, slow: 3 ms (≤ 2)" in text
    assert "| one | **3 ms (≤ 2): missed** | 1 ms (≤ 2) |" in text
