"""Find what no public name, plan file or command reaches; a test and `make house` run it.

Rules of this module:
- a walk over names: from the public page, the calculator and the command line to every top-level
  function, class or constant that they name, and on; a class brings all its methods;
- what only a test names is out of reach; so is what only its own module's dead names name;
- nothing is imported or run: the source is read.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SRC = Path(__file__).parents[1] / "src"
PACKAGE = "discreet"
COMMAND = "discreet_command"
LAZY = ("calculator",)  # pages of their own, imported when `discreet` is first asked for them
BODY = ""  # what stands at the top level of a module and binds no name

KEPT = {  # names that tests alone reach, and why they stay; this list does not grow
    "maps.heatmap.geojson": "a map as a value, to compare with the file that `save` writes",
    "calculator.formulas.discrete_gaussian_calibration.probability": "known answers of the sum",
    "calculator.formulas.discrete_gaussian_vector.delta_up": "the curve that sigma2_up keeps",
    "calculator.formulas.gaussian.branch": "Balle and Wang's Algorithm 1, step by step",
    "calculator.formulas.gaussian.branch_delta_up": "the same",
    "calculator.formulas.gaussian_closed_forms.tight_constant_up": "what stands for 1.25",
    "document.regular.csv_rows": "takes away what csv_blocks adds: tests read tables with it",
    "document.document.json_schema": "writes docs/release-schema.json",
    "post.together.half_widths": "known answers of the exact maximum, on the page of sums",
    "report.pictures.panel_svg": "one picture as text, to compare",
}
IMPORTED = re.compile(rf"^from ({PACKAGE}[\w.]*) import (.+)$", flags=re.MULTILINE)

Symbol = tuple[str, str]  # module, top-level name


@dataclass
class Module:
    """One file: what it binds by imports, and what each of its top-level names refers to."""

    name: str
    path: Path
    package: str
    imports: dict[str, Symbol] = field(default_factory=dict)
    parts: dict[str, list[ast.AST]] = field(default_factory=dict)


@cache
def parsed(text: str) -> ast.Module:
    """Return the tree of a text, the same one each time."""
    return ast.parse(text)


@cache
def inside(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a tree, walked once."""
    return tuple(ast.walk(tree))


@cache
def floors() -> list[list[str]]:
    """Return the rooms of each floor as the contract on layers names them, the highest first."""
    project = tomllib.loads((SRC.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    return [[room.strip() for room in floor.split("|")] for floor in layers]


@cache
def modules(src: Path = SRC) -> dict[str, Module]:
    """Read every module below `src`, by its dotted name."""
    read = {}
    for path in sorted([*(src / PACKAGE).rglob("*.py"), *src.glob("*.py")]):
        parts = path.relative_to(src).with_suffix("").parts
        package = parts[:-1]
        if parts[-1] == "__init__":
            parts = parts[:-1]
        module = Module(".".join(parts), path, ".".join(package))
        tree = parsed(path.read_text(encoding="utf-8"))
        for statement in tree.body:
            _take(module, statement)
        read[module.name] = module
    return read


def _take(module: Module, statement: ast.stmt) -> None:
    """File a top-level statement under the names that it binds, else under the body."""
    names = []
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        module.imports.update(bound(module, statement))
    elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = [statement.name]
        if _registers(statement):
            module.parts.setdefault(BODY, []).append(ast.Name(statement.name, ast.Load()))
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
        names = [node.id for node in ast.walk(statement) if _stored(node)]
    elif isinstance(statement, ast.If):  # TYPE_CHECKING, or a choice of platform
        for inner in [*statement.body, *statement.orelse]:
            _take(module, inner)
    else:
        names = [BODY]
    for name in names:
        module.parts.setdefault(name, []).append(statement)


def _stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _registers(statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a decorator hands the function to an object, as `@app.command()` does."""
    return any(
        isinstance(inner, ast.Attribute) and inner.attr in ("command", "callback", "register")
        for decorator in statement.decorator_list
        for inner in ast.walk(decorator)
    )


def bound(module: Module, statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Symbol]]:
    """Return the names that an import binds, each with what it stands for."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.asname:
                yield alias.asname, (alias.name, BODY)
            elif alias.name.split(".")[0] == PACKAGE:
                yield alias.name.split(".")[0], (PACKAGE, BODY)
        return
    base = statement.module or ""
    if statement.level:
        above = module.package.split(".")
        kept = above[: len(above) - statement.level + 1]
        base = ".".join([*kept, *([base] if base else [])])
    for alias in statement.names:
        yield alias.asname or alias.name, (base, alias.name)


class Walk:
    """The walk from the doors; `reached` holds every top-level name that it came to."""

    def __init__(self, read: dict[str, Module]) -> None:
        self.read = read
        self.reached: set[Symbol] = set()
        self._open: list[Symbol] = []

    def run(self, doors: list[Symbol]) -> set[Symbol]:
        """Follow every name from the doors on."""
        for door in doors:
            self._reach(door)
        while self._open:
            module, name = self._open.pop()
            home = self.read[module]
            for statement in home.parts.get(name, []):
                for symbol in self._named(home, statement):
                    self._reach(symbol)
        return self.reached

    def _reach(self, symbol: Symbol) -> None:
        found = self._resolved(symbol)
        if found is None:
            return
        module = found[0]
        above = [module.rsplit(".", n)[0] for n in range(module.count(".") + 1)]
        bodies = [(name, BODY) for name in above if name in self.read]
        for one in (found, *bodies):
            if one not in self.reached:
                self.reached.add(one)
                self._open.append(one)
                if one[1] == BODY:  # what is imported at the top is run, too
                    self._open_imports(one[0])

    def _open_imports(self, module: str) -> None:
        for symbol in self.read[module].imports.values():
            found = self._resolved(symbol)
            if found is not None and (found[0], BODY) not in self.reached:
                self._reach((found[0], BODY))

    def _resolved(self, symbol: Symbol) -> Symbol | None:
        """Return where a name is defined, through every module that hands it on."""
        module, name = symbol
        for _ in range(20):
            if module not in self.read:
                return None
            if name == BODY or name in self.read[module].parts:
                return module, name
            if name in self.read[module].imports:
                module, name = self.read[module].imports[name]
            elif f"{module}.{name}" in self.read:
                return f"{module}.{name}", BODY
            else:
                return None
        return None

    def _named(self, home: Module, statement: ast.AST) -> Iterator[Symbol]:
        """Return everything of ours that a statement names."""
        local = dict(home.imports)
        for node in inside(statement):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                local.update(bound(home, node))
        for node in inside(statement):
            if isinstance(node, ast.Name):
                yield local.get(node.id, (home.name, node.id))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found = self._resolved(local.get(node.value.id, ("", "")))
                if found is not None and found[1] == BODY:
                    yield found[0], node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{PACKAGE}.{node.value}", BODY  # import_module(f"discreet.{name}")


def doors(read: dict[str, Module]) -> list[Symbol]:
    """Return where people come in: the public page, its lazy pages, guides, the command line."""
    lazy = [(f"{PACKAGE}.{name}", inner) for name in LAZY for inner in _page(read, name)]
    own = [(PACKAGE, name) for name in ("__getattr__", "__dir__")]
    return [*page(read), *own, *lazy, *_told(), (COMMAND, "main")]


def page(read: dict[str, Module]) -> list[Symbol]:
    """Return the names of the public page."""
    return [
        (PACKAGE, name)
        for statement in read[PACKAGE].parts["__all__"]
        if isinstance(statement, ast.Assign)
        for name in ast.literal_eval(statement.value)
    ]


def _told() -> Iterator[Symbol]:
    """Return what the guides (not the pages of proof) tell people to import, and figures draw."""
    for figure in sorted((SRC.parent / "figures").glob("*.py")):
        for node in ast.walk(ast.parse(figure.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                yield from ((node.module or "", one.name) for one in node.names)
    for page in (SRC.parent / "README.md", *sorted((SRC.parent / "docs").glob("*.md"))):
        for module, names in IMPORTED.findall(page.read_text(encoding="utf-8")):
            yield from ((module, name.strip()) for name in names.split(","))


def _page(read: dict[str, Module], name: str) -> list[str]:
    module = read[f"{PACKAGE}.{name}"]
    return [name for name in (*module.imports, *module.parts) if not name.startswith("_")]


def out_of_reach(src: Path = SRC, *, kept: Iterable[str] = KEPT) -> tuple[list[str], list[str]]:
    """Return the modules, and the functions and classes of other modules, that no door leads to.

    Args:
        src: the folder of the package.
        kept: names that stay although no door leads to them, and whatever they need.
    """
    read = modules(src)
    reached = Walk(read).run([*doors(read), *map(_symbol, kept)])
    gone = []
    for module in read.values():
        names = [name for name in module.parts if name != BODY and not name.startswith("__")]
        if names and not any((module.name, name) in reached for name in names):
            gone.append(module.name)
    alone = [
        f"{module.name}.{name}"
        for module in read.values()
        if module.name not in gone
        for name, statements in module.parts.items()
        if _does(statements[0]) and (module.name, name) not in reached
    ]
    return sorted(gone), sorted(alone)


def _does(statement: ast.AST) -> bool:
    """Whether it is a function or a class; a protocol is kept by its shape, not by its name."""
    if isinstance(statement, ast.ClassDef):
        return not any(
            isinstance(base, ast.Name) and base.id == "Protocol" for base in statement.bases
        )
    return isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))


def stale(src: Path = SRC) -> list[str]:
    """Return the kept names that a door does lead to, or that are not there any more."""
    read = modules(src)
    reached = Walk(read).run(doors(read))
    there = {(module.name, name) for module in read.values() for name in module.parts}
    return [name for name in KEPT if _symbol(name) in reached or _symbol(name) not in there]


def _symbol(name: str) -> Symbol:
    module, _, last = name.rpartition(".")
    return f"{PACKAGE}.{module}", last


def main() -> int:
    """Print what is out of reach, and return 1 if there is anything."""
    gone, alone = out_of_reach()
    for name in (*gone, *alone):
        print(name)
    for name in stale():
        print(f"{name} is kept for tests, but is reached or gone: take it off the list")
    print(f"reach: {len(gone)} modules and {len(alone)} names that no door leads to")
    return 1 if gone or alone else 0


if __name__ == "__main__":
    sys.exit(main())
