"""Every fix of the source can be spelled in each face; no face reads the words of an error."""

import ast
import importlib
import re
import shlex
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import discreet as dp
from discreet import fix as fixes
from discreet.errors import InputError
from discreet.fix import BLANK, Do, Instead, Remove, Rename, Set, at_fault, in_python, quoted
from discreet.meant import BOUNDS
from discreet.plan_file.in_file import Speller, as_options
from discreet.plan_file.written import parsed

pytestmark = pytest.mark.claim("C18")

SOURCE = Path(dp.__file__).parent
MAKERS = {"write", "leave_out", "Instead", "Rename", "Do", "Set", "Remove"}
ODD = 'a "b" and c'  # a column's name that must be quoted

SAMPLES = {  # by name: what stands in for what a fix is told where it is made
    **dict.fromkeys(("column", "subject", "near"), ODD),
    **dict.fromkeys(("name", "where", "what", "option"), "epsilon"),
    **dict.fromkeys(("step", "ball", "low", "high"), Fraction(1, 3)),
    "columns": {ODD: BLANK},
    "settings": {"by": "?"},
    "setting": "bins",
    "sides": {"west": -1.5},
    "allowed": ["epsilon", "delta"],
    "foreign": ["delta"],
    "lacking": ["epsilon"],
    "least": 1,
    "number": Fraction(1),
    "lower": 3,
    "upper": 9,
    "questions": 2,
    "degrees": 1.5,
    "once": ["A", 1],
    "values": ["A"],
    "keys": ["A", "B"],
    "argument": "by",
    "others": ["sum of wage", "count"],
    "hidden": ODD,
    "named": ODD,
    "beside": [ODD],
    "place": "a.release",
    "folder": "a.release",
    "packed": "a.zip",
    "covers": "covers it",
    "such": "a number",
    "verb": "run",
    "example": fixes.call("discreet.load", "a.release"),
    "note": ", so it is",
    "kind": "zcdp",
    "plan": fixes.call("discreet.plan", BLANK),
    "ledger": {"ledger": "visits.ledger"},
    "table": SimpleNamespace(unit=SimpleNamespace(column=ODD)),
    "limits": dp.bounds(0, "4.5", step="0.5"),
    "points": SimpleNamespace(weight=ODD, max_weight=None),
    "known": SimpleNamespace(request="2026-11"),
    "book": SimpleNamespace(
        entries=(), snapshot=lambda _: SimpleNamespace(way=SimpleNamespace(latest=None))
    ),
    "spend": dp.approx(1, "1e-6"),
    "budget": dp.pure("1/3"),
    "names": [ODD],
    "parts": ("a", ODD),
    "smaller": SimpleNamespace(spend=dp.zcdp("1/3")),
}
OWN = {  # by place: a sample for one file alone
    "ledgers/refusal.py": {"spend": fixes.call("discreet.approx", "1", "1e-6")},
    "exact/number.py": {"meant": "0.95"},
    "plans/checked.py": {"_plan": lambda *_: Do(fixes.call("discreet.plan"))},
    "plans/asked_otherwise.py": {
        "first": fixes.Variable("table"),
        "others": (),
        "table": None,
        "asked": "discreet.sql(text, table)",
        "paid": {"spend": BLANK},
    },
    "releases/forecast.py": {"total": 9},
    "meant.py": {"name": "spend", "meant": fixes.call("discreet.pure", "1"), "number": "1"},
    "schema/derived.py": {"bounds": None, "bounds_meant": lambda _: BOUNDS},
    "schema/no_keys.py": {
        "by": ("ward",),
        "made": fixes.call("discreet.derived", "age * 2"),
        "parts": ("wage", ("ward",)),
    },
    "derive/differences.py": {
        "released": SimpleNamespace(label="count by ward"),
        "pair": ["MA", "NY"],
        "note": ", or name another statistic",
    },
    "plans/sparse.py": {"larger": 72, "most": 2_000},
    "plans/sql.py": {
        "text": "SELECT COUNT(*) FROM t",
        "table": "t.csv",
        "source": "t.csv",
        "name": "x",
        "derived": fixes.call("discreet.derived", "age", keys=["?"]),
    },
    "plans/sql_after.py": {
        "chosen": fixes.call("discreet.top_k", "state", k=3),
        "note": "for the keys alone",
    },
    "plans/sql_having.py": {"publish": fixes.call("discreet.publish", at_least=10)},
    "plans/sql_joins.py": {
        "second_table": fixes.call("discreet.join", "a.csv", gives=["sex"]),
        "note": "for the table, and ask again",
    },
    "plans/sql_aggregates.py": {"text": "income * 2", "word": "SUM", "ends": BLANK},
    "plans/shares.py": {
        "plenty": dp.approx("1/3", "1e-6"),
        "more": ": the rest is for a mean",
        "loss": dp.zcdp("1/3"),
        "whole": dp.zcdp("1/3"),
    },
    "calculator/inputs.py": {"example": "0.1"},
    "calculator/chances.py": {"words": ("count", "proportion")},
    "engine/csv/header.py": {"options": dp.table("t.csv", unit="row", csv={"trim": True}).csv},
    "engine/parts.py": {"verb": "discreet.join", "options": {"name": "o", "gives": ["n"]}},
    "releases/repeat_check.py": {"file": None, "_unused": lambda _: "2026-11-03"},
    "document/headings.py": {"text": "1.0", "key": "1"},
    "report/additive.py": {"of": "ward", "meant": "A"},
    "schema/bounds.py": {"example": ["?"], "what": "keys", "bounds_meant": lambda _: None},
    "schema/joins.py": {"link": SimpleNamespace(on=ODD, gives=(ODD,)), "unit": "person"},
    "calculator/laws/__init__.py": {"law": "gauss"},
    "schema/keys.py": {
        "rest": [0],
        "name": -1,
        "kinds": {int},
        "listed": ["m", "f"],
        "ways": {"yes": ["Yes"]},
    },
    "schema/time_forms.py": {"name": "days", "example": "%d.%m.%Y", "form": "%d.%m.%Y", "note": ""},
    "statistic/edges.py": {"edges": [Fraction(9)], "bounds": dp.bounds(0, "4.5", step="0.5")},
    "statistic/ask.py": {
        "bounds": dp.bounds(0, "4.5", step="0.5"),
        "ask": SimpleNamespace(max_groups=1, max_rows_per_group=None),
        "band": fixes.call("discreet.derived", "floor(age / 10)", keys=["?"]),
    },
    "statistic/regression.py": {"names": ("wage",), "column": ["age"]},
    "statistic/covariance.py": {"names": ["wage"], "beside": "age", "asks": "covariance"},
    "statistic/publish.py": {"way": {"coverage": "rate"}, "of_plan": False},
    "statistic/own_loss.py": {"other": "within"},
    "statistic/count.py": {"ask": SimpleNamespace(by=("ward",))},
    "statistic/count_distinct.py": {
        "units": fixes.call("discreet.count_units"),
        "sizes": fixes.call("discreet.group_sizes", "film", at_least=[1]),
        "key": "ward",
    },
    "statistic/quantile.py": {"share": Fraction(95), "name": "at"},
    "releases/open_ledger.py": {
        "plan_meant": lambda *_: Do(fixes.call("discreet.plan", fixes.Variable("table"))),
        "argument": None,
    },
    "releases/find_keys.py": {"source_of": lambda _: "people.csv"},
    "schema/unknown.py": {"other": "other", "of": ["a", "b"], "parts": ("a", "b")},
    "schema/csv_options.py": {"name": "decimal", "allowed": (",", ".")},
}
PLACES = [(), ("data",), ("columns", "wage"), ("keys", "city"), ("spend",), ("ask", 1)]


def ways_in(path):
    """The fixes that a file makes as data: the outermost expressions, with their lines."""
    todo, ways = [ast.parse(path.read_text(encoding="utf-8"))], []
    for node in todo:
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if is_call and node.func.id in MAKERS:
            ways.append(node)
        else:
            todo += ast.iter_child_nodes(node)
    return ways


def registered():
    """Every fix of the source that a face may be given, with its place."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if (
            name in ("fix.py", "calls.py")  # who calls in Python has no other face
            or name.startswith(("cli/", "plan_file/"))
            or "fix import" not in path.read_text()
        ):
            continue
        room = importlib.import_module(f"discreet.{name[:-3].replace('/', '.')}")
        known = {**vars(room), **SAMPLES, **OWN.get(name, {})}
        for node in ways_in(path):
            yield (
                f"{name}:{node.lineno}:{node.col_offset}",
                compile(ast.Expression(node), name, "eval"),
                known,
            )


CASES = {place: (code, known) for place, code, known in registered()}


@pytest.fixture(params=CASES, ids=str)
def way(request):
    """One fix of the source; a NameError asks for a sample of what is new."""
    code, known = CASES[request.param]
    return eval(code, known)


def check_python(text):
    """Check that text compiles, with something for each question mark that stands for a number."""
    filled = re.sub(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\?""", lambda m: m[1] or "...", text)
    compile(f"f({filled})", "fix", "eval")


def singles(way):
    """A fix without its note, one setting at a time."""
    if not isinstance(way, Set):
        return [replace(way, note="")]
    return [Set({name: value}, way.of) for name, value in way.settings.items()]


def test_there_are_many():
    """The register is not empty, and knows each kind."""
    kinds = {type(eval(code, known)) for code, known in CASES.values()}

    assert len(CASES) > 150
    assert kinds == {Set, Remove, Instead, Rename, Do}


def test_a_fix_in_python_compiles(way):
    """As it is printed, setting by setting."""
    for one in singles(way):
        said = in_python((one,)).removesuffix(" in discreet.table")
        if isinstance(one, (Set, Do)):
            check_python(said.removeprefix("write "))
        elif isinstance(one, Instead):
            check_python(", ".join(said.removeprefix("write ").split(" in place of ", 1)))
        else:
            assert all(name.isidentifier() for name in getattr(one, "names", ()))


SHAPE = re.compile(
    r"(?:under (?:\[[^]]*\]|that \[\[ask\]\]), )?write (.*?)"
    r"(?: above the first \[part\]| under \[spend\](?:, in place of .*)?)?"
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_fix_in_a_plan_file_parses(way, place):
    """Wherever it is raised; what is asked for is a question mark in quotes."""
    from unit.plan_slips import GOOD

    speller = Speller(parsed(GOOD, "people.toml"), place, place)
    for one in singles(way):
        said = speller((one,))
        if not isinstance(one, Set) or said.startswith("write --"):
            shlex.split(said)
            continue
        parts = re.split(r" and (?=under |write )", said)
        lines = "\n".join(SHAPE.fullmatch(part)[1] for part in parts)
        lines = lines.replace(" and ", "\n") if "spend" in one.settings else lines
        assert tomllib.loads(lines)
        assert ("?" in in_python((replace(one, of=""),))) <= ('"?"' in lines)


def test_a_fix_on_the_command_line_is_words(way):
    """A shell reads it as it is meant; a loss has its options."""
    said = as_options(tuple(singles(way)))

    assert shlex.split(said)
    assert "Blank" not in said
    if isinstance(way, Set) and "spend" in way.settings:
        assert "--rho" in said or "--epsilon" in said or "--spend" in said


@pytest.mark.parametrize("text", ["a ?= b", "f(", 'x="', "lower ="])
def test_what_does_not_compile_is_seen(text):
    """The check has power."""
    with pytest.raises(SyntaxError):
        check_python(text)


PYTHON = re.compile(r"""\b[a-z_]+=(?:["'\w(\[{?]|\.\.\.)|discreet\.[a-z]+\(|\btable\([.?]""")
ALONE = {  # Python that no other face can be given, or words of a shell
    *("absent.py", "report/result.py", "engine/duckdb/connection.py", "engine/sql/cells.py"),
}


def texts_of_fixes():
    """Each text that stands as a fix in the source, or in one."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(("cli/", "plan_file/")):
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "fix=" in text and name not in ALONE else ():
            if isinstance(node, ast.keyword) and node.arg == "fix":
                for part in ast.walk(node.value):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield f"{name}:{node.lineno}", part.value


@pytest.mark.slow
def test_no_fix_is_python_as_text():
    """What a face must spell in its own way is data."""
    found = [(place, text) for place, text in texts_of_fixes() if PYTHON.search(text)]

    assert found == []
    assert PYTHON.search('write table(..., csv={"decimal": ","})')
    assert PYTHON.search("write alpha=0.05")


def breaches(text):
    """The places where code reads the words of an error, or edits text by patterns."""
    tree = ast.parse(text)
    caught = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "what":
            yield node.lineno
        if isinstance(node, ast.Attribute) and node.attr in ("why", "fix", "args"):
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            if name in caught | {"error", "refused"}:
                yield node.lineno
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] + [getattr(node, "module", "")]
            if "re" in names:
                yield node.lineno


MAY_READ = {  # faces that have patterns, or name the words of something, and of what
    "cli/audit.py": "a fault of an audit is no error",
    "cli/check.py": "patterns of the header of a file; an error is raised again with another fix",
    "cli/explain.py": "patterns of the page of errors",
    "cli/wrong_words.py": "a pattern of what the parser of the command line says of a word",
    "plan_file/draft.py": "patterns of a plan file",
    "plan_file/slips.py": "patterns of a plan file, and of what its reader says of a line",
    "plan_file/written.py": "patterns of a plan file",
}


def test_no_face_reads_the_words_of_an_error():
    """The command line and the plan file learn from an error's settings alone."""
    faces = [path for room in ("cli", "plan_file") for path in (SOURCE / room).rglob("*.py")]
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in faces
        if any(breaches(path.read_text(encoding="utf-8")))
    }

    assert len(faces) > 30
    assert found == set(MAY_READ)
    for breach in (
        "error.what.startswith('x')",
        "try:\n    f()\nexcept InputError as e:\n    'no' in e.why",
        "import re",
        "from re import sub",
    ):
        assert list(breaches(breach)) != []


def test_the_setting_at_fault_is_the_first_that_a_fix_names():
    """Unless it is another's, or the error says otherwise."""
    for fix, at in (
        ("go home", ()),
        (fixes.write(step=BLANK), ("step",)),
        (fixes.write(keys={"a": [1]}), ("keys", "a")),
        (fixes.write(of="table", unit="row"), ()),
        ((fixes.leave_out("ball"), fixes.write(step=1)), ("ball",)),
        (Instead("by", "a", "b"), ("by",)),
        (Rename("bye", "by"), ("bye",)),
        (Do(fixes.call("f")), ()),
    ):
        assert at_fault(fixes.ways_of(fix)) == at
        assert InputError("no.", why="so", fix=fix).at == at
        assert InputError("no.", why="so", fix=fix, at="by").at == ("by",)


def test_text_in_python_reads_back_as_it_was():
    """Whatever it holds; what is too long to be typed is a question mark."""
    for text in ("a", 'a "b"', "it's", "both ' and \"", "\u202e\n\x1b", "\ud800", ""):
        assert eval(quoted(text)) == text
        assert quoted(text).isprintable()
    assert quoted("a" * 1_000) == '"?"'


PERSONAL = {  # what only a person can tell: who is protected, bounds, keys, limits, and losses
    *(
        "unit",
        "unit()",
        "bounds",
        "bounds()",
        "lower",
        "upper",
        "step",
        "ball",
        "between",
        "columns",
    ),
    *("west", "south", "east", "north", "keys", "keys()", "sorted()"),
    *("max_rows", "max_groups", "max_rows_per_group", "max_weight", "rows", "units", "known"),
    *("spend", "budget", "epsilon", "delta", "rho", "mu2", "within", "pure", "chance"),
    *("approx()", "zcdp()", "gdp()", "pure()"),
}
PROMISED = {"vouched", "name"}  # what a curator answers for, and which data a ledger protects
ASKED = {"statistic/catalog.py"}  # what a plan file leaves out of a question


def marks(value, at):
    """Return the setting that each question mark of a value stands for."""
    if isinstance(value, fixes.Blank) or value == "?":
        return [at]
    if isinstance(value, fixes.Call):
        name = f"{value.name.split('.')[-1]}()"
        inner = [*((one, name) for one in value.args), *((v, k) for k, v in value.options.items())]
    elif isinstance(value, dict):
        inner = [*((one, f"{at}, a name") for one in value), *((one, at) for one in value.values())]
    else:
        inner = [(one, at) for one in value] if isinstance(value, (list, tuple)) else []
    return [mark for one, place in inner for mark in marks(one, place)]


def test_a_question_mark_stands_for_what_only_a_person_knows():
    """For unit, bounds, keys, limits and loss; names are those that were meant, or prose."""
    others = {}
    for place, (code, known) in CASES.items():
        way = eval(code, known)
        settings = way.settings if isinstance(way, Set) else {"": getattr(way, "call", None)}
        asked = [mark for name, value in settings.items() for mark in marks(value, name)]
        rest = {*asked} - PERSONAL - PROMISED
        if rest and place.split(":")[0] not in ASKED:
            others[place] = rest

    assert others == {}
    assert marks(fixes.call("f", "?", unit=["?"], keys={"?": 1}), "") == [
        "f()",
        "unit",
        "keys, a name",
    ]


@pytest.mark.claim("C645")
def test_a_guess_is_one_slip_away():
    """A letter more, less or other, or two that changed places; another meaning is no slip."""
    near = fixes.nearest_name
    names = ["weight", "within", "where", "max_groups", "age", "income_2019", "minimum"]
    slips = {"wieght": "weight", "wight": "weight", "withim": "within", "maxgroups": "max_groups"}

    assert {slip: near(slip, names) for slip in slips} == slips
    for other in ("width", "wage", "income_2018", "maximum", "whither", "ag", "", "w"):
        assert near(other, names) == "", other


@pytest.mark.claim("C645")
def test_a_word_of_other_tools_leads_to_its_own_meaning_or_to_no_guess():
    """`weights` of rows are no weight of a question, and a stop is no step."""
    ours = fixes.our_name
    assert ours("stop", ["lower", "upper", "step"]) == "upper"
    assert (
        ours("weights", ["weight"]) == ours("level", ["levels"]) == ours("width", ["weigth"]) == ""
    )
    assert ours("n_bins", ["bins", "by"]) == "bins"
    assert ours("x", ["column", "on"]) == "on"
    assert ours("max_contributions", ["max_rows"]) == "max_rows"


def test_a_word_for_what_is_not_here_is_no_slip():
    """`spend = 7` is not what `seed = 7` meant."""
    assert fixes.our_name("sped", ["spend"]) == "spend"
    assert fixes.our_name("seed", ["spend"]) == fixes.our_name("Seed", ["spend"]) == ""
