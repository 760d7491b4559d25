"""What the command line was missing: sums of a cube, graphs, exit codes, `~`, slips of a header."""

import subprocess
import sys
from pathlib import Path

import pytest
from session import run

import discreet
from discreet import errors

ROOT = Path(__file__).parents[2]
PLAN = """[data]
source = "people.csv"
unit = "row"
[keys]
x = { from = 0, to = 4 }
sex = ["F", "M"]
[spend]
rho = "1/2"
ledger = "people.ledger"
[[ask]]
"""
CUBE = PLAN + 'statistic = "cube"\nby = ["x", "sex"]\n'
COUNT = PLAN + 'statistic = "count"\nby = "x"\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(
        "x,sex\n" + "".join(f"{n % 5},{'FM'[n % 2]}\n" for n in range(300))
    )
    discreet.ledger("people.ledger", budget=discreet.zcdp(4))
    for name, text in (("cube", CUBE), ("count", COUNT)):
        Path(f"{name}.toml").write_text(text)
    return tmp_path


@pytest.mark.slow
def test_a_sum_of_a_cube_is_that_of_python_and_free(here):
    """By keys of some attributes; beside it no table is asked for."""
    assert run("discreet release cube.toml --out c.release")[0] == 0
    book = Path("people.ledger").read_bytes()
    release = discreet.load("c.release")
    made = release[release.keys()[0]].total(x=[1, 3], sex="F")
    code, said = run("discreet table c.release --sum x=1 --sum x=3 --sum sex=F")

    assert code == 0
    assert f"Sum of cells where x is 1 or 3 and sex is F: {made}." in said
    assert Path("people.ledger").read_bytes() == book
    assert run("discreet table c.release --sum x=1 --rows sex")[0] == 2
    assert "is no key of x" in run("discreet table c.release --sum x=9")[1]
    assert "names no key" in run("discreet table c.release --sum x")[1]
    assert (
        str(made.low) in run("discreet table c.release --sum x=1 --sum x=3 --sum sex=F --json")[1]
    )


@pytest.mark.slow
def test_a_graph_in_a_file_is_that_of_python(here):
    """Pairs of keys, a pair a row; what is no list of pairs is refused."""
    assert run("discreet release count.toml --out k.release")[0] == 0
    Path("edges.csv").write_text("0,1\n1,2\n2,3\n3,4\n4,0\n")
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    cleaned = discreet.denoise(discreet.load("k.release"), graph={"x": pairs})
    code, said = run("discreet denoise k.release --graph x=edges.csv --out a.csv")
    cleaned.save("b.csv")

    assert code == 0, said
    assert Path("a.csv").read_text() == Path("b.csv").read_text()
    Path("bad.csv").write_text("0\n")
    assert "is no list of pairs" in run("discreet denoise k.release --graph x=bad.csv")[1]
    Path("named.csv").write_text("from,to\na,b\n")
    said = run("discreet denoise k.release --graph x=named.csv")[1]
    assert "the graph names from, which is no key of x" in said
    assert "and no header" in said
    assert "names no file" in run("discreet denoise k.release --graph x")[1]


def test_exit_codes_stand_in_the_help_and_in_a_page():
    """Each class of errors, what Ctrl-C is, and nothing else."""
    page = (ROOT / "docs" / "command-line.md").read_text()
    code, said = run("discreet --help")
    kinds = [errors.InputError, errors.BudgetError, errors.LedgerError, errors.EngineError]
    kinds += [errors.VerifyError, errors.InternalError]

    assert code == 0
    for kind in kinds:
        assert f"| {kind.exit_code} | `{kind.__name__}` |" in page
        assert f"{kind.exit_code} " in said.partition("Exit codes:")[2]
    assert "| 130 | `Interrupted` |" in page
    assert "130 stopped" in " ".join(said.split())


@pytest.mark.slow
def test_a_tilde_is_the_callers_folder(here, monkeypatch):
    """In every path of a command and of a plan file, and in Python; also where no shell sees it."""
    monkeypatch.setenv("HOME", str(here))
    monkeypatch.chdir("/")
    text = COUNT.replace('"people.csv"', '"~/people.csv"').replace('"people.l', '"~/people.l')
    (here / "count.toml").write_text(text)

    assert run("discreet plan '~/count.toml' --ledger='~/people.ledger'")[0] == 0
    code, said = run("discreet release '~/count.toml' --out '~/k.release'")
    assert code == 0, said
    assert run("discreet show '~/k.release'")[0] == 0
    assert run("discreet verify '~/k.release' --ledger='~/people.ledger'")[0] == 0
    assert run("discreet ledger show '~/people.ledger'")[0] == 0
    assert discreet.load("~/k.release")
    people = discreet.table("~/people.csv", unit="row", keys={"sex": ["F", "M"]})
    plan = discreet.plan(people, discreet.count(by="sex"), spend=discreet.zcdp(1))
    assert discreet.run(plan, ledger="~/people.ledger")


@pytest.mark.slow
def test_a_slip_that_no_column_survives_is_named(here):
    """Where the first row is surely names; a row that may be somebody's is not searched."""
    people = Path("people.csv").read_text()
    Path("people.csv").write_text(people.replace("x,sex", "floor,sex", 1))
    Path("count.toml").write_text(COUNT.replace("x = {", "flor = {").replace('"x"', '"flor"'))
    near = run("discreet release count.toml")[1]
    Path("people.csv").write_text("xy,478129911\n1,F\n")

    assert "write floor in place of flor" in near
    assert "check that the first row" in run("discreet release count.toml")[1]


@pytest.mark.slow
def test_python_m_discreet_is_the_command_line():
    """Where the word is not on the path."""
    done = subprocess.run(
        [sys.executable, "-m", "discreet", "--version"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout[:9]) == (0, "discreet ")
