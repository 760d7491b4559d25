"""The checker of known answers passes our frozen file and catches a changed answer."""

import importlib.util
import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[1] / "vectors"


def loaded():
    spec = importlib.util.spec_from_file_location("vectors_check", VECTORS / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECK = loaded()
CASES = json.loads((VECTORS / "laws.json").read_text())["cases"]


@pytest.mark.slow
def test_all_frozen_answers_are_ours(capsys):
    """Every case computed by mpmath, by plainer ways, is answered within 1e-12 or exactly."""
    assert CHECK.main([str(VECTORS / "laws.json")]) == 0
    assert capsys.readouterr().out == f"passed {len(CASES)} of {len(CASES)}\n"


@pytest.mark.parametrize(
    ("fn", "inputs", "wrong"),
    [
        ("geometric_accuracy_gt", {"epsilon": "1", "sensitivity": 1, "alpha": "0.05"}, 4),
        ("gaussian_tight_constant", {}, "1.2443995094072"),
        ("rejection_loss_ratio_rational", {"alpha": "1/2", "n": 5}, "52/22"),
        ("no_such_function", {}, 1),
    ],
)
def test_a_wrong_answer_is_a_miss(fn, inputs, wrong, tmp_path, capsys):
    """A planted error of one unit, of 1.1e-12 or of one name fails the file and is printed."""
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps({"cases": [{"fn": fn, "inputs": inputs, "value": wrong}]}))

    assert CHECK.main([str(file)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("passed 0 of 1\n")
    assert fn in out


@pytest.mark.parametrize(
    ("fn", "inputs"),
    [
        ("geometric_accuracy_gt", {"epsilon": "nan", "sensitivity": 1, "alpha": "0.05"}),
        ("geometric_accuracy_gt", {"epsilon": "1", "sensitivity": 1, "alpha": "0"}),
        ("geometric_epsilon_from_accuracy_ge", {"accuracy": 0, "sensitivity": 1, "alpha": "0.05"}),
        ("gaussian_sigma_classic", {"epsilon": "2", "delta": "1e-6", "sensitivity": "1"}),
        ("analytic_gaussian_sigma", {"epsilon": "1", "delta": "1", "sensitivity": "1"}),
        (
            "clamped_geometric_pmf",
            {"epsilon": "1", "sensitivity": 1, "lower": 5, "upper": 0, "value": 2},
        ),
        ("soft_threshold", {"y": ["1"], "threshold": "-1"}),
    ],
)
def test_what_must_be_refused_is_refused(fn, inputs):
    """A case that raises passes only by an InputError, and fails where a value is expected."""
    assert CHECK.missed({"fn": fn, "inputs": inputs, "raises": True}) is None
    if fn != "gaussian_sigma_classic":  # whose printed formula has no limits
        assert CHECK.missed({"fn": fn, "inputs": inputs, "value": 1}) is not None


def test_a_file_without_cases_does_not_pass(tmp_path):
    """An empty file proves nothing; no file at all is a usage error."""
    file = tmp_path / "empty.json"
    file.write_text('{"cases": []}')

    assert CHECK.main([str(file)]) == 1
    assert CHECK.main([]) == 2
