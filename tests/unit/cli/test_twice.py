"""What is typed twice on the command line is refused: nothing of it is dropped in silence."""

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.cli.twice import each_once
from discreet.errors import InputError


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    place = tmp_path_factory.mktemp("twice")
    table = dp.table([], unit="row", name="t", keys={"k": ["a", "b"], "m": ["x", "y"]})
    plan = dp.plan(table, dp.cube(["k", "m"]), dp.count(by="k"), spend=dp.zcdp(1))
    dp.rehearse(plan).save(place / "r")
    return str(place / "r")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["denoise", "r", "--prior", "0=9", "--prior", "0=1"], "--prior names 0 twice"),
        (["denoise", "r", "--total", "count by k=4", "--total", "count by k=5"], "--total names"),
        (["table", "r", "--where", "k=a", "--where", "k=b"], "--where names k twice"),
        (["denoise", "r", "--how", "raw", "--how", "auto"], "--how is typed twice"),
        (["derive", "r", "total", "--alpha", "0.1", "--alpha", "0.2"], "--alpha is typed twice"),
        (["ledger", "init", "x.ledger", "--rho", "1", "--rho", "2"], "--rho is typed twice"),
        (["calc", "sigma", "gaussian", *["--epsilon", "1"] * 3], "--epsilon is typed 3 times"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_an_option_or_a_name_of_it_that_is_typed_twice_is_refused(words, what, saved, capsys):
    """In three lines, before anything is read or written."""
    assert main([saved if word == "r" else word for word in words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert what in lines[0]
    assert "dropped in silence" in lines[1]
    assert len(lines) == 3


def test_lists_and_switches_may_be_typed_more_than_once(saved, capsys):
    """A list has all that is typed; a switch says the same twice; names differ."""
    words = ["denoise", saved, "--known", "nonnegative", "--prior", "0=9", "--prior", "1=1"]
    assert main([*words, "--how", "prior", "--json", "--json"]) == 0
    assert capsys.readouterr().out.startswith('{"ok":true')


def test_sizes_that_stand_twice_are_refused():
    """The helper that all options of NAME=VALUE go through."""
    assert each_once("--sizes", [("10", "4"), ("5", "9")]) == {"10": "4", "5": "9"}
    with pytest.raises(InputError, match="--sizes names 10 twice"):
        each_once("--sizes", [("10", "4"), ("10", "9")])
