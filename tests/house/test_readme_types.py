"""The README's code, and a caller's own annotations, pass mypy --strict and pyright."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import discreet

ROOT = Path(__file__).parents[2]
OWN = """

def publish(
    data: dp.Table, asked: list[dp.Question], spend: dp.Loss, book: dp.Ledger
) -> tuple[dp.Plan, dp.Release, tuple[dp.Law, ...]]:
    made = dp.plan(data, *asked, spend=spend)
    return made, dp.run(made, ledger=book), made.laws


publish(people, [dp.count(by="educ"), dp.mean("lwage")], dp.zcdp(1), dp.ledger("a", budget=dp.zcdp(1)))
"""
FAULT = '\nwrong: dp.Plan = dp.zcdp(1)\nnames: dp.Release = dp.run(plan, ledgr="x")\n'
CHECKERS = {
    "mypy": ["mypy", "--strict", "--config-file=", "--no-error-summary"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


def code():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)) + OWN


def said(checker, folder):
    """What a checker says of two files: the page, and the page with faults."""
    (folder / "page.py").write_text(code(), encoding="utf-8")
    (folder / "faults.py").write_text(code() + FAULT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", *CHECKERS[checker], "page.py", "faults.py"],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "src"), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return [line for line in done.stdout.splitlines() if "error" in line and ".py:" in line]


@pytest.mark.exhaustive("a type checker")
@pytest.mark.slow
@pytest.mark.claim("C453")
@pytest.mark.parametrize("checker", CHECKERS)
def test_the_code_of_the_readme_passes_a_type_checker(checker, tmp_path):
    """With annotations of each name that is there for them; a planted fault is told."""
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed: pip install 'discreet[check]'")
    starts = [
        sys.executable,
        "-m",
        checker,
        "--version",
    ]  # pyright fetches its own program from npm
    if subprocess.run(
        starts, cwd=tmp_path, capture_output=True, check=False, timeout=300
    ).returncode:
        pytest.skip(f"{checker} cannot be started: without Node, pip install 'pyright[nodejs]'")

    errors = said(checker, tmp_path)

    assert [line for line in errors if "faults.py:" not in line] == []
    assert any("Plan" in line for line in errors)
    assert any("ledgr" in line for line in errors)


@pytest.mark.claim("C453")
@pytest.mark.slow
def test_each_name_for_annotations_is_the_class_of_what_is_made(tmp_path):
    """What the verbs return is of it, so that isinstance works as an annotation says."""
    people = discreet.table([{"k": "a"}], unit="row", keys={"k": ["a"]}, name="t")
    question = discreet.count(by="k")
    plan = discreet.plan(people, question, spend=discreet.zcdp("1/2"))
    book = discreet.ledger(tmp_path / "a.ledger", budget=discreet.zcdp(1))
    release = discreet.run(plan, ledger=book)
    cube = discreet.plan(people, discreet.cube(["k"]), spend=discreet.zcdp("1/8"))
    open_ = discreet.unknown(max_groups=1)
    found_later = discreet.table(
        [{"p": 1, "k": "a"}], unit=discreet.unit("p", max_rows=1), keys={"k": open_}, name="t"
    )
    finding = discreet.plan(found_later, discreet.count(by="k"), spend=discreet.approx(1, "1e-6"))
    made = {
        "Table": people,
        "Question": question,
        "Plan": plan,
        "Loss": plan.spend,
        "Law": plan.laws[0],
        "Ledger": book,
        "Release": release,
        "About": discreet.about(title="x"),
        "Bounds": discreet.bounds(0, 1),
        "Cleaned": discreet.denoise(release),
        "Derived": discreet.derived("k = 'a'", bounds=discreet.bounds(0, 1)),
        "DerivedNumbers": release.total("count by k"),
        "Entry": book.book().entries[0],
        "Forecast": discreet.forecast(finding, units=100, keys=10, each=1)[0],
        "Join": discreet.join([{"p": 1}], gives=["s"], name="u"),
        "Levels": discreet.levels(["r", "k"], rows=[["n", "a"]]),
        "Microdata": discreet.rehearse(cube).microdata(),
        "Publish": discreet.publish(at_least=10),
        "Result": release["count by k"],
        "Tidy": release.table(),
        "Unit": found_later.unit,
        "Unknown": open_,
        "Verified": discreet.verify(release),
    }

    assert all(isinstance(thing, getattr(discreet, name)) for name, thing in made.items())
    assert {name for name in discreet.__all__ if name[0].isupper()} == {*made}
    assert not isinstance("count", discreet.Question)
