"""The tests that guard one file, nearest first: `make near FILE=src/discreet/post/moments.py`.

Rules of this module:
- a test is as near as the nearest module that it imports is to the file, by the imports between;
  of two, one that bears the file's name is nearer;
- names of the public page count as the modules that they come from;
- unit tests that take milliseconds alone, and the nearest of them: a minute's work is `make quick`.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp

import discreet

ROOT = Path(__file__).parents[1]
PACKAGE, TESTS = "discreet", ROOT / "tests" / "unit"
MOST = 12  # files of tests: some seconds


def main() -> int:
    """Run the tests nearest to the file that is named; return pytest's exit code."""
    if len(sys.argv) != 2:
        print("name one file: make near FILE=src/discreet/post/moments.py")
        return 2
    near = nearest(module_of(Path(sys.argv[1]).resolve()))
    print(
        f"{len(near)} files of tests, the nearest first: {', '.join(p.stem for p in near[:5])} ..."
    )
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", *map(str, near)]
    return subprocess.run(words, cwd=ROOT, check=False).returncode


def module_of(path: Path) -> str:
    """Return the module of a file of the source."""
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> grimp.ImportGraph:
    """Return which module imports which, built once."""
    return grimp.build_graph(PACKAGE)


def nearest(module: str) -> list[Path]:
    """Return the files of tests that reach a module, the nearest first; never more than MOST."""
    graph = imports()
    steps = {module: 0}
    ahead = [module]
    for one in ahead:  # breadth first: what imports it, and what imports that
        for other in graph.find_modules_that_directly_import(one):
            if other != PACKAGE and other not in steps:
                steps[other] = steps[one] + 1
                ahead.append(other)
    found = {
        path: min((steps[name] for name in imported(path) if name in steps), default=None)
        for path in sorted(TESTS.rglob("test_*.py"))
    }
    own = f"test_{module.rpartition('.')[2]}"
    reached = [
        (not f"{path.stem}_".startswith(f"{own}_"), step, path)  # those of its own name come first
        for path, step in found.items()
        if step is not None
    ]
    return [path for *_, path in sorted(reached)][:MOST]


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Return the modules of the package that a file of tests names, and of the public page."""
    return tuple(dict.fromkeys(_named(path)))


def _named(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            place = discreet._PLACES.get(node.attr) if node.value.id == "dp" else None  # noqa: SLF001
            if place:
                yield f"{PACKAGE}.{place.partition(':')[0]}"


if __name__ == "__main__":
    sys.exit(main())
