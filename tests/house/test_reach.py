"""Every module of the package is reached by a public name, a command or a guide, not by tests alone."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("reach", ROOT / "tools" / "reach.py")
reach = importlib.util.module_from_spec(SPEC)
sys.modules["reach"] = reach  # a dataclass looks its module up
SPEC.loader.exec_module(reach)


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    """The trees of the source, a million parts, which are kept while they are asked."""
    yield
    for kept in (reach.parsed, reach.inside, reach.modules):
        kept.cache_clear()


@pytest.mark.slow
def test_every_module_and_function_is_reached_by_a_door():
    """What only tests reach leaves, or is given a public verb; a name in KEPT has its reason."""
    gone, alone = reach.out_of_reach()

    assert gone == []
    assert alone == []
    assert reach.stale() == []


@pytest.mark.slow
def test_what_only_tests_reach_is_seen(tmp_path):
    """The walk has power: a module, a function, and a module that only a dead one needs."""
    shutil.copytree(reach.SRC, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    room = tmp_path / "src" / "discreet" / "post"
    (room / "dead.py").write_text("from .lost import lost\n\ndef dead():\n    return lost()\n")
    (room / "lost.py").write_text("def lost():\n    return 1\n")
    with (room / "interval.py").open("a") as file:
        file.write("\n\ndef unasked():\n    return unasked()\n")

    gone, alone = reach.out_of_reach(tmp_path / "src")

    assert gone == ["discreet.post.dead", "discreet.post.lost"]
    assert alone == ["discreet.post.interval.unasked"]


@pytest.mark.slow
def test_a_name_is_followed_through_every_kind_of_import(tmp_path):
    """A lazy page, a function-level import, a module's attribute, a registered command."""
    source = tmp_path / "src"
    package = source / "discreet"
    (package / "calculator").mkdir(parents=True)
    (package / "cli").mkdir()
    files = {
        "__init__.py": '"""Doc."""\nfrom .verbs import verb\n__all__ = ["verb"]\n'
        "def __getattr__(name): ...\ndef __dir__(): ...\n",
        "verbs.py": "def verb():\n    from . import tools\n    return tools.used()\n",
        "tools.py": "def used(): ...\ndef unused(): ...\n",
        "calculator/__init__.py": "from .sums import add as add\n",
        "calculator/sums.py": "def add(): ...\n",
        "cli/__init__.py": "",
        "cli/cli.py": "from . import words\napp = object()\n@app.command()\ndef plan():\n"
        "    return words.said()\ndef main():\n    return app\n",
        "cli/words.py": "def said(): ...\n",
        "shelf.py": "def nobody(): ...\n",
    }
    for name, text in files.items():
        (package / name).write_text(text)
    (source / "discreet_command.py").write_text(
        "def main():\n    from discreet.cli import cli\n    return cli.main()\n"
    )

    assert reach.out_of_reach(source, kept=()) == (["discreet.shelf"], ["discreet.tools.unused"])
