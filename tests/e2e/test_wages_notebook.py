"""The notebook on wages runs, its plan is the one that it shows, and its intervals hold what is true."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "wages.ipynb"
NUMBER = re.compile(r"-?\d[\d.,]*")
RARE = "1e-9"  # each interval of the test misses so rarely: it fails once in 10^7 runs


def cells():
    found = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The names that all cells make, and what each cell printed."""
    names, found = {}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("wages"))
        for cell in cells():
            out = StringIO()
            with redirect_stdout(out):
                exec(compile("".join(cell["source"]), "the notebook", "exec"), names)
            found.append(out.getvalue())
    return names, found


def shape(text):
    """A text without its numbers, and whether they hold the truth: those of a release are fresh."""
    return re.sub("True|False", "?", NUMBER.sub("#", text)).split()[:12]


@pytest.mark.slow
def test_the_notebook_shows_what_it_prints(ran):
    """The plan to the letter; of what is released the words at its head."""
    _, printed = ran
    shown = ["".join(line for one in cell["outputs"] for line in one["text"]) for cell in cells()]

    assert printed[1] == shown[1]
    assert list(map(shape, printed)) == list(map(shape, shown))
    assert "False" not in shown[-2]


@pytest.mark.slow
@pytest.mark.claim("C16")
def test_every_interval_holds_what_is_true_of_the_bounded_data(ran):
    """At an alpha so small that none misses; the data is public, so that its truth is known."""
    names, _ = ran
    census, release = names["census"], names["release"]
    wage = np.floor(census["wage"].clip(0, 4_000) + 0.5).astype(int)
    log = np.floor(census["lweekinc"].clip(3, 9) * 100 + 0.5) / 100
    by = census["educ"]
    known = np.column_stack([np.ones(len(by)), by, census["exper"]])
    true = {
        "count by educ": {key: (by == key).sum() for key in range(9, 17)},
        "mean wage by educ": wage.groupby(by).mean().to_dict(),
        "median wage by educ": wage.groupby(by).quantile(0.5, interpolation="lower").to_dict(),
        "variance lweekinc by educ": log.groupby(by).var(ddof=0).to_dict(),
        "share_below wage at 250, 500, 1000, 2000": {
            at: (wage < at).mean() for at in (250, 500, 1_000, 2_000)
        },
        "quantile wage at 0.1, 0.25, 0.5, 0.75, 0.9": {
            at: np.quantile(wage, at, method="inverted_cdf") for at in (0.1, 0.25, 0.5, 0.75, 0.9)
        },
        "regression lweekinc on educ, exper": dict(
            zip(
                ("(intercept)", "educ", "exper"),
                np.linalg.lstsq(known, log, rcond=None)[0],
                strict=True,
            )
        ),
    }
    counts = census["state"].value_counts()

    compared = 0
    for name, truths in true.items():
        for row in release.intervals(name, alpha=RARE):
            truth = truths.get(row.get("educ", row.get("at", row.get("column"))))
            if truth is not None:
                compared += 1
                assert row["low"] - 1e-9 <= truth <= row["high"] + 1e-9, (name, row, truth)
    assert compared == 8 + 7 + 7 + 7 + 4 + 5 + 3  # nobody has 15 years of school
    for name in ("mean wage by educ", "variance lweekinc by educ"):
        (told,) = release.difference(name, 16, 12, alpha=RARE)
        assert told["low"] <= true[name][16] - true[name][12] <= told["high"]
    left = counts.copy()
    for row in release.intervals("top_k 3 by state", alpha=RARE):
        assert left.max() - left[row["state"]] <= row["high"]
        left = left.drop(row["state"])
