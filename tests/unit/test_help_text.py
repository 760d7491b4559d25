"""help() shows a signature by names that a reader can look up, an option a line."""

import inspect
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

import pytest

import discreet as dp
from discreet.exact.number import Number
from discreet.help_text import _NUMBER, help_text, type_name

pytestmark = pytest.mark.claim("C631")

VERBS = ("table", "unit", "bounds", "keys", "plan", "run", "verify", "count")
PUBLIC = [
    name
    for name in dp.__all__
    if callable(getattr(dp, name)) and not isinstance(getattr(dp, name), type)
]


def head(name):
    """What help() shows above the docstring."""
    text = pydoc.plain(pydoc.render_doc(getattr(dp, name)))
    return text[: text.index(inspect.getdoc(getattr(dp, name)).splitlines()[0])]


def test_a_number_is_what_is_taken_as_one():
    """The name stands for the types of `exact.number`, and no others."""
    assert get_args(Number) == _NUMBER


@pytest.mark.parametrize("name", PUBLIC)
def test_help_names_types_without_their_modules(name):
    """No path of modules, no union of a number's types, no line that a terminal wraps."""
    lines = head(name).splitlines()

    assert "fractions" not in head(name)
    assert not any(f"{module}." in head(name) for module in ("discreet", "collections", "os"))
    if name not in {"table", "tables"}:  # the forms that keys may have
        assert max(map(len, lines)) <= 80, lines


METHODS = [
    getattr(of, name)
    for of in (dp.Release, dp.Plan, dp.Ledger, dp.Result, dp.Table)
    for name in dir(of)
    if callable(getattr(of, name)) and not name.startswith("_")
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__qualname__)
def test_help_of_a_method_names_types_so_too(method):
    """Of all that a table, a plan, a ledger, a release and its results can do."""
    text = pydoc.plain(pydoc.render_doc(method))
    shown = text[: text.index(inspect.getdoc(method).splitlines()[0])].splitlines()[2:]

    assert not re.search(r"fractions|\b(discreet|collections|os|pathlib)\.", "".join(shown))
    assert max(map(len, shown)) <= 100, shown


def test_help_of_a_total_has_an_option_a_line():
    """Also of methods that a register gives a release."""
    assert str(inspect.signature(dp.Release.total)) == (
        """(
    self,
    name: str,
    by: str | Iterable[str] | None = None,
    *,
    only: Mapping[str, object] | None = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers"""
    )


def test_help_of_a_plan_has_an_option_a_line():
    """As Python writes long signatures itself, from 3.13 on."""
    assert head("plan").endswith(
        """plan(
    table: Table,
    *statistics: Question,
    spend: Loss | None = None,
    within: Number | Sequence[Number] | None = None,
    kind: str | None = None,
    delta: Number | None = None,
    alpha: Number = '0.05',
    share: bool = True,
    together: bool = False,
    publish: object = None,
) -> Plan
    """
    )


@pytest.mark.parametrize("name", VERBS)
def test_programs_read_the_types_themselves(name):
    """Only the text changes: a parameter has its own annotation, and calls are bound by it."""
    shown = inspect.signature(getattr(dp, name))
    plain = inspect.signature(getattr(dp, name).__wrapped__)

    assert [*shown.parameters.values()] == [*plain.parameters.values()]
    assert shown.return_annotation == plain.return_annotation
    assert shown.format(max_width=80) == str(shown) == help_text(plain)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (None, "None"),
        (int | None, "int | None"),
        (Number | Path | None, "Number | Path | None"),
        ("Release | str", "Release | str"),
        (Callable[[int | None, float], object], "Callable[[int | None, float], object]"),
        (tuple[Number, ...], "tuple[Number, ...]"),
        (Literal["zcdp", "pure"], "Literal['zcdp', 'pure']"),
        (dp.Question, "Question"),
    ],
)
def test_a_type_as_a_person_writes_it(kind, name):
    """Unions, containers, calls, and what was written as text."""
    assert type_name(kind) == name


def test_a_short_signature_stays_in_a_line():
    """With stars, and without types, as in Python."""

    def ask(*columns, share=None, **options):
        """Ask."""

    assert help_text(inspect.signature(ask)) == "(*columns, share=None, **options)"
    assert help_text(inspect.signature(dp.approx)) == "(epsilon: Number, delta: Number) -> Loss"


def test_a_star_stands_before_options_that_need_their_names():
    """Once, where no other star stands."""
    assert help_text(inspect.signature(dp.unit)) == (
        """(
    column: str,
    *,
    max_rows: int | None = None,
    sampling: str = 'native',
) -> Unit"""
    )
