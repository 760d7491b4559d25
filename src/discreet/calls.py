"""A call of a public function that does not fit its signature: three lines in place of a TypeError.

Rules of this module:
- only a call that Python itself could not make is refused here; what a function raises passes;
- a value that was given stands in the fix as it was given where it can be typed, and a table or a
  plan by the name that the docs use;
- what only a person knows is a question mark; a missing name is the one of the examples in the docs.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from inspect import Parameter, Signature, isfunction, signature
from typing import Any, Final

from .errors import CallError, shown
from .fix import BLANK, Do, Fix, Rename, Variable, call, leave_out, nearest_name, write

_LOSSES = ("epsilon", "eps", "rho", "mu2", "delta")
_EXAMPLES: Final[dict[str, object]] = {  # by setting: what stands in a fix where it is missing
    **dict.fromkeys(("unit", "spend", "epsilon", "delta", "rho", "mu2", "lower", "upper"), BLANK),
    **dict.fromkeys(("max_groups", "max_rows", "units", "pure", "chance", "alpha"), BLANK),
    "source": "visits.csv",
    "path": "visits.release",
    "ledger": "visits.ledger",
    "release": "visits.release",
    "column": "wage",
    "by": "ward",
    "at": "0.5",
    "share": "0.9",
    "k": 3,
    "gives": ["sex"],
    "on": "visit",
    "columns": ["state", "county"],
    "expression_": "age / 10",
    "text": "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "table": Variable("visits"),
    "plan": Variable("plan"),
    "about": Variable("about"),
    "law": "geometric",
}
_OURS: Final[dict[str, str]] = {  # names that other tools use: what discreet calls them
    **dict.fromkeys(("group_by", "groupby", "groups", "partition_by", "partitions"), "by"),
    **dict.fromkeys(("filter", "condition", "query", "predicate"), "where"),
    **dict.fromkeys(("col", "columns", "field", "variable"), "column"),
    **dict.fromkeys(("budget", "loss", "privacy_budget"), "spend"),
    **dict.fromkeys(("spend", "privacy_budget"), "budget"),
    **dict.fromkeys(("data", "df", "path", "file"), "source"),
    **dict.fromkeys(("privacy_unit", "privacy_id", "unit_column", "id", "entity"), "unit"),
    **dict.fromkeys(("max_contributions", "max_partitions", "l0"), "max_groups"),
    **dict.fromkeys(("max_contributions_per_partition", "linf"), "max_rows_per_group"),
    **dict.fromkeys(("q", "quantile", "percentile", "p"), "at"),
    **dict.fromkeys(("steps", "granularity"), "step"),
    **dict.fromkeys(("relation", "adjacency"), "neighbors"),
    **dict.fromkeys(("n",), "rows"),
}
_NO_NAME: Final[dict[str, str]] = {  # settings that no function has, and why
    **dict.fromkeys(
        ("mechanism", "noise", "law", "sigma", "scale", "noise_multiplier"),
        "the noise follows from the loss, so that it always keeps it",
    ),
    **dict.fromkeys(
        ("seed", "random_state", "rng"),
        "whoever knows the seed knows the noise; discreet.rehearse(plan) costs nothing",
    ),
    "confidence": "alpha is the chance that an interval misses, 1 less the confidence",
    "confidence_level": "alpha is the chance that an interval misses, 1 less the confidence",
}


def checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a public function whose wrong calls are refused in three lines.

    Args:
        function: what is called.
        name: how a person writes it, such as "discreet.plan".
    """

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # it was called, and something in it went wrong
            raise _refused(function, name, args, options) from None

    called.__module__, _, called.__qualname__ = name.rpartition(".")  # where pickle looks for it
    return called


def on_methods(of: str) -> Callable[[type], Any]:
    """Return a decorator of a public class whose methods refuse wrong calls in three lines.

    Args:
        of: what a person calls an object of the class, such as "release".
    """

    def decorated(cls: type) -> type:
        for name, member in [*vars(cls).items()]:
            if isfunction(member) and not name.startswith("_"):
                setattr(cls, name, checked(member, f"{of}.{name}"))
        return cls

    return decorated


def _refused(
    function: Callable[..., Any], name: str, args: Sequence[Any], options: Mapping[str, Any]
) -> CallError:
    taken = signature(function)
    if "." in name and next(iter(taken.parameters), "") == "self":
        args = args[1:]
        taken = taken.replace(parameters=[*taken.parameters.values()][1:])
    known = _settings(taken)
    short = name.rsplit(".", 1)[-1]
    for option in options:
        if option not in known:
            return CallError(
                f"{short} has no setting {shown(option)}.",
                why=_NO_NAME.get(option, f"its settings are {', '.join(known)}"),
                fix=_unknown(name, option, args, options, known),
            )
    given = [_as_typed(value) for value in args]
    places = [one for one in known if taken.parameters[one].kind is not Parameter.KEYWORD_ONLY]
    typed = {option: _as_typed(value) for option, value in options.items()}
    if len(given) > len(places):
        return CallError(
            f"{short} takes {_count(len(places))} without a name, and {len(given)} were given.",
            why=f"its settings are {', '.join(known)}",
            fix=Do(_named(name, given, typed, places, known)),
        )
    twice = [one for one in places[: len(given)] if one in options]
    if twice:
        return CallError(
            f"{short} was given {twice[0]} twice.",
            why="the first value stands without a name, the other one with it",
            fix=leave_out(twice[0]),
        )
    lacking = [
        one
        for one in known
        if taken.parameters[one].default is Parameter.empty
        and one not in options
        and one not in places[: len(given)]
    ]
    filled = _filled(given, typed, lacking, places)
    return CallError(
        f"{short} needs its {' and its '.join(lacking)}.",
        why=f"its settings are {', '.join(known)}",
        fix=Do(call(name, *filled[0], **filled[1])),
    )


def _settings(taken: Signature) -> list[str]:
    """Return the names that a signature takes one by one."""
    many = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return [name for name, one in taken.parameters.items() if one.kind not in many]


def _count(number: int) -> str:
    return {0: "no value", 1: "one value"}.get(number, f"{number} values")


def _filled(
    given: Sequence[object],
    typed: Mapping[str, object],
    lacking: Sequence[str],
    places: Sequence[str],
) -> tuple[list[object], dict[str, object]]:
    """Return the values of a call, with an example for each that is missing."""
    values = [*given]
    for one in places[len(given) :]:
        if one not in lacking:
            break
        values.append(_EXAMPLES.get(one, BLANK))
    named = {one: _EXAMPLES.get(one, BLANK) for one in lacking if one not in places[: len(values)]}
    return values, {**typed, **named}


def _named(
    name: str,
    given: Sequence[object],
    typed: Mapping[str, object],
    places: Sequence[str],
    known: Sequence[str],
) -> Any:
    """Return a call of which too many values have no name: as a list, or by their names."""
    texts = [value for value in given if isinstance(value, str)]
    if places[:1] in (["by"], ["column"]) and len(texts) == len(given):
        return call(name, [*texts], **typed)
    free = [one for one in known if one not in places and one not in typed]
    return call(
        name,
        *given[: len(places)],
        **dict(zip(free, given[len(places) :], strict=False)),
        **typed,
    )


def _unknown(
    name: str,
    option: str,
    args: Sequence[Any],
    options: Mapping[str, Any],
    known: Sequence[str],
) -> Fix:
    """Return what to type in place of a setting that a function does not have."""
    free = [one for one in known if one not in options]
    holder = next((one for one in ("spend", "budget") if one in free), "")
    if option in _LOSSES:
        loss = _loss(options)
        if holder:
            return Do(
                call(
                    name,
                    *map(_as_typed, args),
                    **{one: _as_typed(options[one]) for one in options if one not in _LOSSES},
                    **{holder: loss},
                )
            )
        return leave_out(option, note=f"; a plan is given its loss: spend={_text(loss)}")
    if option in ("confidence", "confidence_level") and "alpha" in free:
        return _alpha(options[option])
    if option in ("distinct", "unique") and name == "discreet.count":
        rest = {one: _as_typed(options[one]) for one in options if one in ("by", "where")}
        by = [_as_typed(value) for value in args]
        return Do(call("discreet.count_units", *by, **rest), ", which counts distinct units")
    if option in ("bounds", "clip", "range", "lower", "upper") and "column" in known:
        return leave_out(option, note=f"; {_declared(args, options)}")
    ours = next((one for one in (_OURS.get(option), nearest_name(option, free)) if one in free), "")
    return Rename(option, ours) if ours else leave_out(option)


def _declared(args: Sequence[Any], options: Mapping[str, Any]) -> str:
    """Return where the bounds of a column are declared, with the ends that were given."""
    from .fix import in_python

    column = args[0] if args and isinstance(args[0], str) else options.get("column", "wage")
    ends = next((options[one] for one in ("bounds", "clip", "range") if one in options), None)
    if not (isinstance(ends, (tuple, list)) and len(ends) == 2):  # noqa: PLR2004 - two ends
        ends = (options.get("lower", BLANK), options.get("upper", BLANK))
    declared = call("discreet.bounds", *map(_as_typed, ends))
    return in_python((write(of="table", columns={column: declared}),))


def _loss(options: Mapping[str, Any]) -> Any:
    """Return the loss that was meant by numbers, as it is made."""
    numbers = {one: _as_typed(options[one]) for one in _LOSSES if one in options}
    delta = {"delta": numbers["delta"]} if "delta" in numbers else {}
    if "rho" in numbers:
        return call("discreet.zcdp", numbers["rho"], **delta)
    if "mu2" in numbers:
        return call("discreet.gdp", mu2=numbers["mu2"], **delta)
    epsilon = numbers.get("epsilon", numbers.get("eps", BLANK))
    if delta:
        return call("discreet.approx", epsilon, delta["delta"])
    return call("discreet.pure", epsilon)


def _alpha(confidence: object) -> Fix:
    try:
        level = Fraction(str(confidence))
    except ValueError:
        return write(alpha=BLANK)
    level = level / 100 if level > 1 else level
    return write(alpha=str(Decimal((1 - level).numerator) / Decimal((1 - level).denominator)))


def _text(loss: Any) -> str:
    from .fix import python_of

    return python_of(loss)


def _as_typed(value: object) -> object:
    """Return a value as a fix can show it: itself, or the name that the docs give its kind."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (Decimal, Fraction)):
        return str(value)
    if isinstance(value, (list, tuple)) and len(value) <= 8 and all(_plain(one) for one in value):  # noqa: PLR2004 - few enough to be typed
        return list(value)
    if repr(value).startswith("discreet."):  # it is written as it was made
        return Variable(repr(value))
    kind = type(value).__name__.lower()
    return Variable({"table": "visits"}.get(kind, kind))


def _plain(value: object) -> bool:
    return isinstance(value, (bool, int, float, str))
