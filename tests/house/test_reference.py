"""What is made from the code is as the code is: no page of reference is behind it."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from discreet.cli.cli import main
from discreet.document.document import Document
from discreet.plan_file.schema import FilePart

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)


@pytest.mark.claim("C550")
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] * (n == "errors.md")) for n in reference.PAGES],
)
def test_a_page_that_is_made_is_as_the_code_is(name):
    """Else: `make reference`."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")

    assert page == reference.PAGES[name]()


def test_the_index_of_decisions_lists_each_record_and_what_changed_it():
    """Number, title and status; a later record that names an older one stands beside it."""
    index = reference.decisions()

    for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        assert f"]({path.name}) | " in index
    assert "| 24 | " in index
    (row,) = [line for line in index.splitlines() if line.startswith("| 24 | ")]
    assert row.endswith("| 82 |")


@pytest.mark.claim("C550")
@pytest.mark.parametrize("model", [FilePart, Document], ids=lambda model: model.__name__)
def test_each_field_of_a_file_is_described(model):
    """In the one place from which the page, editors and messages have it."""
    schema = model.model_json_schema()
    parts = [schema, *schema["$defs"].values()]
    bare = [
        name
        for part in parts
        for name, field in part["properties"].items()
        if not field.get("description")
    ]

    assert bare == []
    assert all(part["description"] for part in parts)


@pytest.mark.slow
@pytest.mark.claim("C550")
def test_the_published_schema_takes_each_example_and_no_strange_name():
    """Editors check plan files by it: what discreet takes it takes, and a typing error it refuses."""
    schema = json.loads((ROOT / "docs" / "plan-schema.json").read_text(encoding="utf-8"))
    files = sorted((ROOT / "examples").rglob("*.toml"))
    block = re.search(r"^```toml\n(.*?)^```", reference.plan_file(), re.MULTILINE | re.DOTALL)
    plans = [
        tomllib.loads(text) for text in (block[1], *(path.read_text("utf-8") for path in files))
    ]
    plans = [plan for plan in plans if "ask" in plan]

    assert len(plans) > 8
    for plan in plans:
        plain = json.loads(json.dumps(plan, default=str))
        jsonschema.validate(plain, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**plain, "data": {**plain["data"], "uint": "row"}}, schema)


def test_the_plan_of_the_page_is_one(tmp_path, monkeypatch, capsys):
    """It plans as it stands."""
    block = re.search(r"^```toml\n(.*?)^```", reference.plan_file(), re.MULTILINE | re.DOTALL)
    (tmp_path / "plan.toml").write_text(block[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert main(["plan", "plan.toml"]) == 0
    assert "mean exper by educ" in capsys.readouterr().out


def test_each_environment_variable_is_on_its_page():
    """Each that the code reads by a name of ours."""
    source = " ".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    named = {*re.findall(r"DISCREET_[A-Z]+", source)}

    assert len(named) >= 3
    assert {name for name in named if f"| `{name}` |" not in page} == set()


def test_each_public_name_has_its_place_and_each_option_its_words():
    """No name without a heading; of no question an option that is not described in place."""
    page = reference.api()
    undescribed = {
        (name, option)
        for name, ask in reference.ASKED.items()
        for option in reference.signature(ask).parameters
        if not re.search(rf"^ +(\w+, )*{option}[,:]", ask.__doc__, re.MULTILINE)
    }

    assert all(f"\n## {name}\n" in page for name in reference.dp.__all__)
    assert undescribed == set()
