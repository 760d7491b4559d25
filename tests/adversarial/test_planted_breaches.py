"""In every room one breach of each law is planted, in a copy of the tree, and each is named.

The copy is checked once by import-linter and once by `tools/house.py`: a room that a law forgets shows
as a breach that nobody reports.
"""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
house = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(house)

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]
FLOORS = [
    [room.strip() for room in floor.split("|")]
    for contract in CONTRACTS
    if contract["type"] == "layers" and contract["containers"] == ["discreet"]
    for floor in contract["layers"]
]
ROOMS = [room for floor in FLOORS for room in floor]
STATISTICS = ("count", "histogram", "mean", "mean_vector", "sum", "variance")
ENGINES = {"duckdb.engine", "postgres.engine", "spark.engine", "derived", "memory"}
ALLOWED = {  # by contract: a module that is protected, and the rooms that may import it
    "coins": ("discreet.entropy", {"entropy", "releases"}),
    "speed": ("discreet.engine.sql.faster", {"engine"}),
    "trust": ("discreet.calculator", {"calculator", "cli"}),
}
TABLES = ("aggregate", "expressions", "schema", "sums")
ENGINE_ROOMS = ("engine.duckdb", "engine.memory", "engine.postgres", "engine.spark")
MAY_NOT = {  # by room: what its head line says, and which rooms it may not import because of that
    "audit": ("no ledger but its own", ("ledgers",)),
    "calculator": ("no data, no coins", (*TABLES, "engine", "entropy", "finding", "statistic")),
    "calculator.formulas": ("no release", ("releases", "engine", "plans", "calculator.inputs", "calculator.laws")),
    "cli": ("no rule of privacy", ("aggregate", "finding", "noise", "post", "sensitivity", "sums")),
    "derive": ("only public numbers may enter", ("engine", "entropy", "ledgers")),
    "document": ("nothing of how it looks", ("report", "engine", "ledgers")),
    "engine": ("no noise, no loss and no answer", ("entropy", "ledgers", "noise", "plans", "post", "privacy", "statistic")),
    "engine.csv": ("knows no engine", ENGINE_ROOMS),
    "engine.duckdb": ("knows no other engine", ("engine.memory", "engine.postgres", "engine.spark")),
    "engine.duckdb.faster": ("knows no other engine", ("engine.memory", "engine.postgres", "engine.spark")),
    "engine.formats": ("knows no engine", ENGINE_ROOMS),
    "engine.postgres": ("knows no other engine", ("engine.duckdb", "engine.memory", "engine.spark")),
    "engine.spark": ("knows no other engine", ("engine.duckdb", "engine.memory", "engine.postgres")),
    "engine.sql": ("knows no engine", ENGINE_ROOMS),
    "engine.sql.faster": ("knows no engine", ENGINE_ROOMS),
    "entropy": ("", ("noise", "engine", "releases")),
    "exact": ("no data", ("engine", "schema", "noise")),
    "expressions": ("no data, no engine", ("engine", "schema", "aggregate")),
    "finding": ("neither tables nor engines", (*TABLES, "engine")),
    "ledgers": ("knows only losses", (*TABLES, "engine", "finding", "noise", "plans", "post", "statistic")),
    "maps": ("no noise is made here", ("noise", "entropy", "sensitivity")),
    "noise": ("no tables", (*TABLES, "engine", "statistic")),
    "plan_file": ("", ("aggregate", "finding", "noise", "post", "sensitivity", "sums")),
    "plans": ("no data may enter", ("engine", "ledgers")),
    "post": ("data may never enter", (*TABLES, "engine")),
    "privacy": ("no mechanism, no data", ("noise", "engine", "schema")),
    "releases": ("", ("calculator", "maps")),
    "report": ("only public numbers may enter", ("engine", "entropy", "ledgers")),
    "schema": ("no data", ("engine", "statistic")),
    "statistic": ("sees no data", ("engine", "entropy", "plans")),
}  # fmt: skip
PAIRS = [(room, other) for room, (_, others) in MAY_NOT.items() for other in others]
LINT = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"
EXACT_BREACHES = (
    *("x1 = 0.5", "x2 = float(3)", "x3 = 3 / 4"),
    *("import math", "x4 = math.exp(1)", "import numpy as np", "x5 = np.mean([1])"),
)
CHANCE_BREACHES = (
    *("import random", "import secrets", "from uuid import uuid4"),
    *("import os", "x6 = os.urandom(4)"),
)


def place(source, room):
    """Return the file of a room in which breaches are planted: a new one, or the room itself."""
    folder = source / "discreet" / room
    return folder / "planted.py" if folder.is_dir() else folder.with_suffix(".py")


def planted(source, room):
    return "discreet." + room + (".planted" if (source / "discreet" / room).is_dir() else "")


def above(room):
    """Return a room on the floor above, which must not be imported; None for the highest."""
    at = next(i for i, floor in enumerate(FLOORS) if room in floor)
    return FLOORS[at - 1][0] if at else None


def imports_of(room):
    """Return one breach of each contract that binds a room."""
    lines = [f"from discreet import {above(room)} as upward"] if above(room) else []
    for number, (module, rooms) in enumerate(ALLOWED.values()):
        lines += [f"import {module} as guarded_{number}"] if room not in rooms else []
    return lines + (["import duckdb", "import sqlglot"] if room != "engine" else [])


@pytest.fixture(scope="module")
def paired(tmp_path_factory):
    """A copy of the tree in which each room imports each that its head line forbids."""
    folder = tmp_path_factory.mktemp("paired")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for room, (_, others) in MAY_NOT.items():
        path = place(folder / "src", room.replace(".", "/"))
        add(path, *(f"import discreet.{other} as other_{n}" for n, other in enumerate(others)))
    return linted(folder)


@pytest.mark.slow
@pytest.mark.claim("C20")
@pytest.mark.parametrize(("room", "other"), PAIRS)
def test_what_a_head_line_forbids_is_named(paired, room, other):
    """Each pair of rooms by itself: some contract reports the import."""
    importer = planted(ROOT / "src", room.replace(".", "/")).replace("/", ".")
    line = rf"\b{re.escape(importer)} -> discreet\.{re.escape(other)}\b"

    assert any(re.search(line, text) for text in paired.values())


@pytest.mark.parametrize("room", MAY_NOT)
def test_what_a_room_may_not_stands_at_its_head(room):
    """The sentence that the pairs are made of; a room that says "no" has pairs."""
    path = ROOT / "src" / "discreet" / room.replace(".", "/")
    head = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(head.read_text("utf-8"))) or ""

    assert MAY_NOT[room][0] in re.sub(r"\s+", " ", text)


def test_every_room_that_forbids_is_asked():
    """Whatever room says "no ...", "only ...", "without ...", "neither" or "never" at its head."""
    said = re.compile(r"\b(no|only|neither|never|nothing|without)\b")
    silent = [
        ".".join(head.relative_to(ROOT / "src" / "discreet").parent.parts)
        for head in sorted((ROOT / "src" / "discreet").rglob("__init__.py"))
        if said.search((ast.get_docstring(ast.parse(head.read_text("utf-8"))) or "").split("\n")[0])
    ]

    assert set(silent) - {""} <= MAY_NOT.keys()


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A copy of the tree with a breach of each law in each room, and what import-linter says."""
    folder = tmp_path_factory.mktemp("breached")
    source = folder / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for room in ROOMS:
        add(place(source, room), *imports_of(room))
    for one, other in zip(STATISTICS, (*STATISTICS[1:], STATISTICS[0]), strict=True):
        if (one, other) != ("mean", "mean_vector"):
            add(source / "discreet" / "statistic" / f"{one}.py", f"from . import {other} as other")
    add(source / "discreet" / "statistic" / "planted.py", "from . import count")
    add(source / "discreet" / "engine" / "memory.py", "from .duckdb import engine")
    add(source / "discreet" / "engine" / "planted.py", "from . import memory")
    return source, linted(folder)


def add(path, *lines):
    old = path.read_text("utf-8") if path.exists() else ""
    path.write_text(old + "".join(f"\n{line}" for line in lines) + "\n", encoding="utf-8")


def linted(folder):
    """Return what import-linter says of a tree: the text below each broken contract's name."""
    done = subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    _, _, said = done.stdout.partition("Broken contracts")
    parts = re.split(r"^(.+)\n-{5,}\n", said, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def says(broken, name, importer, imported):
    """Tell whether the contract of that name reports this import."""
    found = [text for contract, text in broken.items() if contract.startswith(f"{name}:")]
    line = rf"^- +{re.escape(importer)} -> {re.escape(imported)}\b"
    return len(found) == 1 and re.search(line, found[0], flags=re.MULTILINE) is not None


@pytest.mark.slow
@pytest.mark.claim("C20")
def test_an_import_upward_is_named_in_every_room(broken):
    """The floors: each room but the highest has imported the one above it."""
    source, found = broken

    missed = [
        room
        for room in ROOMS
        if above(room)
        and not says(found, "floors", planted(source, room), f"discreet.{above(room)}")
    ]

    assert missed == []


@pytest.mark.slow
@pytest.mark.claim("C10")
@pytest.mark.claim("C311")
@pytest.mark.claim("C315")
@pytest.mark.parametrize("contract", ALLOWED)
def test_a_room_that_opens_a_guarded_room_is_named(broken, contract):
    """Every room but those that may: entropy, the calculator, what only makes engines faster."""
    source, found = broken
    module, allowed = ALLOWED[contract]

    missed = [
        room
        for room in ROOMS
        if room not in allowed and not says(found, contract, planted(source, room), module)
    ]

    assert missed == []


@pytest.mark.slow
@pytest.mark.claim("C20")
@pytest.mark.parametrize("library", ["duckdb", "sqlglot"])
def test_a_room_that_talks_to_a_database_is_named(broken, library):
    """Every room but the engine."""
    source, found = broken

    missed = [
        room
        for room in ROOMS
        if room != "engine" and not says(found, "data", planted(source, room), library)
    ]

    assert missed == []


@pytest.mark.slow
@pytest.mark.claim("C20")
def test_statistics_and_engines_that_know_each_other_are_named(broken):
    """Each statistic has imported the next, a new one an old one; an engine the other."""
    _, found = broken
    pairs = [*zip(STATISTICS, (*STATISTICS[1:], STATISTICS[0]), strict=True), ("planted", "count")]

    missed = [
        (one, other)
        for one, other in pairs
        if (one, other) != ("mean", "mean_vector")
        and not says(
            found, "statistics", f"discreet.statistic.{one}", f"discreet.statistic.{other}"
        )
    ]

    assert missed == []
    by_name = {name: text for name, text in found.items() if name.startswith("engines")}
    assert len(by_name) == 2
    assert all(
        "discreet.engine.memory -> discreet.engine.duckdb.engine" in t for t in by_name.values()
    )
    assert any("discreet.engine.planted -> discreet.engine.memory" in t for t in by_name.values())


def test_every_engine_that_can_be_chosen_is_protected():
    """A new engine is not forgotten: what `select_engine` imports is what the contracts name."""
    tree = ast.parse((ROOT / "src" / "discreet" / "engine" / "select_engine.py").read_text("utf-8"))
    chosen = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and any(a.name.endswith("Engine") for a in node.names)
    }
    named = {
        name.removeprefix("discreet.engine.")
        for contract in CONTRACTS
        if contract["type"] == "protected" and contract["name"].startswith("engines")
        for name in contract["protected_modules"]
    }

    assert chosen - {"protocol"} == named == ENGINES


def test_every_room_stands_on_a_floor():
    """Else the rooms above would not be all."""
    there = {
        path.stem if path.is_file() else path.name
        for path in (ROOT / "src" / "discreet").iterdir()
        if path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }

    assert set(ROOMS) == there


@pytest.mark.claim("C10")
@pytest.mark.claim("C20")
@pytest.mark.parametrize("room", ROOMS)
def test_banned_calls_and_floats_are_seen_in_every_room(room, tmp_path):
    """Each banned line by itself, at the end of a module of the room."""
    honest = place(ROOT / "src", room)
    text = honest.read_text("utf-8") if honest.exists() else ""
    path = place(tmp_path / "src", room)
    path.parent.mkdir(parents=True)

    def faults(line):
        path.write_text(f"{text}\n{line}\n", encoding="utf-8")
        found = house.faults(path, tmp_path / "src" / "discreet")
        return [fault for fault in found if "lines, more than" not in fault]  # it grew by planting

    lines = [line for line in EXACT_BREACHES if not line.startswith("import")]
    unseen = [line for line in lines if room not in house.FLOATING and not faults(line)]
    chance = [line for line in CHANCE_BREACHES if line != "import os"]
    unseen += [line for line in chance if room != "entropy" and not faults(line)]
    opens = room != "aggregate" and not faults("x = exact.opened_by_the_door()")

    assert unseen == []
    assert not opens
    assert faults("x = 1") == []
