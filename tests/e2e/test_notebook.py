"""In a real Jupyter kernel: pictures and tables show by themselves, and names complete."""

import re

import pytest

import discreet as dp

jupyter = pytest.importorskip("jupyter_client.manager")

MOST = 120  # seconds for a cell: libraries are loaded in the first one
SETUP = """
import os
os.chdir(FOLDER)
import discreet as dp
rows = [{"ward": "AB"[i % 2], "cost": i % 50} for i in range(4000)]
table = dp.table(rows, unit="row", columns={"cost": dp.bounds(0, 50, step=1)},
                 keys={"ward": ["A", "B"]}, name="<b>visits</b>")
plan = dp.plan(table, dp.count(by="ward"), dp.mean("cost", by="ward"), spend=dp.zcdp("1/2"))
ledger = dp.ledger("visits.ledger", budget=dp.zcdp(1))
release = dp.run(plan, ledger=ledger)
"""


class Notebook:
    """A kernel, and what its cells showed."""

    def __init__(self, folder):
        self.manager, self.client = jupyter.start_new_kernel(startup_timeout=MOST)
        self.run(SETUP.replace("FOLDER", repr(str(folder))))

    def run(self, code):
        """Return the bundles that a cell displayed, and what it printed."""
        shown, printed, updated = [], [], []
        self.updated = updated

        def heard(message):
            content = message["content"]
            if message["msg_type"] in ("execute_result", "display_data"):
                shown.append(content["data"])
            if message["msg_type"] == "update_display_data":
                updated.append(content["data"]["text/html"])
            if message["msg_type"] == "stream":
                printed.append(content["text"])

        reply = self.client.execute_interactive(code, timeout=MOST, output_hook=heard)
        assert reply["content"]["status"] == "ok", reply["content"]
        return shown, "".join(printed)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    made = Notebook(tmp_path_factory.mktemp("notebook"))
    yield made
    made.close()


PICTURES = {
    "a release": "release.plot()",
    "one statistic": 'release.plot("count by ward")',
    "a result": 'release["mean cost by ward"].plot()',
    "a release, beside pyplot": "import matplotlib.pyplot as plt\nrelease.plot()",
    "one that was changed": "figure = release.plot()\nfigure.axes[0].set_xlabel('rows')\nfigure",
}
TABLES = (
    "table", "plan", "ledger", "release", "release.table()", 'release["count by ward"]',
    "dp.verify(release)", 'dp.denoise(release, "raw")', 'dp.count(by="ward")', 'dp.sum("cost")',
    'dp.mean(["cost"])', 'dp.histogram("cost")', "dp.bounds(0, 9)", 'dp.unit("patient")',
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("code", PICTURES.values(), ids=PICTURES)
def test_a_picture_shows_once_where_it_is_asked_for(code, notebook):
    """As a PNG, whether pyplot is loaded or not; nothing is shown a second time."""
    shown, printed = notebook.run(code)

    (bundle,) = shown
    assert bundle["image/png"].startswith("iVBOR")
    assert printed == ""


@pytest.mark.slow
@pytest.mark.parametrize("code", TABLES)
def test_everything_that_a_verb_returns_has_a_table_of_its_own(code, notebook):
    """As HTML, with all text escaped, none of it mathematics; at a prompt it is one short line."""
    (bundle,), printed = notebook.run(code)

    assert re.match("<div class=.tex2jax_ignore", bundle["text/html"])
    assert "<b>" not in bundle["text/html"]
    assert printed == ""
    most = 200 if code == "table" else 100  # what is declared can be pasted
    assert len(bundle["text/plain"]) <= most
    assert "\n" not in bundle["text/plain"]


@pytest.mark.slow
def test_a_figure_of_matplotlib_shows_nothing_here(notebook):
    """The check has power: without a face of its own a figure is no picture in a notebook."""
    printers = "get_ipython().display_formatter.formatters['image/png'].type_printers"
    code = f"from matplotlib.figure import Figure\n{printers}.clear()\nFigure()"
    ((bundle,), _) = notebook.run(code)

    assert "image/png" not in bundle


@pytest.mark.slow
def test_names_complete_to_the_public_page_and_statistics_to_their_names(notebook):
    """No inner room is offered."""
    found = notebook.client.complete("dp.", 3, reply=True, timeout=MOST)["content"]["matches"]
    names = {name.removeprefix("dp.") for name in found}
    code = 'release["'
    keys = notebook.client.complete(code, len(code), reply=True, timeout=MOST)["content"]["matches"]

    public = {name for name in names if not name.startswith("_")}
    assert public == set(dp.__all__) | {"calculator"}
    assert {key.strip('"]') for key in keys} >= {"count by ward", "mean cost by ward"}


HURRIED = """
import discreet.engine.progress, discreet.engine.stopping
discreet.engine.progress.PATIENCE, discreet.engine.stopping._SECOND = 0, 0.001
import pandas as pd
many = dp.table(pd.DataFrame({"ward": ["A", "B"] * 500_000}), unit="row",
                keys={"ward": ["A", "B"]}, name="many")
of_many = dp.plan(many, dp.count(by="ward"), spend=dp.zcdp("1/50"))
"""


@pytest.mark.claim("C569")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            'answer = dp.run(of_many, ledger=dp.ledger("many.ledger", budget=dp.zcdp(1)))',
            "Counting: ",
        ),
        ("answer = dp.denoise(release)", "Cleaning, "),
    ],
    ids=["a count", "cleaning"],
)
def test_a_bar_shows_while_it_takes_long_and_goes_away(code, words, notebook):
    """One output, put in place of itself and empty at the end; none where somebody else listens."""
    notebook.run(HURRIED)
    shown, printed = notebook.run(code)

    (bundle,) = shown
    assert bundle["text/html"].startswith('<progress max="')
    assert words in bundle["text/html"]
    assert notebook.updated[-1] == ""
    assert printed == ""


@pytest.mark.claim("C569")
@pytest.mark.slow
def test_what_ends_soon_shows_no_bar(notebook):
    """As in a terminal; and of a listener of one's own there is no bar beside it."""
    notebook.run("import discreet.engine.progress\ndiscreet.engine.progress.PATIENCE = 2")
    assert notebook.run("answer = dp.denoise(release)") == ([], "")
    notebook.run("discreet.engine.progress.PATIENCE = 0")
    assert notebook.run("answer = dp.denoise(release, progress=lambda *_: None)") == ([], "")


@pytest.mark.claim("C569")
@pytest.mark.slow
def test_a_file_is_read_and_a_release_saved_without_ipywidgets(notebook):
    """DuckDB takes no setting of its own bar there; ours needs no widgets."""
    code = """
from pathlib import Path
Path("visits.csv").write_text("ward\\n" + "A\\nB\\n" * 500)
of_file = dp.table("visits.csv", unit="row", keys={"ward": ["A", "B"]})
of_file = dp.plan(of_file, dp.count(by="ward"), spend=dp.zcdp("1/50"))
answer = dp.run(of_file, ledger=dp.ledger("file.ledger", budget=dp.zcdp(1)))
print(dp.verify(answer.save("file.release")).checks[-1])
"""
    _, printed = notebook.run(code)

    assert "table.parquet" in printed
