"""Each kind of derived numbers is one function: its signature is what every face takes and says.

All cases come from the register: of each kind each option alone, and all together. A kind that a test
registers is then in every face, though nobody wrote a line for it there.
"""

import ast
import inspect
import json
import os
import pydoc
import subprocess
import sys
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from session import run

import discreet as dp
from discreet.derive.catalog import KINDS, derivations, options
from discreet.derive.derivation import COMMON, REGISTERED, Axes, Derivation, Keys, derivation
from discreet.derive.derived import axes_of, derived, rounded, said, text_of_all
from discreet.derive.recipes import made_again
from discreet.errors import CallError, InputError, InternalError
from discreet.plan_file.derive_part import tried
from discreet.plan_file.plan_file import read_plan_file
from discreet.plan_file.schema import toml
from discreet.releases.release import Release
from discreet.report.additive import axes_in, numbers_of, selected

SOURCE = Path(dp.__file__).parent
ROOT = Path(__file__).parents[2]
PLAN = """\
[data]
source = "people.csv"
unit = "row"
[columns.pay]
lower = 0
upper = 50
step = 1
[keys]
ward = ["A", "B"]
[spend]
rho = 1
ledger = "people.ledger"
[[ask]]
statistic = "count"
by = "ward"
[[ask]]
statistic = "sum"
column = "pay"
by = "ward"
[[ask]]
statistic = "mean"
column = "pay"
by = "ward"
[[also]]
"""
NAMES = ["sum pay by ward", "count by ward", "mean pay by ward"]
WORTH = {"alpha": "0.2", "together": True, "by": ["ward"], "first": {"ward": ["A"]}, "second": {"ward": ["B"]}, "median": True, "over": ["ward"]}  # fmt: skip


def worth(option):
    """A value that an option can have, by its name or its form."""
    return WORTH.get(
        option.name,
        {"keys": {"ward": ["A"]}, "axes": ["ward"], "numbers": {"A": 900, "B": "7.5"}}.get(
            option.form, 900
        ),
    )


def cases():
    """Of each kind: nothing more, each option alone, and all of them; of a sum, a count and a mean."""
    for kind, listed in derivations().items():
        own = [option for option in listed.takes.values() if option.name not in listed.operands]
        needed = {option.name: worth(option) for option in own if option.needed}
        sided = {option.name: worth(option) for option in own if option.name in ("first", "second")}
        more = [
            {},
            *({option.name: worth(option)} for option in own),
            {option.name: worth(option) for option in own},
        ]
        for name in NAMES:
            names = {"of": name, **({"other": "count by ward"} if listed.of > 1 else {})}
            if listed.of > 1 and not listed.takes["other"].needed:
                yield kind, {"of": name, **needed, **sided}
            for options_ in more:
                yield kind, {**names, **needed, **options_}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("derived")
    rows = [f"{'AB'[n % 2]},{n % 50}" for n in range(600)]
    (folder / "people.csv").write_text("\n".join(["ward,pay", *rows]) + "\n")
    (folder / "people.toml").write_text(PLAN.removesuffix("[[also]]\n"))
    dp.rehearse(read_plan_file(folder / "people.toml").plan).save(folder / "people.release")
    return folder


def by_python(release, kind, wanted):
    """What the method of the release says."""
    takes = derivations()[kind].takes
    return getattr(release, kind)(**{takes[name].argument: wanted[name] for name in wanted})


def by_plan_file(folder, release, kind, wanted):
    """What an entry of a plan file makes of the same release."""
    path = folder / "also.toml"
    lines = [f"{name} = {toml(value)}\n" for name, value in {"derive": kind, **wanted}.items()]
    path.write_text(PLAN + "".join(lines))
    (also,) = read_plan_file(path).also
    return also.made(release)


def by_command(folder, kind, wanted):
    """The words of the command, each option as it is typed."""
    takes, words = (
        derivations()[kind].takes,
        [f"'{wanted[name]}'" for name in ("of", "other") if name in wanted],
    )
    for name in wanted:
        if name in ("of", "other"):
            continue
        form, typed = takes[name].form, f"--{name.replace('_', '-')}"
        value = wanted[name]
        if form == "flag":
            words += [typed]
        elif form == "numbers":
            words += [f"{typed} {key}={number}" for key, number in value.items()]
        elif form == "keys":
            words += [f"{typed} {axis}={key}" for axis, keys in value.items() for key in keys]
        else:
            words += [f"{typed} {part}" for part in (value if form == "axes" else [value])]
    return run(f"discreet derive {folder / 'people.release'} {kind} {' '.join(words)} --json")


def outcome(act, *args):
    """The numbers, or what was refused."""
    try:
        return act(*args)
    except InputError as error:
        return error.what


def agree(folder, kind, wanted):
    """Ask all faces; return whether there were numbers."""
    release = dp.load(folder / "people.release")
    made = outcome(by_python, release, kind, wanted)
    expected = made if isinstance(made, str) else json.loads(json.dumps(made.plain()))
    in_file = outcome(by_plan_file, folder, release, kind, wanted)
    code, text = by_command(folder, kind, wanted)

    if isinstance(expected, str):
        assert in_file.endswith(expected)
        assert (code, expected in text) == (2, True), text
        return False
    assert json.loads(json.dumps(in_file.plain())) == expected
    assert code == 0, text
    reply = json.loads(text)
    assert {"recipe": reply["recipe"], "answers": reply["answers"]} == expected
    text = text_of_all(release.document, [made])
    again = made_again(release.document, text.encode())
    assert again is not None, f"the recipe of {wanted} makes other numbers"
    assert again[0].plain() == made.plain()
    return True


@pytest.mark.exhaustive("derived on each face")
@pytest.mark.slow
@pytest.mark.claim("C320")
@pytest.mark.parametrize("kind", KINDS)
def test_every_face_says_the_same_of_each_option(folder, kind):
    """Python, a plan file, the command line and the recipe: the same numbers, or the same refusal."""
    outcomes = [agree(folder, kind, wanted) for each, wanted in cases() if each == kind]

    assert sum(outcomes) >= 4
    assert not all(outcomes) or kind == "intervals"


@pytest.mark.claim("C320")
def test_axes_that_a_recipe_does_not_name_are_none(folder):
    """A ratio of totals: without `by` the method keeps what both have, and its recipe names that."""
    release = dp.load(folder / "people.release")
    names = ("sum pay by ward", "count by ward")
    whole, each = release.ratio(*names, by=[]), release.ratio(*names)

    assert ("by" in whole.recipe, each.recipe["by"]) == (False, ["ward"])
    for made in (whole, each):
        text = text_of_all(release.document, [made])
        (again,) = made_again(release.document, text.encode())
        assert again.plain() == made.plain()


@pytest.mark.claim("C322")
@pytest.mark.parametrize("kind", KINDS)
def test_a_method_is_its_function(kind):
    """Its arguments, their kinds and defaults, and its words; `help` shows them."""
    listed = derivations()[kind]
    method = vars(Release)[kind]
    own, made = ([*inspect.signature(act).parameters.values()] for act in (method, listed.make))

    assert [(p.name, p.kind, p.default) for p in own[1:]] == [
        (p.name, p.kind, p.default) for p in made[1:]
    ]
    assert (own[0].name, made[0].name) == ("self", "document")
    assert inspect.getdoc(method) == inspect.getdoc(listed.make)
    shown = pydoc.render_doc(Release, renderer=pydoc.plaintext)
    _, _, after = shown.partition(f" {kind}(\n |      self,")  # a parameter a line
    parameters = after.partition(") -> ")[0]
    assert all(f" {p.name}: " in parameters for p in own[1:])
    assert {*COMMON} <= listed.takes.keys()


@pytest.mark.claim("C322")
def test_a_release_has_its_methods_before_a_kind_was_imported():
    """They are there to be completed; a first look at one imports its file and no other."""
    code = """
import sys
from discreet.releases.release import Release
loaded = lambda: {n.rpartition(".")[2] for n in sys.modules if n.startswith("discreet.derive.")}
assert loaded() == {"catalog", "derivation"}, loaded()
assert {"total", "ratio", "intervals"} <= {*dir(Release)}
Release.ratio
assert "ratios" in loaded() and "between" not in loaded(), loaded()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.claim("C322")
def test_a_type_checker_reads_each_method_from_its_file():
    """The lines of the class, by the file that the catalog names."""
    from discreet.derive.catalog import _PLACES

    tree = ast.parse((SOURCE / "releases" / "release.py").read_text("utf-8"))
    (cls,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Release")
    (block,) = (
        n for n in cls.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"
    )

    assert [ast.unparse(line) for line in block.body] == [
        f"{kind} = {place}.{kind}" for kind, place in _PLACES.items()
    ]


CHECKED = """
from discreet.releases.release import Release

def faces(release: Release) -> None:
{}
    release.total("count", by=["ward"], alpha="0.1")
    release.total("count", together="yes")
    release.totals("count")
"""


@pytest.mark.exhaustive("a type checker")
@pytest.mark.slow
@pytest.mark.claim("C322")
def test_a_type_checker_sees_the_arguments_of_a_method(tmp_path):
    """mypy says what each takes, by the settings of this project, and refuses what it does not."""
    reveals = "\n".join(f"    reveal_type(release.{kind})" for kind in KINDS)
    (tmp_path / "face.py").write_text(CHECKED.format(reveals))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", tmp_path / "face.py"],
        cwd=ROOT, env={**os.environ, "MYPYPATH": "src"}, capture_output=True, text=True, check=False,
        timeout=600,
    )  # fmt: skip
    *lines, wrong, missing, _ = done.stdout.splitlines()

    for kind, line in zip(KINDS, lines, strict=True):
        for name in inspect.signature(getattr(Release, kind)).parameters:
            assert name == "self" or f"{name}: " in line, line
        assert line.endswith('-> discreet.derive.derived.DerivedNumbers"')
    assert 'Argument "together"' in wrong
    assert '"Release" has no attribute "totals"' in missing


# A kind that a test registers


def scaled(
    document: object,
    name: str,
    by: Axes = None,
    *,
    times: int,
    only: Keys = None,
    alpha: str | None = None,
    together: bool = False,
) -> object:
    """Return a statistic's numbers a number of times.

    Args:
        name: the statistic.
        by: the axes that stay.
        times: how often each number
            is taken.
        only, alpha, together: as for `total`.
    """
    numbers = numbers_of(document, name)
    kept = axes_in(numbers.released, () if by is None else by)
    chosen = selected(numbers.released, {} if only is None else only)
    sums = [int(times) * sum(part) for part in numbers.folded(kept, chosen).values()]
    recipe = {"derive": "scaled", "of": name, "times": int(times)}
    exact = [Fraction(number) for number in sums]
    return derived(
        document,
        f"{times} times {name}",
        recipe | said(by=kept, only=chosen, alpha=Fraction(alpha or "0.05"), together=together),
        axes=axes_of(numbers.released, kept),
        index=list(numbers.folded(kept, chosen)),
        numbers=rounded(exact, exact, exact),
        measure="sum",
    )


@contextmanager
def registered(kind, function, **how):
    derivation(kind, **how)(function)
    try:
        yield
    finally:
        del REGISTERED[kind]
        delattr(Release, kind)


@pytest.fixture
def with_scaled():
    with registered("scaled", scaled, of=1):
        yield


@pytest.mark.slow
@pytest.mark.claim("C321")
def test_a_new_kind_works_in_every_face(folder, with_scaled):
    """Nobody wrote a line for it: methods, plan files, commands and recipes read its signature."""
    outcomes = [agree(folder, kind, wanted) for kind, wanted in cases() if kind == "scaled"]
    release = dp.load(folder / "people.release")

    assert outcomes.count(True) == 14
    (value,) = release.scaled("count by ward", times=3).values
    assert value == 3 * release.total("count by ward").values[0]
    assert inspect.signature(Release.scaled).parameters["times"].annotation is int
    assert "how often each number" in inspect.getdoc(release.scaled)
    _, text = run("discreet derive --help")
    assert "--times TIMES" in text
    assert "How often each number is taken." in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.claim("C321")
def test_a_new_kind_is_saved_and_verified_by_a_plan_file(folder, with_scaled, tmp_path):
    """From the charge to the check, and no other number passes for it."""
    path = tmp_path / "people.toml"
    (tmp_path / "people.csv").write_text((folder / "people.csv").read_text())
    path.write_text(PLAN + 'derive = "scaled"\nof = "count by ward"\ntimes = 7\n')
    dp.ledger(tmp_path / "people.ledger", budget=dp.zcdp(1), subject="people.csv")

    code, text = run(f"discreet release {path}")
    assert code == 0, text
    assert "7 times count by ward" in text
    saved = tmp_path / "people.release"
    assert any("derived.json" in check for check in dp.verify(saved).checks)
    derived_ = saved / "derived.json"
    derived_.write_text(derived_.read_text().replace('"times":7', '"times":8'))
    with pytest.raises(dp.errors.VerifyError):
        dp.verify(saved)


@pytest.mark.claim("C321")
@pytest.mark.parametrize(
    ("wanted", "what"),
    [
        ({"of": "mean pay by ward", "times": 2}, "the numbers of mean pay by ward do not add up."),
        ({"of": "count by ward", "times": 2, "other": "count by ward"}, "scaled has no other."),
        ({"of": "count by ward", "times": 2, "known": 3}, "scaled has no known."),
        ({"of": "count by wrd", "times": 2}, "there is no statistic 'count by wrd'"),
        ({"of": "count by ward"}, "scaled needs times."),
    ],
)
def test_a_new_kind_is_refused_for_what_it_does_not_take(folder, with_scaled, wanted, what):
    """By its signature and by its numbers, in a plan file and on the command line; in three lines."""
    release = dp.load(folder / "people.release")
    with pytest.raises(InputError) as refused:
        by_plan_file(folder, release, "scaled", wanted)
    assert what in refused.value.what
    assert str(refused.value).count("\n") == 2
    words = {name: f"'{value}'" if " " in str(value) else value for name, value in wanted.items()}
    names = [str(words.pop(name)) for name in ("of", "other") if name in words]
    more = [f"--{name} {value}" for name, value in words.items()]
    code, text = run(
        f"discreet derive {folder / 'people.release'} scaled {' '.join([*names, *more])}"
    )
    assert (code, what in text) == (2, True), text


@pytest.mark.claim("C321")
def test_a_new_kind_is_called_as_the_others_are(folder, with_scaled):
    """A wrong call of the method says what it takes; a slip of its name in a plan file finds it."""
    release = dp.load(folder / "people.release")
    with pytest.raises(CallError, match="its settings are name, by, times, only, alpha, together"):
        release.scaled("count by ward", factor=2)
    with pytest.raises(CallError, match="scaled needs its times"):
        release.scaled("count by ward")
    with pytest.raises(InputError, match="write scaled in its place"):
        by_plan_file(folder, release, "scald", {"of": "count by ward"})


@pytest.mark.claim("C321")
def test_what_is_no_kind_is_not_registered():
    """A function without what every kind takes is told of where it is written."""
    for faulty in (
        lambda document, name, alpha=None: None,
        lambda release, name, alpha=None, together=False: None,
    ):
        with pytest.raises(InternalError):
            derivation("faulty", of=1)(faulty)
    with pytest.raises(InternalError):
        derivation("faulty", of=2)(lambda document, name, alpha=None, together=False: None)
    assert "faulty" not in REGISTERED
    assert not hasattr(Release, "faulty")


@pytest.mark.claim("C320")
def test_a_plan_file_tries_each_kind_before_anything_is_charged(folder):
    """What cannot be made of a rehearsal is refused there."""
    path = folder / "tried.toml"
    path.write_text(PLAN + 'derive = "total"\nof = "mean pay by ward"\n')
    wanted = read_plan_file(path)

    with pytest.raises(InputError, match="do not add up"):
        tried(wanted.also, wanted.plan)


@pytest.mark.claim("C320")
def test_the_command_has_each_option_of_each_kind():
    """One option for each name, those of every kind last; each says what it is."""
    taken = {name for listed in derivations().values() for name in listed.takes}

    assert {*options()} == taken - {"of", "other"}
    assert [*options()][-2:] == [*COMMON]
    assert all(option.words.endswith(".") for option in options().values())
    assert all(isinstance(listed, Derivation) for listed in derivations().values())


HELP = """
  --by COLUMN            An axis that stays.
  --only COLUMN=KEY      These keys alone.
  --first COLUMN=KEY     One side.
  --second COLUMN=KEY    The other side.
  --within WITHIN        Show only what is as narrow: 25% of it, or a number.
  --known KNOWN          The public number of all rows, instead of a noisy
                         total. By default, `share` takes the table's own
                         `rows=` if `neighbors` is "replace" and each row is
                         in a group.
  --baseline COLUMN=KEY  What each other group is compared with.
  --median               The median of the baseline's groups, not their sum.
  --per KEY=NUMBER       The public number of a group.
  --scale SCALE          Per how many.
  --weights KEY=NUMBER   The public weight of each key of the axis.
  --over COLUMN          The axis that is standardised.
  --alpha CHANCE         The chance of a miss.
  --together             All intervals hold at once.
"""


@pytest.mark.claim("C320")
def test_the_help_of_the_command_says_each_option():
    """In the order of the register, by the words of the first kind that has it."""
    _, text = run("discreet derive --help")

    assert HELP in text
    assert f"KIND <str> {', '.join(KINDS)}. [required]" in " ".join(text.split())


@pytest.mark.claim("C320")
@pytest.mark.parametrize("operand", ["of", "other"])
def test_a_statistic_that_is_not_there_is_named_by_its_line(folder, operand):
    """Each statistic that a kind is of, where it stands in the file, with a name that is there."""
    names = {"of": "sum pay by ward", "other": "count by ward"}
    release, wrong = dp.load(folder / "people.release"), names[operand].replace("ward", "wrd")
    with pytest.raises(InputError) as refused:
        by_plan_file(folder, release, "ratio", {**names, operand: wrong})

    assert f"also 1, {operand}: there is no statistic {wrong!r}" in refused.value.what
    assert str(refused.value).endswith(f"fix: name {names[operand]!r} in its place")
