"""Names and operators that people try on a table, a plan or a result: what to write instead.

Who comes from pandas, SQL or another library for privacy guesses a name. The answer names what
there is for people, and the line that does what was meant.

Rules of this module:
- the error is an AttributeError, or a TypeError, too, so that `hasattr`, and `getattr` with a
  default, work; names that begin with `_` are answered as Python answers them;
- nothing is made that a program could take for a promise: no `__len__`, `__iter__` or `__eq__`;
- a line can be typed as it stands, with the names `table`, `question`, `plan`, `release`, `result`
  and `ledger`; names of columns and statistics are the object's own where it has them.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from .errors import CallError, UnknownNameError, shown
from .fix import python_of, quoted

_LIKE = 84  # per cent of a name that is alike before another one is taken for it

_RUN = 'write discreet.run(plan, ledger="visits.ledger")'
_PLAN = 'write discreet.plan(table, question, spend=discreet.zcdp("1/50"))'
_FIRST = "write result.values[0] for the first number, or result.values for all"
_INTERVALS = "write result.low and result.high, which are the ends of the intervals"
_ERRORS = "write print(plan): it shows sigma and the half-width of each question"
_SAVED = 'write release.save("visits.release"), which has table.csv, release.json and report.html'
_NUMBERS = "write release[{name}].values, or release.table() for all numbers"
_COUNTED = 'write discreet.plan(table, discreet.count(), spend=discreet.zcdp("1/50"))'
_DECLARED = "write print(table), which shows what is declared: no row is shown"
_JOINED = 'write visits.joined(discreet.join("people.csv", gives=["sex"]))'
_PANDAS = ("to_df", "to_frame", "dataframe", "df", "pandas", "head", "T")
_PRIVACY = ("epsilon", "eps", "rho", "mu2", "delta", "loss", "budget", "privacy_loss")
_NOISE = ("sigma", "sigma2", "scale", "noise", "std", "stderr", "se", "error", "errors", "accuracy")
_SHOW = ("show", "print", "display", "summary", "describe", "info")
_VALUES = ("value", "val", "values", "result", "results", "answer", "answers", "numbers", "data")

_INSTEAD: Final[dict[str, dict[tuple[str, ...], str]]] = {  # by object and name: what to write
    "table": {
        ("join", "merge", "lookup"): _JOINED,
        ("filter", "query", "loc", "filter_by"): 'write table.where("age >= 18")',
        ("assign", "with_columns", "with_column", "withColumn", "mutate", "apply", "map", "eval"): (
            'write table.derive(decade=discreet.derived("age / 10", keys=range(2, 10)))'
        ),
        ("count", "size", "len", "value_counts", "nunique", "n_unique"): _COUNTED,
        ("sum", "mean", "avg", "median", "std", "var", "quantile", "agg", "aggregate", "hist"): (
            'write discreet.mean("wage", by="sex") as a question of discreet.plan'
        ),
        ("groupby", "group_by", "groups_by", "pivot", "pivot_table", "crosstab"): (
            'write by in a question, as in discreet.count(by="sex")'
        ),
        ("plan", "ask", "select", "run", "release", "execute", "compute", "collect"): _COUNTED,
        ("sql",): 'write discreet.sql("SELECT sex, COUNT(*) FROM people GROUP BY sex", table)',
        ("bounds", "schema", "dtypes"): "write table.columns, which has the bounds by column",
        ("head", "tail", "shape", "iloc", "sample", "index", "rows", *_SHOW): _DECLARED,
        _PRIVACY: _COUNTED,
    },
    "question": {
        ("where", "filter", "query", "condition", "over"): (
            'write where in the question, as in discreet.count(where="age >= 18")'
        ),
        ("by", "group_by", "groupby", "grouped_by", "partition_by", "per"): (
            'write by in the question, as in discreet.count(by="sex")'
        ),
        ("within", "accuracy", "error", "tolerance", "with_accuracy"): (
            "write within in the question, as in discreet.count(within=20)"
        ),
        (*_PRIVACY, "spend", "cost", "price", "plan"): _PLAN,
        ("run", "execute", "release", "compute", "collect", "get", "value", "values", "result"): (
            f'{_PLAN} and discreet.run(plan, ledger="visits.ledger")'
        ),
        ("alias", "name", "named", "as_", "rename", "title"): (
            "write question.label, which is the name it has in a release"
        ),
        ("laplace", "gaussian", "mechanism", "noise", "sigma", "scale", "seed"): (
            f"{_PLAN}: the noise follows from it"
        ),
        _SHOW: "write print(question)",
    },
    "plan": {
        ("run", "execute", "release", "compute", "collect", "answer", *_VALUES): _RUN,
        (*_NOISE, "sigmas", "accuracies", "half_width", "intervals", "noise_scale"): _ERRORS,
        (*_PRIVACY, "total_cost", "total"): "write plan.cost, which is what it costs in all",
        ("within", "questions", "statistics", "queries", "columns", "rows", "items", *_SHOW): (
            "write print(plan), which has a line for each question"
        ),
        ("save", "to_toml", "to_json", "to_csv", "to_html", "write", "export", "to_file"): (
            'write plan.explore("plan.html"), a page with a slider for each error'
        ),
        ("rehearse", "simulate", "dry_run", "test", "sample"): "write discreet.rehearse(plan)",
        ("plot", "draw"): "write discreet.rehearse(plan).plot()",
    },
    "release": {
        (*_VALUES, "get", "items", "statistics", "questions", "rows", "loc", "iloc"): _NUMBERS,
        ("to_pandas", *_PANDAS): "write release.table().to_pandas()",
        ("to_polars", "polars", "pl"): "write release.table().to_polars()",
        ("to_dict", "to_dicts", "to_list", "tolist"): "write list(release.table())",
        (
            *(
                "to_csv",
                "to_json",
                "to_html",
                "to_parquet",
                "to_file",
                "json",
                "html",
                "csv",
                "write",
            ),
            *("report", "dump", "save_to"),
        ): _SAVED,
        ("to_excel", "excel", "to_sdmx"): 'write release.export("tables.xlsx", form="excel")',
        (*_PRIVACY, "cost", "price", "spend", "spent"): "write release.document.protection.loss",
        (*_NOISE, "interval", "confidence_interval", "confidence_intervals", "ci", "conf_int"): (
            "write release.intervals({name}), or release[{name}].low and release[{name}].high"
        ),
        ("low", "high", "lower", "upper"): "write release[{name}].low and release[{name}].high",
        ("diff", "subtract", "compare", "minus"): "write release.difference({name}{keys})",
        ("pct", "percent", "percentage", "proportion", "proportions", "fraction"): (
            "write release.share({name})"
        ),
        ("totals", "add", "cumsum"): "write release.total({name})",
        ("columns", "shape", "index", "schema"): "write release.table().columns",
        ("verify", "check", "validate"): (
            'write discreet.verify("visits.release", ledger="visits.ledger")'
        ),
        ("denoise", "clean", "smooth"): "write discreet.denoise(release)",
        ("load", "open", "read"): 'write discreet.load("visits.release")',
        ("draw", "hist", "bar", "figure", "chart"): "write release.plot()",
        _SHOW: "write print(release)",
    },
    "result": {
        ("value", "val", "item", "get", "first", "iloc", "loc", "result", "number"): _FIRST,
        ("answer", "answers", "results", "numbers", "data", "array", "to_numpy", "numpy"): (
            "write result.values"
        ),
        ("items", "cells", "to_dict", "to_dicts", "to_list", "tolist", "dict"): "write result.rows",
        _PANDAS: "write result.to_pandas()",
        ("polars", "pl", "to_pl"): "write result.to_polars()",
        ("columns", "keys", "index", "shape", "groups", "by"): "write result.table().columns",
        (*_NOISE, "interval", "intervals", "confidence_interval", "ci", "conf_int", "margin"): (
            _INTERVALS
        ),
        ("lower", "upper", "lo", "hi", "half_width", "lower_bound", "upper_bound"): _INTERVALS,
        ("sum", "totals"): "write release.total({name})",
        ("share", "shares", "pct", "percent", "proportion"): "write release.share({name})",
        ("difference", "diff", "ratio"): "write release.difference({name}{keys})",
        ("label", "title", "statistic"): "write result.name",
        ("save", "to_csv", "to_json", "to_html", "to_parquet", "export", "write"): _SAVED,
        (*_PRIVACY, "cost", "price", "spend"): "write result.document.protection.loss",
        _SHOW: "write print(result)",
    },
    "ledger": {
        ("remaining", "balance", "available", "rest", "budget", *_PRIVACY): "write ledger.left()",
        ("spend", "cost", "used", "charged"): "write ledger.spent()",
        ("charge", "pay", "run", "release"): _RUN,
        ("entries", "charges", "history", "log", "rows", *_SHOW): "write print(ledger)",
        ("check", "validate"): "write ledger.verify()",
    },
}
_FOR_PEOPLE: Final[dict[str, tuple[str, ...]]] = {  # where others are of the house, and would hide
    "table": ("columns", "derive", "joined", "keys", "name", "neighbors", "unit", "where"),
    "plan": ("alpha", "cost", "explore", "price", "spend", "table", "widened", "with_spend"),
    "question": ("label",),
}


def instead_of(of: str, name: str) -> str:
    """Return what to write in place of a name, or nothing.

    Example:
        >>> instead_of("result", "value")
        'write result.values[0] for the first number, or result.values for all'
    """
    lines = _INSTEAD.get(of, {}).items()
    return next((line for names, line in lines if name in names or name.lower() in names), "")


PublicClass = TypeVar("PublicClass", bound=type)  # so that type checkers see the class itself


def answers_for(of: str) -> Callable[[PublicClass], PublicClass]:
    """Return a decorator of a public class: what it does not have is answered in three lines.

    Args:
        of: what a person calls an object of the class, such as "release".
    """

    def decorated(cls: PublicClass) -> PublicClass:
        cls.__getattr__ = _absent_of(of)  # type: ignore[attr-defined]
        for name, sign in _OPERATORS.items():
            fits = of in _ARITHMETIC or (of in _ANSWERS and name in ("__getitem__", "__call__"))
            if fits and name not in vars(cls):
                setattr(cls, name, _refusing(of, sign))
        return cls

    return decorated


def _absent_of(of: str) -> Callable[[Any, str], Any]:
    """Return what answers for names that an object does not have: three lines, for a person."""

    def absent(self: Any, name: str) -> Any:
        if name.startswith("_"):  # programs look for such names, and expect a plain answer
            raise AttributeError(name)
        public = _FOR_PEOPLE.get(of) or [n for n in dir(type(self)) if not n.startswith("_")]
        raise UnknownNameError(
            f"a {of} has no {shown(name)}.",
            kind="unknown-name",
            why=f"it has {', '.join(public)}",
            fix=_instead(of, self, name) or _near(name, public),
        )

    return absent


def _near(name: str, public: Sequence[str]) -> str:
    """Return the name of which another one is a slip, as a line; or where to look."""
    cutoff = _LIKE / 100  # exact: of a spelling, and of no number
    near = get_close_matches(name.casefold(), public, n=1, cutoff=cutoff)
    return f"write {near[0]} in its place" if near else "write one of these names in its place"


def _instead(of: str, thing: Any, name: str) -> str:
    """Return what there is instead, with the names of the object itself."""
    if of == "table" and name in {*thing.columns, *thing.keys}:
        return _asking(thing, name)
    if of == "release" and (meant := _statistic(thing, name)):
        return f"write release[{quoted(meant)}]"
    return _filled(instead_of(of, name), of, thing)


def _filled(line: str, of: str, thing: Any) -> str:
    if "{name}" not in line:
        return line
    if of == "result" and hasattr(thing, "recipe"):  # made of a release: it is no statistic there
        return "write result.values"
    result = thing if of == "result" else thing[next(iter(thing))]
    return line.replace("{name}", quoted(result.name)).replace("{keys}", _two_keys(result))


def _two_keys(result: Any) -> str:
    """Return the first and the last group of a statistic, as a call takes them; "" for one."""
    groups = _groups_of(result)
    keys = [*dict.fromkeys(row[groups[0]] for row in result)] if len(groups) == 1 else []
    return "".join(f", {python_of(key)}" for key in (keys[0], keys[-1])) if keys[1:] else ""


def _groups_of(result: Any) -> list[str]:
    """Return the columns that say which number it is."""
    return [n for n in result.table().columns if n not in ("rows", "value", "low", "high")]


def _statistic(release: Any, name: str) -> str:
    """Return the statistic of a release that a word begins, where it is the only one."""
    labels = [label for label in release if label.split(" ")[0] == name]
    return labels[0] if len(labels) == 1 else ""


def _asking(table: Any, column: str) -> str:
    """Return a question about a declared column."""
    call = "count(by=" if column in table.keys else "mean("
    return f"write discreet.{call}{quoted(column)}) as a question of discreet.plan"


_ARITHMETIC = ("result", "question")
_OPERATORS: Final[Mapping[str, str]] = {
    "__getitem__": "[]",
    "__call__": "()",
    **dict.fromkeys(("__add__", "__radd__"), "+"),
    **dict.fromkeys(("__sub__", "__rsub__"), "-"),
    **dict.fromkeys(("__mul__", "__rmul__"), "*"),
    **dict.fromkeys(("__truediv__", "__rtruediv__"), "/"),
    "__lt__": "<",
    "__le__": "<=",
    "__gt__": ">",
    "__ge__": ">=",
    "__float__": "float()",
    "__int__": "int()",
    "__round__": "round()",
}
_WHY: Final[dict[str, str]] = {
    "result": "it is a list of released numbers, each with an interval of its own",
    "question": "it says what to count, and has no number before a plan with it was run",
    "plan": "it says what will be counted, and has no number before it was run",
    "table": "it says where data is and what is public of it, and holds no row",
}


def _refusing(of: str, sign: str) -> Callable[..., Any]:
    def refuse(self: Any, *others: Any) -> Any:
        other = others[0] if others else None
        raise CallError(
            f"a {of} takes no {sign}.",
            kind="wrong-call",
            why=_WHY[of],
            fix=_ANSWERS[of](self, sign, other),
        )

    return refuse


def _of_result(result: Any, sign: str, other: Any) -> str:
    if sign == "[]":
        return _of_bracket(result, other)
    if hasattr(result, "recipe"):
        return "write result.values"
    label = quoted(result.name)
    second = quoted(other.name) if type(other) is type(result) else ""
    if second and second != label and sign == "-":
        return f"write release.difference({label}, other={second})"
    if second and second != label and sign == "/":
        return f"write release.ratio({label}, {second})"
    if sign in ("float()", "int()", "round()"):
        return _FIRST
    return f"write result.values, or release.intervals({label}) for numbers with intervals"


def _of_bracket(result: Any, key: Any) -> str:
    """Return the number, column or row that brackets were to pick."""
    if isinstance(key, int) and not isinstance(key, bool):
        return f"write result.rows[{key}]" if -len(result) <= key < len(result) else _FIRST
    columns = result.table().columns
    if isinstance(key, str) and key in columns:
        return f"write result.table().column({quoted(key)})"
    groups = _groups_of(result)
    if isinstance(key, str) and len(groups) == 1:
        return f"write [row for row in result if row[{quoted(groups[0])}] == {quoted(key)}]"
    return "write result.rows, which has a dict for each number"


def _of_question(_: Any, sign: str, other: Any) -> str:
    if sign == "[]":
        by = quoted(other) if isinstance(other, str) else '"sex"'
        return f"write by in the question, as in discreet.count(by={by})"
    if sign in ("()", "float()", "int()", "round()"):
        return f'{_PLAN} and discreet.run(plan, ledger="visits.ledger")'
    return "write discreet.plan(table, first, second, spend=discreet.zcdp(1)) with both questions"


def _of_plan(_: Any, sign: str, other: Any) -> str:
    del sign, other
    return f"{_RUN} for its numbers, or print(plan) for its questions"


def _of_table(table: Any, sign: str, other: Any) -> str:
    if sign == "[]" and isinstance(other, str) and other in {*table.columns, *table.keys}:
        return _asking(table, other)
    if sign == "()":
        return _COUNTED
    is_place = isinstance(other, (int, slice))
    return _DECLARED if is_place else 'write table.where("age >= 18") for some of its rows'


_ANSWERS: Final[dict[str, Callable[[Any, str, Any], str]]] = {
    "result": _of_result,
    "question": _of_question,
    "plan": _of_plan,
    "table": _of_table,
}
