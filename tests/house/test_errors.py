"""Every error has a kind, and every kind a paragraph whose example fails as it says."""

import ast
import importlib.util
import json
import re
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.cli.explain import explanations

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)
KINDS = explanations()
WITHOUT = {"sum-too-large", "data-changed", "out-of-time", "engine-cannot", "stopped"}
BLOCK = re.compile(r"^```(py|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (kind, language, code)
    for kind, known in KINDS.items()
    for language, code in BLOCK.findall(known.text)
]
PLAN = """[data]
source = "people.csv"
unit = "row"
[keys]
city = ["Riga", "Turku"]
[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = "city"
"""
AWAY = "postgresql://nobody@localhost:1/none"  # nothing listens there
FILES = {
    "people.csv": "person,city,age,income\n" + "a,Riga,30,1000\nb,Turku,50,3000\n" * 20,
    "visits.csv": "person,city\na,Riga\na,Turku\nb,Riga\n",
    "semicolons.csv": "person;age\na;30\n",
    "people.parquet": "",
    "people.docx": "PK",
    "people.toml": PLAN,
    "towns.csv": "city\nRiga\nTurku\n",
    "server.toml": PLAN.replace('"people.csv"', f'"{AWAY}"\nname = "people"'),
    "misspelled.toml": PLAN.replace("by =", "group =").replace("[keys]", "[kyes]"),
    "short.toml": PLAN.replace('unit = "row"\n', ""),
    "misfit.toml": PLAN.replace('["Riga", "Turku"]', "7"),
    "draft.toml": PLAN.replace('"row"', '"?"'),
}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the head of the page gives the examples, in a folder with its files."""
    folder = tmp_path_factory.mktemp("errors")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    head = BLOCK.search("\n".join(reference.HEAD_OF_ERRORS))
    known = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(head[2], "the head of the page", "exec"), known)
        yield known


def kind_of(language, code, names):
    """The kind of error with which an example fails; none where it runs."""
    if language == "sh":
        out = StringIO()
        with redirect_stdout(out):
            main([*code.strip().removeprefix("discreet ").split(), "--json"])
        return json.loads(out.getvalue()).get("kind")
    try:
        exec(compile(code, "an example", "exec"), dict(names))
    except dp.errors.DiscreetError as error:
        return error.kind
    return None


@pytest.mark.slow
@pytest.mark.claim("C551")
def test_each_error_of_the_code_names_a_kind_that_is_explained():
    """No place that makes an error is without one, and no kind is explained that nothing raises."""
    places = reference.raised()
    constant = Counter(place.kind for place in places if not place.kind.startswith("<"))
    handed = {place.kind for place in places if place.kind.startswith("<")}
    text = " ".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))

    assert len(places) > 700
    assert [place.line for place in places if not place.kind] == []
    assert handed <= {"<kind>", "<error.kind>"}, handed
    assert {*constant} - {*KINDS} == set()
    assert {kind for kind in KINDS if f'"{kind}"' not in text} == set()


@pytest.mark.claim("C551")
def test_a_raise_without_a_kind_is_seen(tmp_path):
    """The look has power: a planted error without a kind is named with its line."""
    (tmp_path / "new.py").write_text(
        'raise InputError("no.", why="so", fix="else")\n', encoding="utf-8"
    )

    assert [(place.kind, place.line) for place in reference.raised(tmp_path)] == [("", "new.py:1")]


@pytest.mark.claim("C552")
@pytest.mark.parametrize(("kind", "language", "code"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_each_example_of_a_kind_fails_with_it(kind, language, code, names):
    """It is run as it stands on the page."""
    assert kind_of(language, code, names) == kind


@pytest.mark.claim("C552")
def test_an_example_that_runs_is_seen(names):
    """The look has power: code that is right has no kind."""
    assert kind_of("py", "dp.count(by='city')\n", names) is None
    assert kind_of("sh", "discreet plan people.toml\n", names) is None


@pytest.mark.claim("C552")
def test_each_kind_has_an_example():
    """But for those that need a server, a second program at that moment, or a statistic of yours."""
    assert {*KINDS} - {kind for kind, _, _ in EXAMPLES} == WITHOUT


def test_each_kind_has_words_of_its_own():
    """A paragraph says more than a message: at least 20 words, and names are words with hyphens."""
    short = [kind for kind, known in KINDS.items() if len(known.text.split()) < 20]

    assert short == []
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", kind) for kind in KINDS)
    assert len({known.text for known in KINDS.values()}) == len(KINDS)


def test_kinds_that_helpers_are_handed_are_explained():
    """Expressions, SQL and plan files make their errors in one place each, and hand it the kind."""
    src = ROOT / "src" / "discreet"
    files = [*(src / "expressions").glob("*.py"), src / "plan_file" / "location.py"]
    files.append(src / "plans" / "sql_reader.py")
    text = " ".join(path.read_text("utf-8") for path in files)
    handed = {*re.findall(r'(?:kind|NOT_READ|_KIND) ?= ?"([a-z-]+-[a-z-]+)"', text)}

    assert {"expression-types", "not-a-select", "plan-file-name", "blank-left"} <= handed
    assert handed - {*KINDS} == set()


@pytest.mark.claim("C551")
@pytest.mark.slow
def test_make_check_names_a_raise_without_a_kind(tmp_path):
    """So a branch that brings one is stopped before it is merged."""
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    path = tmp_path / "new.py"
    path.write_text(
        'raise EngineError("no.", why="so", fix="else")\n'
        'raise EngineError("no.", kind="cannot-open", why="so", fix="else")\n',
        encoding="utf-8",
    )

    assert [fault.split(": ")[0] for fault in house.faults(path, tmp_path)] == ["new.py:1"]


@pytest.mark.slow
@pytest.mark.claim("C551")
def test_an_error_made_in_another_way_has_its_kind_too():
    """A call with a fix and without a kind is one of the few that make errors of one kind each."""
    helpers = {"refused", "flag", "taken", "missing", "not_for", "error"}
    no_errors = {"Origin", "ChargeRequest"}  # a fix beside other facts
    other = set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "fix=" in text else ():
            if isinstance(node, ast.Call):
                names = {each.arg for each in node.keywords}
                if "fix" in names and "kind" not in names:
                    other.add(ast.unparse(node.func).rpartition(".")[2])

    assert other - helpers - no_errors == set()
    assert helpers <= other
