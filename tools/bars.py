"""Measure the house and draw it: `make house` prints the bars, and writes docs/house.md and .svg.

Rules of this module:
- every number is measured on the source as it is, by reading it or by one tiny run on two rows;
- what the same command said of two older commits, `git archive`d beside this one, is not computed
  here (`python tools/bars.py --src FOLDER --print`);
- nothing is a limit: laws are what `tools/house.py` and the contracts enforce.
"""

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import reach
from drawing import drawn, needful

import house

VAGUE = {"found", "one", "given", "said", "told"}
ROOT = Path(__file__).parents[1]
PAGE, PICTURE = ROOT / "docs" / "house.md", ROOT / "docs" / "house.svg"
OLD = "85271fb"
BARS = {  # what is measured: its words, what 85271fb had, and what is wanted
    "lines": ("lines of `src`", 25_847, "22,000 for the features of 85271fb"),
    "files": ("files of `src`", 203, ""),
    "losses": ("`isinstance` on losses outside `privacy`", 15, "0"),
    "laws": ("`isinstance` on noise laws outside `noise`", 11, "0"),
    "crossed": ("files that `dp.run` crosses", 48, "35"),
    "openings": ("transactions of `dp.run` on the ledger", 4, ""),
    "reads": ("of these, with entries read", 4, "2"),
    "commands": ("times that `discreet release` reads entries", 9, ""),
    "run": ("files that the first `dp.run` enters", 49, "70"),
    "run_in": ("functions of these", 344, "450"),
    "again": ("files that a second `dp.run` enters", 0, ""),
    "again_in": ("functions of these", 0, ""),
    "plan": ("files that a second `dp.plan` enters", 18, "30"),
    "plan_in": ("functions of these", 80, "150"),
    "save": ("files that a second `release.save` enters", 25, "45"),
    "save_in": ("functions of these", 161, "300"),
    "vague": ("locals called `found`, `one`, `given`, `said`, `told`", 0, "300"),
    "gone": ("modules that no door reaches", 4, "0"),
    "hidden": ("rooms that a name of the public page hides", 2, "0"),
    "upward": ("arrows upward", 0, "0"),
    "file": ("lines of the largest file", 300, "300, or a reason"),
    "function": ("lines of the largest function", 38, "40"),
}
MIDDLE = "9c5393a"  # before the rooms were moved for the third time: what it had, in this order
HAD = (
    68_896,
    498,
    0,
    0,
    137,
    3,
    2,
    6,
    110,
    557,
    108,
    532,
    31,
    121,
    69,
    305,
    1_805,
    0,
    0,
    0,
    329,
    39,
)


RUN = (
    *("crossed", "openings", "reads", "commands"),
    *("run", "run_in", "again", "again_in", "plan", "plan_in", "save", "save_in"),
)


def measured(src: Path) -> dict[str, int]:
    """Return every bar of one tree, by its name in BARS: of its text, and of a run of it."""
    return {**read(src), **tried(src)}


def tried(src: Path) -> dict[str, int]:
    """Return the bars of what a run crosses and enters."""
    crossed, opened, reads, _, commands = _run(src)
    return dict(zip(RUN, (crossed, opened, reads, commands, *_run(src, "entered")), strict=True))


def read(src: Path) -> dict[str, int]:
    """Return the bars of what stands in the source."""
    package = src / reach.PACKAGE
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    trees = {path.relative_to(package): reach.parsed(text) for path, text in texts.items()}
    lengths = [text.count("\n") for text in texts.values()]
    return {
        "lines": sum(lengths),
        "files": len(texts),
        "losses": _asked(trees, classes_of(src, "privacy/loss.py"), outside="privacy"),
        "laws": _asked(trees, laws_of(src), outside="noise"),
        "vague": sum(map(vague, trees.values())),
        "gone": len(reach.out_of_reach(src)[0]),
        "hidden": len(hidden(src)),
        "upward": sum(1 for one, other in arrows(src) if floor_of(one) <= floor_of(other)),
        "file": max(lengths),
        "function": max(length for tree in trees.values() for length in _functions(tree)),
    }


def arrows(src: Path) -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports the second, in a function too."""
    found = set()
    for module in reach.modules(src).values():
        room = _room(module.name)
        bound = list(module.imports.values())
        for statement in (one for parts in module.parts.values() for one in parts):
            for node in reach.inside(statement):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    bound += [symbol for _, symbol in reach.bound(module, node)]
        for base, name in bound:
            other = _room(f"{base}.{name}" if base == reach.PACKAGE else base)
            if room and other and room != other:
                found.add((room, other))
    return found


def hidden(src: Path) -> list[str]:
    """Return the names of the public page that are a function there, and a room, too."""
    names = {name for base, name in reach.page(reach.modules(src)) if base == reach.PACKAGE}
    rooms = {room for floor in reach.floors() for room in floor}
    bound = reach.modules(src)[reach.PACKAGE].imports
    return sorted(name for name in names & rooms if bound.get(name) != (reach.PACKAGE, name))


def floor_of(room: str) -> int:
    """Return how high a room stands: 0 for the ground."""
    return next((at for at, rooms in enumerate(reversed(reach.floors())) if room in rooms), -1)


def _room(module: str) -> str | None:
    package, _, rest = module.partition(".")
    room = rest.partition(".")[0]
    return room if package == reach.PACKAGE and floor_of(room) >= 0 else None


def classes_of(src: Path, place: str) -> set[str]:
    """Return the classes of one file, protocols apart."""
    return {
        node.name
        for node in _tree(src, place).body
        if isinstance(node, ast.ClassDef) and "Protocol" not in map(ast.unparse, node.bases)
    }


def laws_of(src: Path) -> set[str]:
    """Return the classes that stand in the register of noise laws."""
    return {
        name.id
        for node in _tree(src, "noise/registry.py").body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and "_ALL" in ast.unparse(node).split()[0]
        for name in ast.walk(node.value or node)
        if isinstance(name, ast.Name)
    }


def _tree(src: Path, place: str) -> ast.Module:
    path = src / reach.PACKAGE / place
    return ast.parse(path.read_text(encoding="utf-8") if path.exists() else "")


def _asked(trees: dict[Path, ast.Module], classes: set[str], *, outside: str) -> int:
    """Count the calls of isinstance, and the cases of a match, that name one of the classes."""
    return sum(
        1
        for path, tree in trees.items()
        if path.parts[0].removesuffix(".py") != outside
        for node in reach.inside(tree)
        for kind in _kinds(node)
        if any(getattr(name, "id", getattr(name, "attr", "")) in classes for name in ast.walk(kind))
    )


def _kinds(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
        yield from node.args[1:]
    if isinstance(node, ast.MatchClass):
        yield node.cls


def vague(tree: ast.Module) -> int:
    """Count the bindings of locals and parameters that do not say what they are."""
    bound = [
        node.id for node in reach.inside(tree) if isinstance(node, ast.Name) and _is_bound(node)
    ]
    bound += [node.arg for node in reach.inside(tree) if isinstance(node, ast.arg)]
    return sum(name in VAGUE for name in bound)


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _functions(tree: ast.Module) -> Iterator[int]:
    for node in reach.inside(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield house.length(node)


def _run(src: Path, *words: str) -> tuple[int, ...]:
    """Return what one release of two rows crosses, in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "tiny_run.py"), *words],
        env={**os.environ, "PYTHONPATH": str(src)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return tuple(map(int, done.stdout.split()))


def page(now: dict[str, int], pairs: set[tuple[str, str]]) -> str:
    """Return docs/house.md."""
    rows = [
        f"| {words} | {before:,} | {then:,} | {now[name]:,} | {wanted} |"
        for then, (name, (words, before, wanted)) in zip(HAD, BARS.items(), strict=True)
    ]
    shown, names = (
        len(needful(pairs)),
        " and ".join(f"`discreet.{one}`" for one in hidden(reach.SRC)),
    )
    told = OPEN.format(names=names) if names else ""
    rest = {"old": OLD, "middle": MIDDLE, "shown": shown, "all": len(pairs), "open": told}
    return TEMPLATE.format(rows="\n".join(rows), **rest)


TEMPLATE = """# Size of the code

Written by `make house`; do not edit. Laws are enforced by `make check`; these are bars to watch.

| what | {old} | {middle} | now | wanted |
| --- | ---: | ---: | ---: | --- |
{rows}

`dp.run` is one count and one mean of two rows of a CSV file, in a fresh process; a file is crossed
if any of its code runs in the calling thread, and entered if a function of it does (what a `def`
makes; 0 stands for what was not measured then). {middle} is the commit before
packages were moved for the third time. A door is a name of the public page or of the
calculator, a command, or what a guide in `docs` imports (`tools/reach.py`).
[A walk through the code](walk.md) follows a row, a budget and a number.

![The rooms of discreet, floor by floor, and what imports what](house.svg)

A room stands above all that it imports, and no arrow points upward. Shown are {shown} of {all}
pairs of rooms: an arrow is left out where a longer way leads to the same room. The floors are those
of [decision 17](decisions/0017-the-rooms-a-second-time.md), kept by import-linter.
{open}"""

OPEN = """
## Open

- {names} are functions of the public page and hide
  the rooms of these names: what is in such a room can be imported (`from discreet.plans.plan import
  Plan`), but not reached as an attribute. The functions keep their names; the rooms are to be
  renamed.
"""


def main() -> int:
    """Print the bars, and write the page and the picture unless only printing is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--src", type=Path, default=reach.SRC, help="the tree to measure")
    parser.add_argument("--print", action="store_true", help="write nothing")
    options = parser.parse_args()
    now = measured(options.src.resolve())
    for name, (words, before, wanted) in BARS.items():
        print(f"{words:48} {before:>8,} {now[name]:>8,}   {wanted}")
    if not options.print:
        pairs = arrows(options.src.resolve())
        PAGE.write_text(page(now, pairs), encoding="utf-8")
        PICTURE.write_bytes(drawn(reach.floors(), pairs, sizes(options.src.resolve())))
    return 0


def sizes(src: Path) -> dict[str, int]:
    """Return the lines of each room."""
    found: dict[str, int] = {}
    for module in reach.modules(src).values():
        room = _room(module.name)
        if room:
            lines = module.path.read_text(encoding="utf-8").count("\n")
            found[room] = found.get(room, 0) + lines
    return found


if __name__ == "__main__":
    sys.exit(main())
