"""Names that people try on `discreet` and that are not there: what there is instead.

Rules of this module:
- the error is an AttributeError too, so that `hasattr`, and `getattr` with a default, work;
- a fix can be typed; where only a person knows a name, it is the one of the examples in the docs.
"""

from collections.abc import Sequence
from difflib import get_close_matches

from .errors import UnknownNameError, shown

_LIKE = 70  # per cent of a name that is alike before its help is named: a session is no regression
_HISTOGRAM = 'ask discreet.histogram("wage", bins=100)'
_DECLARE = 'write discreet.table("visits.csv", unit="row")'
_BY = 'write by= in a question: discreet.count(by="ward")'
_SPEND = (
    'write discreet.pure(1) for epsilon = 1, discreet.zcdp("1/50"), or discreet.approx(1, "1e-6")'
)
_INSTEAD = {  # names: why they are not there, and what to do
    ("quantiles", "percentile", "percentiles", "deciles"): (
        "it is called quantile",
        'ask discreet.quantile("wage", ["0.1", "0.5", "0.9"])',
    ),
    ("min", "max", "minimum", "maximum", "range"): (
        "the largest value is one person's; to hide it takes noise as wide as the bounds",
        'ask discreet.quantile("wage", "0.01"), or discreet.middle("wage", "0.98") for both ends',
    ),
    ("mode",): ("the most frequent value is one of a histogram's bins", _HISTOGRAM),
    ("cdf", "ecdf"): (
        "it is called share_below",
        'ask discreet.share_below("wage", [10, 20, 30])',
    ),
    ("var",): ("it is called variance", 'ask discreet.variance("cost", by="ward")'),
    ("sd", "stdev", "stddev"): ("it is called std", 'ask discreet.std("cost", by="ward")'),
    ("cov",): ("it is called covariance", 'ask discreet.covariance(["cost", "age"])'),
    ("corr", "corrcoef"): ("it is called correlation", 'ask discreet.correlation(["cost", "age"])'),
    ("linear_regression", "ols", "lm", "slope"): (
        "it is called regression",
        'ask discreet.regression("cost", on=["age"], by="ward")',
    ),
    ("fit", "model", "synthesize", "synthetic_data"): (
        "models and synthetic data are not there",
        'ask for the counts or means that a model needs, as in discreet.mean("cost", by="ward")',
    ),
    ("average", "avg"): ("it is called mean", 'ask discreet.mean("cost", by="ward")'),
    ("nunique", "n_unique", "count_distinct", "distinct", "unique"): (
        "distinct units are counted, and nothing else that is distinct",
        'ask discreet.count_units(by="ward")',
    ),
    ("size", "len", "value_counts", "counts"): (
        "it is called count",
        'ask discreet.count(by="ward")',
    ),
    ("hist", "bins"): ("it is called histogram", _HISTOGRAM),
    ("groupby", "group_by", "by"): ("groups are part of a question", _BY),
    ("query", "execute", "read_sql", "ask"): (
        "it is called sql: a SELECT becomes questions, which cost what they cost",
        'ask discreet.sql("SELECT ward, COUNT(*) FROM visits GROUP BY ward", visits)',
    ),
    ("select", "filter", "where"): (
        "questions are about all rows, or about groups of them by public keys",
        _BY,
    ),
    ("joined", "merge"): (
        "rows of two tables are joined by the unit that they belong to, and limited after that",
        'visits.joined(discreet.join("people.csv", gives=["sex"]))',
    ),
    ("read_csv", "read_parquet", "from_pandas", "from_polars", "dataset", "data", "connect"): (
        "data is declared, not read, before it is paid for",
        _DECLARE,
    ),
    ("epsilon", "eps", "rho", "mu", "mu2", "delta", "loss", "budget", "spend", "privacy"): (
        "a loss says what it is measured in",
        _SPEND,
    ),
    ("laplace", "gaussian", "noise", "geometric", "exponential", "mechanism"): (
        "the noise follows from the loss, so that it always keeps it",
        "write spend= in discreet.plan(...); discreet.calculator tells what noise does",
    ),
    ("seed", "set_seed", "random_state"): (
        "whoever knows the seed knows the noise",
        "try things with discreet.rehearse(plan), which reads no data and costs nothing",
    ),
    ("session", "context", "dataframe", "from_dataframe", "reader", "from_connection"): (
        "data is declared, and no session is opened",
        _DECLARE,
    ),
    ("enable_features", "configure", "set_option", "init"): (
        "nothing has to be switched on, or set up",
        _DECLARE,
    ),
    ("read", "open_release", "load_release", "read_release"): (
        "a saved release is loaded",
        'write discreet.load("visits.release")',
    ),
    ("top", "topk", "argmax", "most_common", "best"): (
        "it is called top_k",
        'ask discreet.top_k("ward", k=3)',
    ),
    ("answer", "open", "release", "measure", "evaluate", "compute", "run_plan"): (
        "a release is what a plan becomes when it is run",
        'write discreet.run(plan, ledger="visits.ledger")',
    ),
    ("share", "shares", "proportion"): (
        "it is made of released counts, for nothing",
        'write release.share("count by ward")',
    ),
    ("total", "totals"): (
        "it is made of released numbers, for nothing",
        'write release.total("count by ward")',
    ),
    ("save", "plot", "show"): (
        "a release shows and saves itself",
        'write discreet.load("visits.release").plot()',
    ),
    ("heatmap", "heat_map", "map"): (
        "maps have pages of their own, told of in docs/denoising.md",
        "write from discreet.maps.heatmap import Points, heatmap",
    ),
}
_KNOWN = {name: instead for names, instead in _INSTEAD.items() for name in names}


def absent(name: str, there: Sequence[str]) -> UnknownNameError:
    """Return the error for a name that `discreet` does not have.

    Args:
        name: what was asked for.
        there: the names that there are.

    Example:
        >>> print(absent("hist", ["count", "histogram"]))
        discreet has no hist.
          why: it is called histogram
          fix: ask discreet.histogram("wage", bins=100)
    """
    cutoff = _LIKE / 100  # exact: of a spelling, and of no number
    matches = get_close_matches(name.casefold(), there, n=1, cutoff=cutoff)
    near = "".join(f".{match}" for match in matches)
    why, fix = _KNOWN.get(
        name.casefold(), (f"there are {', '.join(there)}", f"see help(discreet{near})")
    )
    return UnknownNameError(
        f"discreet has no {shown(name)}.", kind="unknown-name", why=why, fix=fix
    )
