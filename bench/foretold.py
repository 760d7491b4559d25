"""`python -m bench.foretold`: keys that a forecast expects, and keys that are shown.

The keys are the words of the files of Python's own library, as in docs/unknown-keys.md. What is
shown is the mean of 40 findings with fresh noise on the true pairs of a file and a word; what is
expected, that of 4 forecasts.
"""

import re
import sysconfig
from pathlib import Path

import numpy as np

import discreet as dp
from discreet.entropy import Coins
from discreet.releases.forecast import _shown

EACH = {30: 240, 100: 240, 280: 240, 750: 80}
SIZES = (100, 200, 300, 400, 500, 600)
TIMES = 40
FORECASTS = 4


def main() -> None:
    """Print a row for each setting."""
    folder = Path(sysconfig.get_path("stdlib"))
    texts = [
        file.read_text("utf-8", "replace")
        for file in folder.rglob("*.py")
        if not {"site-packages", "test", "tests"} & {*file.parts}
    ]
    words = [{*re.findall(r"\b[a-z]{3,}\b", text)} for text in texts]
    units = np.repeat(np.arange(len(words)), [len(some) for some in words])
    _, keys = np.unique([word for some in words for word in some], return_inverse=True)
    counts = np.bincount(keys)
    sizes = {size: int((counts >= size).sum()) for size in SIZES}
    print(f"{len(words)} files, {len(counts):,} words, sizes {sizes}")
    print("max_groups epsilon shown by-each by-sizes alike")
    for most in (20, 50, 200):
        for epsilon in (1, 2):
            plan = _plan(most, epsilon)
            coins = Coins()
            shown = [_shown(plan.findings[0], (units, keys), coins) for _ in range(TIMES)]
            guesses = (
                {"keys": 20_000, "each": EACH},
                {"sizes": sizes, "each": EACH},
                {"keys": 20_000, "each": 200},
            )
            foretold = [
                np.mean(
                    [dp.forecast(plan, units=800, **guess)[0].expected for _ in range(FORECASTS)]
                )
                for guess in guesses
            ]
            print(
                most, epsilon, *(round(float(number), 1) for number in (np.mean(shown), *foretold))
            )


def _plan(most: int, epsilon: int) -> dp.Plan:
    table = dp.table(
        "words.csv",
        unit=dp.unit("file"),
        columns={"times": dp.bounds(1, 50, step=1)},
        keys={"word": dp.unknown(max_groups=most, other="(all others)")},
    )
    return dp.plan(
        table,
        dp.count_units(by="word"),
        dp.mean("times", by="word", max_rows_per_group=1),
        spend=dp.approx(epsilon, "1e-6"),
    )


if __name__ == "__main__":
    main()
