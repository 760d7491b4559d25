"""The options that questions share are written once, and seen and checked by name everywhere."""

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.statistic.ask import asked
from discreet.statistic.catalog import ASKED, statistic_of
from discreet.statistic.options import AskOptions, AskTogether, question

ROOT = Path(__file__).parents[3]
SHARED = set(AskOptions.__annotations__)
OWN = {"tables", "cube", "group_sizes"}  # which take other options, and say what they mean there
TOGETHER = {"count", "count_units", "sum", "mean", "histogram", "variance", "std"}


@pytest.mark.claim("C302")
def test_the_names_and_types_are_those_of_the_function_that_checks_them():
    """In `asked` each has its default; there is none that a type checker does not know."""
    taken = get_type_hints(asked)
    del taken["by"], taken["return"]

    assert get_type_hints(AskTogether) == taken
    assert SHARED | {"together"} == set(taken)


@pytest.mark.claim("C302")
@pytest.mark.parametrize("name", [name for name in ASKED if name not in OWN])
def test_each_option_is_seen_by_name(name):
    """In the signature, with its default, by itself and as `discreet.` has it; and in help()."""
    for function in (ASKED[name], getattr(dp, name)):
        taken = inspect.signature(function).parameters
        defaults = inspect.signature(asked).parameters
        shared = [*SHARED, *["together"] * (name in TOGETHER)]

        assert all(taken[one].default == defaults[one].default for one in shared)
        assert all(taken[one].kind is inspect.Parameter.KEYWORD_ONLY for one in shared)
        assert ("together" in taken) == (name in TOGETHER)
        assert "options" not in taken
        assert "max_groups" in pydoc.render_doc(function).partition(inspect.getdoc(function)[:9])[0]


@pytest.mark.claim("C302")
@pytest.mark.parametrize("name", [name for name in ASKED if name not in TOGETHER])
def test_what_a_question_does_not_take_is_refused_by_name(name):
    """In Python before anything is asked, and in a plan file; never dropped."""
    needed = {
        one: {"column": "x", "k": 1, "at": "0.5", "on": "y", "share": "0.5"}.get(one, "ward")
        for one, parameter in inspect.signature(ASKED[name]).parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    if name == "stated":
        needed |= {"sensitivity": 3, "protects": "one household"}
    if name in ("covariance", "correlation"):
        needed["column"] = ["x", "y"]

    with pytest.raises(TypeError, match="unexpected keyword argument 'together'"):
        ASKED[name](**needed, together=True)
    with pytest.raises(InputError, match=f"{name} has no option together"):
        statistic_of({"statistic": name, **needed, "together": True})
    with pytest.raises(InputError, match="together") as refused:
        getattr(dp, name)(**needed, together=True)
    assert "why: " in str(refused.value)
    assert "fix: " in str(refused.value)


@pytest.mark.claim("C302")
def test_an_option_that_is_forgotten_is_seen():
    """The check has power: options that are passed on unasked would take one that means nothing."""

    def loose(by=None, **options):
        return asked(by, **options)

    assert loose(together=True).together


def test_a_functions_own_options_stand_where_it_says():
    """Behind the shared ones: refusals name them in this order."""

    @question("last")
    def ask(column: str, *, first: int = 1, last: int = 2, **options: AskLike):
        return column, first, last, options

    names = list(inspect.signature(ask).parameters)

    assert names == ["column", "first", *SHARED_IN_ORDER, "last"]
    assert ask("x", last=3, rows=4) == ("x", 1, 3, {"rows": 4})


AskLike = inspect.signature(ASKED["median"].__wrapped__).parameters["options"].annotation
SHARED_IN_ORDER = [one for one in inspect.signature(asked).parameters if one in SHARED]
SNIPPET = """
from discreet.statistic.quantile import median
from discreet.statistic.sum import sum_

sum_("x", max_groups=3, together=True, where="x > 1")
{}
"""


@pytest.mark.exhaustive("a type checker")
@pytest.mark.slow
@pytest.mark.claim("C302")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Success"),
        ('sum_("x", max_group=3)', '"max_group"'),
        ('sum_("x", max_groups="three")', '"max_groups"'),
        ('median("x", together=True)', '"together"'),
    ],
)
def test_a_type_checker_sees_them(line, said, tmp_path):
    """A wrong name or type is an error before anything runs."""
    (tmp_path / "snippet.py").write_text(SNIPPET.format(line), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path / "snippet.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert said in done.stdout, done.stdout + done.stderr
