"""Check the laws of the house that no linter knows; `make check` runs it.

Rules of this module:
- exact rooms, which are all but FLOATING, hold no float literal, no float(), no true division and
  no float function of math;
  a division whose operands are rationals is waived, line by line, with `# exact: <reason>`;
- no room but `entropy` names a source of chance;
- only four functions of `releases.door` make private integers public, and only those of
  `releases.sealed` make other private ones of them; an audit opens those of made-up rows;
- only `privacy` asks whether something is a loss, only `noise` which law it is: everybody else
  asks the loss or the law;
- only `calculator.laws` compares the name of a law, or keys a table of the calculator by it; `post`
  knows noise by closed forms, which bear the same names;
- each place that makes an error of ours names its kind, which `errors.md` explains;
- a class has a name of its own; a law of noise and its page in the calculator bear one;
- a file has at most 500 lines, a function 40, nesting is at most 3; a waiver is a line
  `# long: <reason>` in the file or on the function's first line.

Decision 148.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "discreet"
FLOATING = {  # rooms that may hold floats; in every other one none decides anything
    "audit",
    "cli",
    "calculator",
    "derive",
    "document",
    "maps",
    "noise",
    "plan_file",
    "post",
    "privacy",
    "report",
    "statistic",
}
CHANCE = {"random", "secrets", "uuid", "numpy.random", "os.urandom"}
FLOAT_MATH = {"exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "pow", "erf", "erfc", "fsum"}
NUMPY_FLOATS = {"float16", "float32", "float64", "double", "divide", "true_divide", "mean"}
KINDS = {  # who alone asks for these classes
    "privacy": {"Loss"},
    "noise": {"Law", "LAWS"},
}
ERRORS = {
    *("InputError", "UnknownNameError", "CallError", "BudgetError", "LedgerError", "EngineError"),
    *("VerifyError", "InternalError", "Interrupted"),
}
LAW_ROOM = "calculator/laws/"
NESTING = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)
SEALED = ("opened_by_the_door", "cells_opened_by_the_door", "_values", "_cell_places", "_aside")
OPENS = {  # the functions that may open what is sealed, by file
    "releases/door.py": {"door", "chosen", "passed", "reached"},
    "audit/replay.py": {"_opened", "_sums"},  # of made-up rows
    "releases/sealed.py": {"Aside", "with_noise", "at_least", "missed", "sums_of"},
}
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)  # of a file, and of no other class
Nodes = Sequence[ast.AST]  # of a whole file
MAX_FILE, MAX_FUNCTION, MAX_NESTING = 500, 40, 3
MAX_MARKS = 161  # question marks in fixes; lower it whenever it falls


def laws() -> set[str]:
    """Return the names of the noise laws: the classes of `noise` that are made from Law."""
    trees = [ast.parse(path.read_text("utf-8")) for path in (SOURCE / "noise").glob("*.py")]
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name for node in found if "Law" in {n for b in node.bases for n in _named(b)}}


def law_names() -> set[str]:
    """Return the names of the calculator's laws, as its register makes them."""
    tree = ast.parse((SOURCE / LAW_ROOM / "__init__.py").read_text("utf-8"))
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 1]
    return {
        node.args[0].value
        for node in made
        if isinstance(node.func, ast.Name) and isinstance(node.args[0], ast.Constant)
    }


def main() -> int:
    """Print every breach and return 1 if there is one."""
    found = sorted(fault for path in SOURCE.rglob("*.py") for fault in faults(path))
    found += twice()
    for fault in found:
        print(fault)
    marks = sum(question_marks(path) for path in SOURCE.rglob("*.py"))
    print(f"house: {len(found)} breaches in {sum(1 for _ in SOURCE.rglob('*.py'))} files")
    print(f"question marks in fixes: {marks}, and no more than {MAX_MARKS}")
    return 1 if found or marks > MAX_MARKS else 0


def question_marks(path: Path) -> int:
    """Return how many answers the fixes of a file ask for; it may only fall, see MAX_MARKS."""
    text = path.read_text(encoding="utf-8")
    if path.name == "fix.py" or not ("BLANK" in text or "?" in text):
        return 0
    nodes = list(ast.walk(ast.parse(text)))
    blanks = sum(isinstance(node, ast.Name) and node.id == "BLANK" for node in nodes)
    return blanks + sum(isinstance(node, ast.Constant) and node.value == "?" for node in nodes)


def twice(source: Path = SOURCE) -> list[str]:
    """Return the names that two classes bear, in all rooms but the calculator's laws."""
    places: dict[str, list[str]] = {}
    for path in sorted(source.rglob("*.py")):
        room = path.relative_to(source).as_posix()
        for name in CLASS.findall(path.read_text(encoding="utf-8")) if LAW_ROOM not in room else ():
            places.setdefault(name, []).append(room)
    return [f"{', '.join(at)}: two classes {name}" for name, at in places.items() if len(at) > 1]


def faults(path: Path, source: Path = SOURCE) -> Iterator[str]:
    """Return the breaches of one file, each with its place."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))  # once, for all checks
    inside = path.relative_to(source)
    room = inside.parts[0].removesuffix(".py")
    checks = [sizes(nodes, lines), nesting(nodes), kindless(nodes)]
    if room not in FLOATING:
        checks.append(floats(nodes, lines))
    if room != "entropy":
        checks.append(chance(nodes))
    checks += [kinds(nodes, names) for own, names in KINDS.items() if room != own]
    if room != "post" and not inside.as_posix().startswith(LAW_ROOM):
        checks.append(law_switches(nodes, tables=room == "calculator"))
    if inside.as_posix() != "aggregate.py":
        checks.append(openings(tree, OPENS.get(inside.as_posix(), set())))
    for check in checks:
        for line, what in check:
            yield f"{inside.as_posix()}:{line}: {what}"


def floats(nodes: Nodes, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Return the places where a float could enter an exact room."""
    for node in nodes:
        what = _float_in(node)
        if what and "# exact:" not in lines[node.lineno - 1]:
            yield node.lineno, what


def _float_in(node: ast.AST) -> str | None:
    what = None
    if isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)):
        what = "a float literal in an exact room"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
        what = "float() in an exact room"
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
        what = "a true division in an exact room (waive a division of rationals with a reason)"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id == "math" and node.attr in FLOAT_MATH:
            what = f"math.{node.attr} in an exact room"
        if node.value.id in ("np", "numpy") and node.attr in NUMPY_FLOATS:
            what = f"numpy.{node.attr} in an exact room"
    if isinstance(node, ast.ImportFrom) and node.module == "math":
        bad = sorted({name.name for name in node.names} & FLOAT_MATH)
        what = f"math.{bad[0]} in an exact room" if bad else None
    return what


def chance(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """Return the places where chance could enter beside `entropy`."""
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            alias = {"np": "numpy"}.get(node.value.id, node.value.id)
            names = [f"{alias}.{node.attr}"]
        for name in names:
            if name in CHANCE or name.split(".")[0] in CHANCE:
                yield node.lineno, f"{name}: chance enters through the entropy room alone"


def kindless(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """Return the places that make an error without its kind."""
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        names = {each.arg for each in node.keywords}
        if node.func.id in ERRORS and names and "kind" not in names:
            yield node.lineno, f"{node.func.id} without kind=: discreet explain lists them"


def kinds(nodes: Nodes, names: set[str]) -> Iterator[tuple[int, str]]:
    """Return the places that ask for the class of what answers for itself."""
    for node in nodes:
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass"):
                asked = list(node.args[1:])
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare) and _is_type(node.left):
            asked = list(node.comparators)
        for name in sorted(names & {name for part in asked for name in _named(part)}):
            yield node.lineno, f"a branch on {name}: ask it, or a table keyed by its kind"


def law_switches(nodes: Nodes, *, tables: bool) -> Iterator[tuple[int, str]]:
    """Return the places that compare the name of a law, or look something up by it."""
    words = {word for name in LAW_NAMES for word in name.split("_")}
    for node in nodes:
        asked: list[ast.AST | None] = []
        known = LAW_NAMES
        if isinstance(node, ast.Compare):
            asked = [node.left, *node.comparators]
            known = LAW_NAMES | words if isinstance(node.ops[0], (ast.In, ast.NotIn)) else known
        elif isinstance(node, ast.MatchValue):
            asked = [node.value]
        elif isinstance(node, ast.Dict) and tables:
            asked = list(node.keys)
        elif isinstance(node, ast.Call) and set(_named(node.func)) & {"startswith", "endswith"}:
            asked, known = list(node.args), LAW_NAMES | words
        for name in sorted(known & {text for part in asked if part for text in _texts(part)}):
            yield node.lineno, f"a branch on the name {name!r} of a law: ask the law"


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value.strip("_")


def _is_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _named(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            yield part.id if isinstance(part, ast.Name) else part.attr


def openings(tree: ast.Module, allowed: set[str]) -> Iterator[tuple[int, str]]:
    """Return the places that open private integers, outside the functions that may."""
    for part in tree.body:
        for node in () if getattr(part, "name", None) in allowed else ast.walk(part):
            if isinstance(node, ast.Attribute) and node.attr in SEALED:
                yield node.lineno, "private integers are opened outside the door"


def sizes(nodes: Nodes, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Return files and functions that are too long, docstrings and waivers apart."""
    if len(lines) > MAX_FILE and not any(line.startswith("# long:") for line in lines):
        yield 1, f"{len(lines)} lines, more than {MAX_FILE}"
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found = length(node)
            if found > MAX_FUNCTION and "# long:" not in lines[node.lineno - 1]:
                yield node.lineno, f"{node.name} has {found} lines, more than {MAX_FUNCTION}"


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function's body, its docstring apart."""
    first = _has_docstring(node)
    return (node.end_lineno or 0) - node.body[first].lineno + 1 if len(node.body) > first else 0


def _has_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return 1 if ast.get_docstring(node) is not None else 0


def nesting(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """Return the statements nested deeper than three; an elif is not deeper than its if."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _deeper(node.body, 0)


def _deeper(body: list[ast.stmt], depth: int) -> Iterator[tuple[int, str]]:
    for statement in body:
        here = depth + isinstance(statement, NESTING)
        if here > MAX_NESTING:
            yield statement.lineno, f"nested {here} deep, more than {MAX_NESTING}"
        for name in ("body", "orelse", "finalbody", "handlers"):
            inner = getattr(statement, name, [])
            elif_ = name == "orelse" and len(inner) == 1 and isinstance(inner[0], ast.If)
            if name == "handlers":
                for handler in inner:
                    yield from _deeper(handler.body, here)
            elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                yield from _deeper(inner, depth if elif_ else here)


KINDS["noise"] |= laws()
LAW_NAMES = law_names()

if __name__ == "__main__":
    sys.exit(main())
