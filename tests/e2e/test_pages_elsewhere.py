"""Pages that need what not every machine has: a server, Spark, or another library.

Where it is missing, the page is skipped, and a test says so. A block `python title="NAME VERSION"` is
code of another library: it runs where that version is installed, and the block `output title=...`
after it is what it prints, its digits compared as in `session`.
"""

import re
import shutil
import sys
from contextlib import redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from itertools import pairwise
from urllib.parse import quote

import pytest
from session import resembles
from test_docs import BLOCK, ELSEWHERE, ROOT, blocks, play

from servers import connected, dsn, spark

MOVES = sorted((ROOT / "docs").glob("from-*.md"))
TITLED = re.compile(r'^```(\w+) title="([\w.-]+) ([\d.]+)[^"]*"\n(.*?)^```$', re.M | re.DOTALL)


def peers(page):
    """The code of other libraries on a page, with their names, versions and outputs."""
    titled = TITLED.findall(page.read_text(encoding="utf-8"))
    return [
        (name, wanted, code, output)
        for (kind, name, wanted, code), (_, _, _, output) in pairwise(titled)
        if kind == "python"
    ]


@pytest.mark.slow
def test_the_tutorial_on_postgres_runs(tmp_path, monkeypatch):
    """In a schema of its own, by an address as a reader types it."""
    monkeypatch.chdir(tmp_path)
    schema = connected().execute("SELECT current_schema()").fetchone()[0]
    host = quote(dsn().split()[0].removeprefix("host="), safe="")
    address = f"postgresql://postgres@/postgres?host={host}&options=-csearch_path%3D{schema}"

    play(ROOT / "docs" / "postgres.md", {"address": address})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_tutorial_on_spark_runs(tmp_path, monkeypatch):
    """With a session as a reader has it."""
    monkeypatch.chdir(tmp_path)

    play(ROOT / "docs" / "spark.md", {"spark": spark()})


def test_pages_elsewhere_are_these():
    """No page hides from its test."""
    assert {"docs/postgres.md", "docs/spark.md"} == ELSEWHERE


@pytest.mark.slow
@pytest.mark.claim("C558")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", MOVES, ids=lambda page: page.stem)
def test_the_code_of_another_library_runs(page, tmp_path, monkeypatch):
    """On the data of the page, and prints what stands there but for its noise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # Tumult's workers, where PATH has another
    ((name, wanted, code, output),) = peers(page)
    distribution = {"OpenDP": "opendp"}.get(name, name)
    try:
        installed = version(distribution)
    except PackageNotFoundError:
        installed = "missing"
    if installed != wanted or (name.startswith("tmlt") and shutil.which("java") is None):
        pytest.skip(
            f"{distribution} is {installed}: python -m pip install {distribution}=={wanted}"
        )
    exec(compile(BLOCK.search(page.read_text(encoding="utf-8")).group(2), "data", "exec"), {})
    out = StringIO()

    with redirect_stdout(out):
        exec(compile(code, str(page), "exec"), {})

    assert resembles(output, out.getvalue()), out.getvalue()


@pytest.mark.claim("C558")
@pytest.mark.parametrize("page", MOVES, ids=lambda page: page.stem)
def test_both_libraries_read_the_same_data(page):
    """The file of the page's first block is in the code of both."""
    ((_, _, code, _),) = peers(page)
    ours = [text for kind, text in blocks(page) if kind == "python"]

    assert 'Path("people.csv")' in ours[0]
    assert '"people.csv"' in code
    assert "random" not in code
    assert '"people.csv"' in ours[1]
