"""docs/extend.md is executed: its statistic, law, engine and derived number are added to a copy.

Each is one file of examples/extending, in the room that the page names, and one line. The suites that the registers drive then try it, though nobody wrote a
test for it; and they fail where a fault is planted in it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text("utf-8")
EXAMPLES = ROOT / "examples" / "extending"
BLOCKS = re.MULTILINE | re.DOTALL
LEADS = re.findall(r"`examples/extending/(\w+\.py)`.* goes to `(src/\S+)/`", PAGE)
FILES = {f"{room}/{name}": (EXAMPLES / name).read_text("utf-8") for name, room in LEADS}
LINES = dict(re.findall(r"^```diff\n--- (\S+)\n(.*?)^```$", PAGE, BLOCKS))
SUITES = {  # by the file that is added: the tests that its register drives
    "src/discreet/statistic/cumulative.py": (
        *("tests/property/test_listed_statistics.py", "tests/adversarial/test_one_unit.py"),
        *("-k", "cumulative and not files"),
    ),
    "src/discreet/noise/twice_laplace.py": (
        *("tests/law/test_registry.py", "-k"),
        "TwiceLaplace or twice_laplace",
    ),
    "src/discreet/engine/sqlite.py": ("tests/engine/test_listed_engines.py", "-k", "sqlite"),
    "src/discreet/derive/per.py": (
        *("tests/e2e/test_derivations.py", "-k"),
        "[per] or reads_each_method",
    ),
}
TYPED = "src/discreet/releases/release.py"  # whose lines are for type checkers
FAULTS = {  # what is written instead, and a test that fails
    "src/discreet/statistic/cumulative.py": (
        "sensitivity=transformed_sensitivity(table, limits, sums),",
        "sensitivity=(lambda s: type(s)(max(1, s.l1 // 2), max(1, s.l2_squared // 4), s.linf))("
        "transformed_sensitivity(table, limits, sums)),",
        "test_one_unit_moves_no_vector_of_the_catalog_too_far[cumulative]",
    ),
    "src/discreet/noise/twice_laplace.py": (
        'return Loss("pure", (positive(Fraction(l1), "l1") / self.scale,))',
        'return Loss("pure", (positive(Fraction(l1), "l1") / (2 * self.scale),))',
        "neighbors_are_told_apart_by_no_more_than_the_loss",
    ),
    "src/discreet/engine/sqlite.py": (
        "[: table.unit.max_rows]",
        "",
        "test_where_a_limit_binds_as_much_is_kept_as_by_the_reference[rows of a unit-sqlite]",
    ),
    "src/discreet/derive/per.py": (
        '"size": size, "times": times}',
        '"size": size}',
        "test_every_face_says_the_same_of_each_option[per]",
    ),
}


def extended(folder, changes=None):
    """A copy of the tree with the files and lines of the page; `changes` are other texts of files."""
    skipped = shutil.ignore_patterns("*.pyc.*")  # what is compiled stays; not what is being written
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, text in {**FILES, **(changes or {})}.items():
        assert not (folder / name).exists() or changes
        (folder / name).write_text(text, encoding="utf-8")
    for name, added in LINES.items():
        path = folder / name
        path.write_text(listed(path.read_text("utf-8"), added), encoding="utf-8")
    return folder


def listed(text, added):
    """A register with an import more, and with a name more at its end."""
    *imports, name = (line.removeprefix("+") for line in added.splitlines())
    if not imports:  # by name, with the file that is imported later
        return re.sub(r"(^_PLACES = .*?)(?=^\})", rf"\1{name}\n", text, count=1, flags=BLOCKS)
    (imported,) = imports
    if imported.startswith(" "):  # of a class, for type checkers
        text = text.replace("    from ..derive import", f"{imported}\n    from ..derive import", 1)
        return re.sub(r"(?<= = derived\.intervals\n)", f"{name}\n", text, count=1)
    text = re.sub(r"^from \.", f"{imported}\nfrom .", text, count=1, flags=re.MULTILINE)
    head, register = re.split(r"(?<=\n)(?=_ALL\b)", text)
    return head + register.replace("\n)\n", f"\n{name}\n)\n", 1)


def python(folder, *args):
    paths = [str(folder / "src"), str(folder / "tests")]
    done = subprocess.run(
        [sys.executable, *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


def tried(folder, suite):
    """What the suite says, with the same examples each time."""
    return python(folder, "-m", "pytest", "--hypothesis-profile=mutants", "-rf", *suite)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return extended(tmp_path_factory.mktemp("extended"))


def test_the_page_adds_one_of_each():
    """Four files that are not there yet, each with one line of a register that is; none is forgotten."""
    assert {Path(name).name for name in FILES} == {path.name for path in EXAMPLES.glob("*")}
    assert set(FILES) == set(SUITES) == set(FAULTS)
    assert not any((ROOT / name).exists() for name in FILES)
    assert {Path(name).parent for name in FILES} == {
        Path(name).parent for name in {*LINES} - {TYPED}
    }
    assert all((ROOT / name).exists() and text.count("\n") <= 2 for name, text in LINES.items())


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
def test_what_the_page_adds_passes_the_suites_unasked(name, whole):
    """And is tried: a suite without a case of it would end with another code."""
    code, said = tried(whole, SUITES[name])

    assert code == 0, said


@pytest.mark.slow
@pytest.mark.claim("C06")
@pytest.mark.claim("C07")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_what_is_added_fails_unasked(name, tmp_path):
    """Half of a sensitivity, half of a cost, a bound that is forgotten."""
    right, wrong, test = FAULTS[name]
    assert FILES[name].count(right) == 1
    folder = extended(tmp_path, {name: FILES[name].replace(right, wrong)})
    paths, _, which = SUITES[name][:-2], *SUITES[name][-2:]

    code, said = tried(folder, (*paths, "-k", which))

    assert code == 1, said
    failed = rf"^FAILED .*{re.escape(test)}.* - (assert|AssertionError)"
    assert re.search(failed, said, flags=re.MULTILINE), said


LINT = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"


@pytest.mark.slow
@pytest.mark.claim("C20")
def test_the_contracts_hold_with_what_is_added(whole):
    """Without a word more in pyproject.toml."""
    code, said = python(whole, "-c", LINT)

    assert code == 0, said
    assert " 0 broken." in said


DAY = """
import sqlite3, sys
import discreet as dp
rows = [{"ward": "AB"[i % 2], "age": i % 50} for i in range(2000)]
people = dp.table(rows, unit="row", name="people", keys={"ward": ["A", "B"]}, columns={"age": dp.bounds(0, 100)})
plan = dp.plan(people, dp.cumulative("age", by="ward", bins=4), spend=dp.pure(5))
assert "cumulative age by ward" in str(plan)
book = dp.ledger("people.ledger", budget=dp.pure(9), subject="people")
release = dp.run(plan, ledger=book)
release.save("people.release")
rows = dp.load("people.release")["cumulative age by ward"].rows
truth = [500, 1000, 1000, 1000] * 2
assert [(row["from"], row["to"]) for row in rows] == [(0, 25), (0, 50), (0, 75), (0, 100)] * 2
assert all(row["low"] - 99 <= x <= row["high"] + 99 for row, x in zip(rows, truth))
assert dp.verify("people.release", ledger="people.ledger")
report = open("people.release/report.html", encoding="utf-8").read()
assert "How many cells of age lie below an edge, by ward" in report
assert dp.cumulative("age").counted_in(people) == ""  # rows, and no steps
try:
    dp.plan(people, dp.cumulative("age", publish=dp.publish(at_least=10)), spend=dp.pure(1))
except dp.errors.InputError as refused:
    assert "looks at one number alone; of numbers that share noise" in str(refused)
else:
    raise AssertionError("counts that overlap took a rule of publication")
release.annotate("people.release", dp.about(questions={"cumulative age by ward": {"chart": "bars"}}))
try:
    release.total("cumulative age by ward")
except dp.errors.InputError as refused:
    assert "holds those of the edges before it" in str(refused)
    assert "ask for a histogram" in str(refused)
else:
    raise AssertionError("counts that overlap were added up")
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE t (ward, who)")
base.executemany("INSERT INTO t VALUES (?, ?)", [("AB"[i % 2], i % 100) for i in range(2000)])
visits = dp.table(base, unit=dp.unit("who", max_rows=3), name="visits", keys={"ward": ["A", "B"]})
counted = dp.run(dp.plan(visits, dp.count(by="ward"), spend=dp.pure(100)), ledger=dp.ledger("visits.ledger", budget=dp.pure(100), subject="visits"))
assert all(abs(row["value"] - 150) < 9 for row in counted["count by ward"].rows)
rate = counted.per("count by ward", size=500, times=100)
assert all(abs(row["value"] - 30) < 2 for row in rate)
counted.save("visits.release", also=[rate])
assert dp.verify("visits.release", ledger="visits.ledger")
"""
PLAN = """
[data]
source = "people.csv"
name = "people"
unit = "row"
[columns.age]
lower = 0
upper = 100
[spend]
epsilon = 5
ledger = "file.ledger"
[[ask]]
statistic = "cumulative"
column = "age"
bins = 4
[[ask]]
statistic = "count"
[[also]]
derive = "per"
of = "count"
size = 2000
times = 100
"""
COMMANDS = [
    "plan people.toml",
    "ledger init file.ledger --epsilon 9 --subject people",
    "release people.toml --out file.release",
    "show file.release",
    "derive file.release per count --size 2000 --times 100",
    "verify file.release --ledger file.ledger",
]


@pytest.mark.slow
def test_what_is_added_goes_through_every_room_and_the_command_line(whole):
    """Planned, run, saved, loaded, verified; in a plan file, and told by every command."""
    (whole / "people.csv").write_text("age\n" + "".join(f"{i % 50}\n" for i in range(2000)))
    (whole / "people.toml").write_text(PLAN)

    code, said = python(whole, "-c", DAY)
    assert code == 0, said
    for command in COMMANDS:
        run = "import sys; from discreet_command import main; sys.exit(main())"
        code, said = python(whole, "-c", run, *command.split())
        assert code == 0, f"{command}: {said}"
    assert (whole / "file.release").exists()
