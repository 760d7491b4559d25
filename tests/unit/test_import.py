"""`import discreet` loads what declaring and planning need, and nothing that runs or shows."""

import subprocess
import sys

import pytest

HEAVY = {
    *("duckdb", "jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "pydantic"),
    *("rich", "scipy", "sqlglot", "typer"),
}
LOADED = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"


def loaded_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{LOADED}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return HEAVY & set(done.stdout.split())


PLAN = """
import discreet as dp
table = dp.table("no.csv", unit="row", columns={"x": dp.bounds(0, 9)}, keys={"k": ["a", "b"]})
for spend in (dp.pure(1), dp.zcdp("1/50"), dp.approx(1, "1e-6")):
    dp.plan(table, dp.count(by="k"), dp.mean("x"), spend=spend).digest
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", ["import discreet", PLAN], ids=["import", "plan"])
def test_importing_and_planning_load_no_engine_and_nothing_heavy(code):
    """A fresh process declares and prices without a database, arrays, pictures or pages."""
    assert loaded_after(code) == set()


@pytest.mark.slow
def test_an_engine_that_is_loaded_is_seen():
    """The check has power: it names what the engine and an array of noise bring in."""
    assert loaded_after("import discreet.engine.duckdb.engine") >= {"numpy", "sqlglot"}
