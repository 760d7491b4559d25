"""`make test` runs a share of the cases of exhaustive tests; all shares together run them all."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import shares
from shares import in_parts, left_out

TESTS = Path(__file__).parents[1]


POWER = ("The check has power", "The checks have power", "The planted fault")


class Case:
    """What pytest knows of a case."""

    def __init__(self, nodeid, *names, exhaustive=True):
        self.nodeid, self.exhaustive, self.names = nodeid, exhaustive, names

    def get_closest_marker(self, name):
        return pytest.mark.exhaustive(*self.names).mark if self.exhaustive else None


@pytest.mark.parametrize("many", [1, 3, 4, 9])
def test_each_case_has_its_turn_and_no_test_goes_without_one(many):
    mine = [Case(f"t.py::test[{at}]") for at in range(many)]
    ran = [set(mine) - left_out(mine, 4, turn) for turn in range(4)]

    assert set().union(*ran) == set(mine)
    assert all(ran)
    assert sum(map(len, ran)) <= max(4, many)


def test_a_test_whose_turn_is_on_spark_runs_elsewhere_too():
    """Where Spark is skipped, no test is skipped whole."""
    mine = [Case(f"t.py::test[{case}]") for case in ("OnSpark-1", "duckdb-1", "spark-2")]
    ran = [set(mine) - left_out(mine, 20, turn) for turn in range(20)]

    assert all(mine[1] in cases and len(cases) == 2 for cases in ran)


@pytest.mark.parametrize("many", [1, 7, 20, 44, 61])
def test_twenty_commits_one_after_the_other_run_every_case(many, monkeypatch):
    """Whatever the commits are called."""
    mine = [Case(f"t.py::test[{at}]") for at in range(many)]
    ran = set()
    for place in range(736, 756):
        monkeypatch.setattr(shares, "place", lambda place=place: place)
        ran |= set(mine) - left_out(mine, 20, shares.turn(20))

    assert ran == set(mine)


def test_tests_of_one_name_take_turns():
    """One of them is run at least, and all of them within so many turns."""
    mine = [Case(f"t.py::test_{at}", "cubes") for at in range(3)]
    mine += [Case(f"t.py::another[{at}]", "cubes") for at in range(4)]
    ran = [set(mine) - left_out(mine, 4, turn) for turn in range(4)]

    assert set().union(*ran) == set(mine)
    assert sum(map(len, ran)) == len(mine)
    assert all(ran)


def test_cases_without_what_makes_engines_faster_move_no_turn():
    """They are there at some commits alone: the others would never have theirs."""
    mine = [Case(f"t.py::test[{at}-full]") for at in range(40)]
    others = [Case(f"t.py::test[{at}-unaided]") for at in range(40)]
    both = [case for pair in zip(mine, others, strict=True) for case in pair]

    for turn in range(20):
        assert left_out(both, 20, turn) & {*mine} == left_out(mine, 20, turn)


@pytest.mark.slow
def test_turns_are_about_as_long_as_each_other():
    """The first case of each test, often like that of others, is not run by all at one turn."""
    tests = [[Case(f"t.py::test_{name}[{at}]") for at in range(21)] for name in range(100)]
    first = [
        sum(cases[0] not in left_out(cases, 20, turn) for cases in tests) for turn in range(20)
    ]

    assert sum(first) == len(tests)
    assert max(first) < 3 * len(tests) / 20


def test_no_other_test_is_left_out():
    others = [Case(f"t.py::planted[{at}]", exhaustive=False) for at in range(9)]

    assert [left_out(others, 4, turn) for turn in range(4)] == [set()] * 4


def test_each_part_of_random_cases_has_cases_of_its_own():
    """The same ones each time, by the part alone, as the fixture `part` sets it."""

    def drawn(part):
        cases = []

        @settings(max_examples=20)
        @given(st.integers(0, 10**6))
        def test(number):
            cases.append(number)

        seed(part)(test)()
        return cases

    first, *others = (drawn(part) for part in range(5))
    assert first == drawn(0)
    assert all(len({*first} & {*other}) < 10 for other in others)


def test_a_test_in_parts_is_exhaustive():
    """So that `make test` runs one part; and each is told its number."""

    @in_parts(3)
    def test():
        pass

    marks = {mark.name: mark.args for mark in test.pytestmark}
    assert marks["parametrize"] == ("part", range(3))
    assert marks["usefixtures"] == ("part",)
    assert "exhaustive" in marks


def decorated(path):
    """The tests of a file that has one of power, with the text of what stands above each."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if any(words in text for words in POWER) else ():
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node, " ".join(ast.unparse(mark) for mark in node.decorator_list)


def of_power(node):
    """Whether a test says that it plants a fault and sees it."""
    words = ast.get_docstring(node) or ""
    return words.startswith(POWER)


@pytest.mark.slow
def test_a_planted_fault_always_runs():
    """What shows that a check sees something is never left out; the search finds such tests."""
    every = [
        (path.name, node, marks)
        for path in sorted(TESTS.rglob("test_*.py"))
        for node, marks in decorated(path)
    ]

    assert sum(of_power(node) for _, node, _ in every) > 80
    assert [
        (name, node.name)
        for name, node, marks in every
        if of_power(node) and ("exhaustive" in marks or "in_parts" in marks)
    ] == []


def test_lanes_for_each_day_take_a_share_and_keep_what_was_compiled():
    """An environment may forbid to keep it: hundreds of processes would compile all again."""
    text = (TESTS.parent / "Makefile").read_text("utf-8")
    lanes = re.findall(r"^(test|quick): .*\n\t(.*)", text, flags=re.MULTILINE)

    assert [(lane, "--share 20" in words) for lane, words in lanes] == [
        ("test", True),
        ("quick", True),
    ]
    assert "export PYTHONDONTWRITEBYTECODE =" in text
