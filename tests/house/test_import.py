"""`import discreet` loads no room; declaring and planning load nothing that runs or shows."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from inspect import unwrap
from pathlib import Path

import pytest

import discreet as dp

HEAVY = {
    *("duckdb", "jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "pydantic"),
    *("rich", "scipy", "sqlglot", "typer"),
}
LOADED = "import sys; print(*sorted(sys.modules))"


def loaded_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{LOADED}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.split()


def heavy_after(code):
    return HEAVY & {name.partition(".")[0] for name in loaded_after(code)}


PLAN = """
import discreet as dp
table = dp.table("no.csv", unit="row", columns={"x": dp.bounds(0, 9)}, keys={"k": ["a", "b"]})
for spend in (dp.pure(1), dp.zcdp("1/50"), dp.approx(1, "1e-6")):
    dp.plan(table, dp.count(by="k"), dp.mean("x"), spend=spend).digest
"""


@pytest.mark.slow
def test_planning_loads_no_engine_and_nothing_heavy():
    """A fresh process declares and prices without a database, arrays, pictures or pages."""
    assert heavy_after(PLAN) == set()


@pytest.mark.slow
def test_a_first_count_loads_no_other_statistic():
    """The register of all is read by who is given a name; a first mean brings what means need."""
    count = PLAN.replace('dp.mean("x")', 'dp.count(by="k", where="x > 1", within=90)')
    names = loaded_after(count)
    others = {"catalog", "choose", "cube", "mean", "quantile", "regression", "tables", "variance"}

    assert "discreet.statistic.count" in names
    assert not {f"discreet.statistic.{name}" for name in others} & {*names}
    assert not [name for name in names if name.startswith("discreet.post.tables")]
    assert "discreet.statistic.mean" in loaded_after(PLAN)


@pytest.mark.slow
def test_an_engine_that_is_loaded_is_seen():
    """The check has power: it names what the engine and an array of noise bring in."""
    assert heavy_after("import discreet.engine.duckdb.engine") >= {"numpy", "sqlglot"}


@pytest.mark.slow
def test_importing_loads_no_room():
    """Nor does the command line, before it knows the command, load what declares or plans."""
    names = loaded_after("import discreet")
    command = loaded_after("import discreet.cli.cli")

    assert [name for name in names if name.startswith("discreet")] == ["discreet"]
    assert not {"discreet.schema", "discreet.plans", "discreet.noise"} & {*command}


def test_names_are_imported_from_where_a_type_checker_reads_them():
    """The two lists of the page are one, and each name is what is there."""
    tree = ast.parse(Path(dp.__file__).read_text("utf-8"))
    (block,) = [one for one in tree.body if isinstance(one, ast.If) and not one.orelse][:1]
    read = {
        alias.asname or alias.name: f"{line.module}:{alias.name}" if line.module else alias.name
        for line in block.body
        for alias in line.names
    }

    assert {**read, "calculator": "calculator"} == dp._PLACES
    assert sorted(read) == dp.__all__
    assert all(getattr(dp, name) is getattr(dp, name) for name in dir(dp))
    assert unwrap(dp.plan).__module__ == "discreet.plans.plan"
    assert dp.sum.__name__ == "sum_"


def imported_at_the_top(module, path, modules):
    """Return the modules of ours that a file imports as it is loaded itself."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            up = package.rsplit(".", node.level - 1)[0]
            base = f"{up}.{node.module}" if node.module else up
            for name in node.names:
                whole = f"{base}.{name.name}"
                yield whole if whole in modules else base


def loaded_in_order(source):
    """Return all modules in an order in which each finds what it imports loaded already.

    Raises:
        CycleError: there is none, so that it hangs on chance which one is imported first.
    """
    paths = list(source.rglob("*.py"))
    names = [".".join(path.relative_to(source.parent).with_suffix("").parts) for path in paths]
    modules = {
        name.removesuffix(".__init__"): path for name, path in zip(names, paths, strict=True)
    }
    return TopologicalSorter(
        {
            name: {one for one in imported_at_the_top(name, path, modules) if one != name}
            for name, path in modules.items()
        }
    ).static_order()


@pytest.mark.slow
def test_each_module_can_be_the_first_that_is_imported():
    """No circle of imports at the top of files: import-linter sees rooms, and no such circle."""
    assert len(list(loaded_in_order(Path(dp.__file__).parent))) > 300


def test_a_circle_of_imports_is_found(tmp_path):
    """Of a module and one in a folder below, by both ways to name a module."""
    package = tmp_path / "discreet"
    (package / "faster").mkdir(parents=True)
    files = {
        "__init__.py": "",
        "faster/__init__.py": "",
        "bounding.py": "from .faster import pruned\n",
        "faster/pruned.py": "def late():\n    from ..bounding import rank\n",
    }
    for name, text in files.items():
        (package / name).write_text(text)
    assert len(list(loaded_in_order(package))) == 4
    (package / "faster" / "pruned.py").write_text("from ..bounding import rank\n")
    with pytest.raises(CycleError):
        list(loaded_in_order(package))
