"""How long the page to explore a plan takes to follow a slider, in a headless Chromium.

Rules of this module:
- an update is the event of a slider, with what the page draws for it and its layout, by the page's
  own clock; the browser is that of the tests.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import discreet as dp

from .table import Cell, Section, got

TESTS = Path(__file__).parents[1] / "tests"
MOVES = 300
FRAME = 16  # ms: a picture of sixty in a second
_MOVED = """(() => {
  const sliders = [...document.querySelectorAll("input[type=range]")], took = [];
  for (let n = 0; n < MOVES; n += 1) {
    const one = sliders[n % sliders.length], least = Number(one.min), wide = one.max - least;
    one.value = String(Math.floor(least + wide * ((n * 7919) % 101) / 101));
    const start = performance.now();
    one.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[MOVES / 2];
})()"""


def sections() -> list[Section]:
    """Return the table of the page."""
    rows: list[list[Cell | str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for questions in (4, 10):
            took: Cell | str = "no Chromium"
            if (browser := _browser()).BROWSER is not None:
                took = got(_update(browser, Path(folder), questions), "ms", most=FRAME)
            rows.append([f"one slider moved, {questions} questions", took])
    about = "From the event to the layout, by the page's clock: the median of 300 moves."
    return [Section("The page to explore a plan", about, ("what", "time"), rows)]


def _browser() -> Any:
    sys.path.insert(0, str(TESTS))  # the browser of the tests
    import chromium

    return chromium


def _update(browser: Any, folder: Path, questions: int) -> float:
    names = [f"x{number}" for number in range(questions - 1)]
    people = dp.table(
        "no-such-file.csv",
        unit="row",
        columns={name: dp.bounds(0, 100, step=1) for name in names},
        keys={"ward": range(100)},
    )
    means = [dp.mean(name, by="ward", within="2", rows=200) for name in names]
    place = folder / f"{questions}.html"
    dp.plan(people, dp.count(by="ward", within=20), *means).explore(place)
    with browser.Page(place, folder) as page:
        return float(page.js(_MOVED.replace("MOVES", str(MOVES))))
