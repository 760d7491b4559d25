"""Each public name, and each method of what one gets back, is documented in one form.

What it does, in a sentence; each parameter in its place, in words of its own; what comes back; what is raised; an
example with what it prints. `griffe`, which editors and sites read docstrings with, warns of nothing.
"""

import doctest
import logging
import re
import sys
from inspect import getdoc, isclass, signature
from pathlib import Path

import pytest

import discreet as dp
from discreet.statistic.options import AskOptions, AskTogether

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "e2e")]
from reference import METHODS  # noqa: E402
from session import resembles  # noqa: E402

PLACES = {
    **{name: getattr(dp, name) for name in dp.__all__ if name != "errors"},
    **{
        f"{of}.{name}": getattr(getattr(dp, of), name)
        for of, names in METHODS.items()
        for name in names
    },
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example|Source|Guarantee):", re.MULTILINE)
SHARED = {name for kind in (AskOptions, AskTogether) for name in kind.__annotations__}


def faults(name, thing, text):
    """What is not in the form, in words."""
    sections = {*SECTION.findall(text)}
    first = text.split("\n\n")[0]
    options = [] if isclass(thing) else [n for n in signature(thing).parameters if n != "self"]
    described = re.findall(r"^    ([\w*][\w, *]*):", text, re.MULTILINE)
    named = {each.strip("* ") for listed in described for each in listed.split(",")}
    made = f"`discreet.{name.lower()}` makes it" in text
    returns = first.startswith("Return ") and not options
    yield from [f"{name}: no words on {option}" for option in options if option not in named]
    if not re.fullmatch(r"[A-Z].*\.", first, re.DOTALL):
        yield f"{name}: it begins with no sentence: {first}"
    if re.search(r"^ +[\w, *]+:.*\bas (for|of) `", text, re.MULTILINE):
        yield f"{name}: a parameter is described elsewhere"
    if not isclass(thing) and "Returns" not in sections and not returns and gives(thing):
        yield f"{name}: no Returns"
    if options and "Raises" not in sections:
        yield f"{name}: no Raises"
    if "Example" not in sections and not (isclass(thing) and made):
        yield f"{name}: no Example"


FORMULA = re.compile(  # what a docstring names that somebody has published, or a law of ours proves
    r"mechanism|Pearson|least squares|divisor|differential privacy|posterior|coverage rate|rank of"
)


def gives(thing):
    """Whether a call gives anything."""
    return signature(thing).return_annotation not in (None, "None")


@pytest.mark.parametrize("name", [n for n in PLACES if not isclass(PLACES[n])])
def test_a_formula_has_its_source(name):
    """Who named or proved what is computed, where a docstring speaks of a mechanism or a method."""
    text = re.sub(r'"[^"]*"|`[^`]*`', "", getdoc(PLACES[name]) or "")

    assert "Source:" in text or not FORMULA.search(text)


@pytest.mark.claim("C634")
@pytest.mark.parametrize("name", PLACES)
def test_each_docstring_has_the_one_form(name):
    """No part of it is missing, and none stands with another name."""
    assert [*faults(name, PLACES[name], getdoc(PLACES[name]))] == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Return the sum", "total: it begins with no sentence: Return the sum"),
        ("Return the sum.", "total: no words on name"),
        ("Return.\n\nArgs:\n    name: as for `mean`.", "total: a parameter is described elsewhere"),
        ("Ask.\n\nArgs:\n    name: which.\n\nReturns: it.", "total: no Raises"),
        ("Ask.\n\nArgs:\n    name: which.\n\nRaises:\n    Error: never.", "total: no Returns"),
        ("Ask.", "total: no Example"),
    ],
)
def test_a_docstring_in_another_form_is_seen(text, fault):
    """The check has power."""

    def total(name) -> int:
        """Return it."""

    assert fault in [*faults("total", total, text)]


BARE = re.compile(rf"(?<![\w.'])({'|'.join(dp.__all__)})\(")


def bare(text):
    """The lines of an example that call a public name as no reader can: without `dp.`."""
    lines = [line for line in text.splitlines() if re.match(r"\s*(>>>|\.\.\.) ", line)]
    return [line for line in lines if BARE.search(re.sub(r"\"[^\"]*\"", '""', line))]


def test_examples_call_public_names_as_a_reader_does():
    """As `dp.count()`: a line of help() can be typed as it stands."""
    assert [line for name in PLACES for line in bare(getdoc(PLACES[name]))] == []
    assert bare(">>> print(count().label)\n>>> print(dp.count())") == [">>> print(count().label)"]


class Noisy(doctest.OutputChecker):
    """What an example prints is compared with other digits of the same size, where noise is in it."""

    def check_output(self, want, got, optionflags):
        return super().check_output(want, got, optionflags) or resembles(want, got)


def run(name, text, known):
    """Run an example with names that are known; return what is wrong with it."""
    said = []
    test = doctest.DocTestParser().get_doctest(text, known, name, None, 0)
    noisy = re.search(r"^Example:.*noise", text, re.MULTILINE)
    runner = doctest.DocTestRunner(checker=Noisy() if noisy else None, optionflags=FLAGS)
    runner.run(test, out=said.append, clear_globs=False)
    known.update(test.globs)
    return "".join(said)


@pytest.mark.slow
@pytest.mark.claim("C634")
def test_each_example_of_a_method_prints_what_stands_there(tmp_path, monkeypatch):
    """With the release, the plan and the ledger that the class of releases is shown by.

    Noise has deviation 7 or less per row beside room of 100: a false alarm in 10^40 runs.
    """
    monkeypatch.chdir(tmp_path)
    known = {}
    first = run("Release", getdoc(dp.Release), known)
    texts = {name: getdoc(thing) for name, thing in PLACES.items()}
    behind = [name for name in texts if "." in name or isclass(PLACES[name])]
    wrong = [run(name, texts[name], dict(known)) for name in behind if name != "Release"]

    assert first == ""
    assert "".join(wrong) == ""


def test_an_example_that_prints_something_else_is_seen():
    """Other digits of noise pass; other words, and numbers of another size, do not."""
    example = "Count.\n\nExample: noise differs.\n\n    >>> print({})\n    [591, 409]\n"

    assert run("count", example.format("[597, 400]"), {}) == ""
    assert "Expected" in run("count", example.format("[9000, 400]"), {})
    assert "Expected" in run("count", example.replace("noise", "it").format("[597, 400]"), {})


@pytest.mark.slow
@pytest.mark.claim("C634")
def test_griffe_warns_of_nothing(caplog):
    """In all modules. A line of two parameters, which is our own form, is read as two lines.

    Options that questions share stand in the code as `**options`, where `griffe` sees no name.
    """
    griffe = pytest.importorskip("griffe", reason="python -m pip install griffe")
    package = griffe.load("discreet", docstring_parser="google")
    seen = 0
    with caplog.at_level(logging.WARNING):
        for docstring in docstrings(package):
            shared = SHARED if "options" in getattr(docstring.parent, "parameters", ()) else ()
            docstring.value = apart(docstring.value, shared)
            seen += len(docstring.parsed)

    assert seen > 2_000
    assert [record.getMessage() for record in caplog.records] == []


def docstrings(thing):
    """All docstrings in a module, a class or a function."""
    for member in thing.members.values():
        if not member.is_alias:
            yield from [member.docstring] if member.docstring else []
            yield from docstrings(member)


def apart(text, shared):
    """Return a docstring with a line for each parameter; of shared options none, as in the code."""
    return re.sub(
        r"^( +)(\w+(?:, \w+)*): ",
        lambda line: "".join(
            f"{line[1]}{name}: the same.\n" for name in line[2].split(", ") if name not in shared
        ),
        text,
        flags=re.MULTILINE,
    )
