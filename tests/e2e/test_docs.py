"""The docs run as they are written (the README: see test_readme).

In a `python` block every line runs, in one namespace a file; a `text` block right after it is what
it prints. In a `console` block a line `$ ...` is typed, and what follows is what appears; `make ...`
must be a target. An `output` block is like `text`, of noisy numbers: its digits are compared by their
size. `...` stands for any text, as in `session`.
"""

import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from session import matches, resembles, run

import discreet as dp
from discreet.cli.cli import main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
ELSEWHERE = {"docs/postgres.md", "docs/spark.md"}  # see test_pages_elsewhere
HERE = [page for page in PAGES if page.relative_to(ROOT).as_posix() not in ELSEWHERE]
COMPARED = {"text": matches, "output": resembles}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """The kind and the text of each block, in order."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def printed(code, names):
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(code, "the page", "exec"), names)
    return out.getvalue()


def typed(text, root):
    """Type the commands of a console block, and compare what appears."""
    targets = re.findall(r"^([a-z]+):", (root / "Makefile").read_text(), flags=re.MULTILINE)
    if not text.startswith("$ "):
        for line in text.splitlines():
            assert line.removeprefix("make ") in targets, line
        return
    for step in text.removeprefix("$ ").split("\n$ "):
        command, _, expected = step.partition("\n")
        code, said = run(command)
        assert code == 0, said
        assert not expected.strip() or matches(expected, said), f"$ {command}\n{said}"


def play(page, names=None):
    """Run a page; some pages begin with names of their reader's, such as an address."""
    names = dict(names or {})
    said = ""
    for kind, text in blocks(page):
        if kind == "python":
            said = printed(text, names)
        elif kind in COMPARED:
            assert COMPARED[kind](text, said), f"{page.name} says\n{text}\nbut it prints\n{said}"
        elif kind == "console":
            typed(text, ROOT)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The demo's data, and the example plans beside theirs."""
    folder = tmp_path_factory.mktemp("docs")
    with redirect_stdout(StringIO()):
        assert main(["demo", str(folder / "demo")]) == 0
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.slow
@pytest.mark.claim("C554")
@pytest.mark.parametrize("page", HERE, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_as_written(page, data, tmp_path, monkeypatch):
    """Nothing that a page shows is made up; no page needs what another one left."""
    monkeypatch.chdir(shutil.copytree(data, tmp_path / "here"))
    play(page)


def test_a_page_that_lies_is_caught(tmp_path):
    """The check has power: a wrong output, a failing line, and no such target."""
    page = tmp_path / "page.md"
    for text in (
        "```python\nprint(1)\n```\n```text\n2\n```\n",
        "```python\nprint(1 / 0)\n```\n",
        "```python\nprint('a 1,000 ±20')\n```\n```output\na 2,000 ±20\n```\n",
        "```python\nprint('mean 31.1')\n```\n```output\nmean 3.11\n```\n",
        "```python\nprint('b 1,000 ±20')\n```\n```output\na 1,000 ±20\n```\n",
        "```console\nmake nothing\n```\n",
        "```console\n$ discreet nothing\n```\n",
    ):
        page.write_text(text)
        with pytest.raises((AssertionError, ZeroDivisionError)):
            play(page)


def anchors(page):
    """The anchors of a page, as GitHub and the site make them of its headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    slugs = {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in plain}
    return slugs | {*re.findall(r'<a id="([^"]+)"', text)}


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every relative link and picture is there, and so is each heading that a link names."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if "://" not in target:
            assert (page.parent / path).exists(), target
            assert not anchor or anchor in anchors(page.parent / path if path else page), target


def test_a_page_names_all_public_names():
    """No more names, and no fewer, in the first cells of its tables."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`.*?) \|", text, flags=re.MULTILINE)
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]

    assert sorted(named) == sorted(dp.__all__)


def test_the_readme_is_short():
    """One screen to a first release; everything else is a page."""
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150
