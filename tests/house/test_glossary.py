"""The glossary is kept: whatever holds a loss in the code has one of its names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
SUMS = {"first", "second", "other"}  # of two losses that are added or compared


def words():
    """The words of the glossary, and their plurals."""
    said = set(re.findall(r"\*\*(.+?)\*\*", GLOSSARY))
    return said | {f"{word}s" for word in said} | {f"{word}es" for word in said}


def held(text):
    """The names of parameters and fields that are declared to hold a loss, or several."""
    for node in ast.walk(ast.parse(text)) if "Loss" in text else ():
        name, told = None, None
        if isinstance(node, ast.arg):
            name, told = node.arg, node.annotation
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name, told = node.target.id, node.annotation
        said = {part.id for part in ast.walk(told) if isinstance(part, ast.Name)} if told else set()
        if said & {"Loss"} and "Callable" not in said:
            yield name


def strange(text):
    """What else holds a loss; a private field has the name of what it keeps."""
    return [name for name in held(text) if name.removeprefix("_") not in words() | SUMS]


@pytest.mark.slow
def test_whatever_holds_a_loss_has_a_name_of_the_glossary():
    """Nine names for one budget were eight too many."""
    sources = sorted((ROOT / "src" / "discreet").rglob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in sources]

    assert [name for text in texts for name in strange(text)] == []
    assert {"spend", "share", "cost", "paid", "budget"} <= {n for t in texts for n in held(t)}


def test_another_name_is_seen():
    """The check has power."""
    planted = (
        "def f(own: Loss, spend: Loss, terms: list[Loss] | None, make: Callable[[Loss], str]): ..."
    )

    assert strange(planted) == ["own", "terms"]
    assert strange("class A:\n    part: Loss\n    share: Loss\n") == ["part"]


def test_the_glossary_is_short_and_found():
    """Ten lines, linked from where a reader starts."""
    assert len(re.findall(r"^\| \*\*", GLOSSARY, flags=re.MULTILINE)) == 10
    for page in ("README.md", "docs/extend.md"):
        assert "glossary.md" in (ROOT / page).read_text(encoding="utf-8")
