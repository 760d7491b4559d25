"""The notebook that starts from wanted errors runs, and shows what it says it does."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "accuracy-first.ipynb"
REHEARSED = re.compile(r"^(mean|median|std) .*$", re.MULTILINE)


def cells():
    found = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def run(folder, monkeypatch):
    """What each cell prints, in one namespace, in order."""
    monkeypatch.chdir(folder)
    names, found = {}, []
    for cell in cells():
        out = StringIO()
        with redirect_stdout(out):
            exec(compile("".join(cell["source"]), "the notebook", "exec"), names)
        found.append(out.getvalue())
    return found


@pytest.mark.slow
@pytest.mark.claim("C78")
def test_the_notebook_shows_what_it_prints(tmp_path, monkeypatch):
    """Plans to the letter; of the rehearsal, whose noise is fresh, all but the numbers."""
    shown = ["".join(line for one in cell["outputs"] for line in one["text"]) for cell in cells()]
    printed = run(tmp_path, monkeypatch)

    assert printed[:-1] == shown[:-1]
    assert "REHEARSAL" in printed[-1]
    assert REHEARSED.sub("", printed[-1]).split()[:9] == REHEARSED.sub("", shown[-1]).split()[:9]
    assert (tmp_path / "teachers.html").exists()
