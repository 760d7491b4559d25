"""A call of a public function that does not fit its signature: three lines in place of a TypeError.

Rules of this module:
- only a call that Python itself could not make is refused here; what a function raises passes;
- a value that was given stands in the fix as it was given where it can be typed, and a table or a
  plan by the name that the docs use;
- what only a person knows is a question mark; a missing name is one of the examples in the docs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial, wraps
from inspect import Parameter, Signature, isfunction, signature
from typing import Any, Final

from .errors import CallError, shown
from .fix import (
    BLANK,
    Call,
    Do,
    Fix,
    Rename,
    Set,
    Variable,
    call,
    leave_out,
    our_name,
    python_of,
    write,
)
from .members import PublicClass, answers_for

_FEW = 8  # values of a list that is typed again
_LONGEST = 120  # letters of what was made, and is typed again
_LOSSES = ("epsilon", "eps", "rho", "mu2", "delta")
_OF_QUESTION = (  # settings of a question that are typed in a plan
    *("by", "where", "rows", "bins", "between", "ball", "weight"),
    *("max_groups", "max_rows_per_group"),
)
_PAIRS = ("bounds", "clip", "range", "clamp", "clipping_bounds", "limits")
_LOWER = ("lower", "low", "min", "minimum", "lower_bound")
_UPPER = ("upper", "high", "max", "maximum", "upper_bound")
_BOUNDS = (*_PAIRS, *_LOWER, *_UPPER)
_OF_PLAN = ("spend", "within", "alpha", "together", "publish")  # for all its questions
_WIDTH = ("width", "bin_width", "binwidth", "bin_size", "binsize")
_EXAMPLES: Final[dict[str, object]] = {  # by setting: what stands in a fix where it is missing
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
    "table": Variable("table"),
    "plan": Variable("plan"),
    "law": "geometric",
    "name": "count",
    "condition": "age >= 18",
}
_CONFIDENCE = ("confidence", "confidence_level", "level", "conf_level")
_MANY = {"statistics": "questions"}  # what the docs call them
_WITHOUT: Final[dict[str, str]] = {  # settings that no function has, and why
    **dict.fromkeys(
        ("mechanism", "noise", "law", "sigma", "scale", "noise_multiplier"),
        "the noise follows from the loss, so that it always keeps it",
    ),
    **dict.fromkeys(
        ("seed", "random_state", "rng"),
        "whoever knows the seed knows the noise; discreet.rehearse(plan) costs nothing",
    ),
    **dict.fromkeys(
        _CONFIDENCE,
        "alpha is the chance that an interval misses, 1 less the confidence",
    ),
}


class _Signature(Signature):
    """A signature that prints types by their short names."""

    __slots__ = ()

    def __str__(self) -> str:
        from .help_text import help_text

        return help_text(self)

    def format(self, **_: object) -> str:
        """Return the same: what help() asks from Python 3.13 on."""
        return str(self)


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
        except TypeError:
            if _fits(function, args, options):
                raise  # it was called, and something in it went wrong
            raise _wrong(function, name, args, options).error() from None

    called.__module__, _, called.__qualname__ = name.rpartition(".")  # where pickle looks for it
    plain = signature(function)
    called.__signature__ = _Signature(  # type: ignore[attr-defined]
        [*plain.parameters.values()], return_annotation=plain.return_annotation
    )
    return called


def checked_methods(of: str) -> Callable[[PublicClass], PublicClass]:
    """Return a decorator of a public class whose methods refuse wrong calls in three lines.

    Args:
        of: what a person calls an object of the class, such as "release".
    """

    def decorated(cls: PublicClass) -> PublicClass:
        for name, member in [*vars(cls).items()]:
            if isfunction(member) and not name.startswith("_"):
                setattr(cls, name, checked_method(member, f"{of}.{name}"))
        return answers_for(of)(cls)

    return decorated


def checked_method(
    function: Callable[..., Any], name: str, of: Callable[[Any], Any] | None = None
) -> Callable[..., Any]:
    """Return a function as a method whose wrong calls are refused in three lines.

    Args:
        function: what is called, with an object first.
        name: how a person writes it, such as "release.total".
        of: which part of the object the function is called with; without, the object itself.
    """

    @wraps(function)
    def called(self: Any, *args: Any, **options: Any) -> Any:
        first = self if of is None else of(self)
        try:
            return function(first, *args, **options)
        except TypeError:
            if _fits(function, (first, *args), options):
                raise
            raise _wrong(partial(function, first), name, args, options).error() from None

    called.__signature__ = _Signature.from_callable(function)  # type: ignore[attr-defined]
    return called


def _fits(function: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
    """Tell whether a function can be called so."""
    try:
        signature(function).bind(*args, **options)
    except TypeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A call that does not fit.

    Attributes:
        name: how a person writes the function.
        settings: what it takes, by name.
        many: the setting that takes any number of values without a name; "" where none does.
        args, options: the values that were given without a name, and with one.
    """

    name: str
    settings: Mapping[str, Parameter]
    many: str
    args: tuple[Any, ...]
    options: Mapping[str, Any]

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def places(self) -> list[str]:
        """The settings that need no name."""
        named = Parameter.KEYWORD_ONLY
        return [name for name, parameter in self.settings.items() if parameter.kind is not named]

    @property
    def free(self) -> list[str]:
        """The settings that nothing was given for."""
        taken = {*self.places[: len(self.args)], *self.options}
        return [name for name in self.settings if name not in taken]

    @property
    def given(self) -> list[object]:
        """The values without a name, as a fix shows them."""
        most = len(self.places) if self.many else len(self.args)
        more = [Variable(f"*{_MANY.get(self.many, self.many)}")] if self.args[most:] else []
        return [*map(_typed, self.args[:most]), *more]

    def error(self) -> CallError:
        """Return what is wrong, why, and the call that fits."""
        why = f"its settings are {', '.join(self.settings)}"
        unknown = next((name for name in self.options if name not in self.settings), None)
        twice = next(
            (setting for setting in self.places[: len(self.args)] if setting in self.options), None
        )
        if unknown is not None:
            what = f"{self.short} has no setting {shown(unknown)}."
            if self.name.startswith("noise."):  # noise at hand, which no plan has made
                return CallError(what, kind="wrong-call", why=why, fix=self._at(unknown))
            return CallError(
                what, kind="wrong-call", why=_WITHOUT.get(unknown, why), fix=self._without(unknown)
            )
        if len(self.args) > len(self.places) and not self.many:
            return CallError(self._too_many(), kind="wrong-call", why=why, fix=self._named())
        if twice is not None:
            what = f"{self.short} was given {twice} twice."
            why = "the first value stands without a name, the other one with it"
            return CallError(what, kind="wrong-call", why=why, fix=leave_out(twice))
        lacking = [
            setting for setting in self.free if self.settings[setting].default is Parameter.empty
        ]
        what = f"{self.short} needs its {' and its '.join(lacking)}."
        return CallError(what, kind="wrong-call", why=why, fix=self._filled(lacking))

    @property
    def _known(self) -> dict[str, object]:
        """What was given for settings that are there, as a fix shows it."""
        return {
            setting: _typed(self.options[setting])
            for setting in self.options
            if setting in self.settings
        }

    def _call(self, *args: object, **options: object) -> Call:
        """Return the call with what was given by name, and more."""
        return call(self.name, *args, **self._known, **options)

    def _filled(self, lacking: list[str]) -> Fix:
        """Return the call with an example for each setting that is missing."""
        if self.name == "discreet.table" and "unit" in lacking:
            source = _typed(self.args[0]) if self.args else _EXAMPLES["source"]
            several = call("discreet.unit", BLANK, max_rows=BLANK)
            return (
                Do(self._call(source, unit="row"), "where nobody has two rows"),
                Do(self._call(source, unit=several)),
            )
        if (meant := self._in_one()) is not None:
            return Do(meant)
        places = self.places[len(self.args) :]
        number = next(
            (n for n, setting in enumerate(places) if setting not in lacking), len(places)
        )
        values = [self._example(setting) for setting in places[:number]]
        named = {
            setting: self._example(setting) for setting in lacking if setting not in places[:number]
        }
        return Do(self._call(*self.given, *values, **named))

    def _in_one(self) -> Call | None:
        """Return the call that was meant by one value that says all of it: a pair, or a formula."""
        from .meant import bounds_meant, formula

        first = self.args[0] if len(self.args) == 1 else None
        if self.name == "discreet.bounds":
            return bounds_meant(first)
        if self.name == "discreet.regression" and (parts := formula(first)):
            return self._call(parts[0], on=[*parts[1]])
        return None

    def _example(self, setting: str) -> object:
        own: dict[str, object] = {
            "discreet.unit": BLANK,
            "discreet.ledger": "visits.ledger",
            "plan.explore": "plan.html",
        }
        return own.get(self.name, _EXAMPLES.get(setting, BLANK))

    def _too_many(self) -> str:
        most, number = len(self.places), len(self.args)
        takes = {0: "no value", 1: "one value"}.get(most, f"{most} values")
        return (
            f"{self.short} takes {takes} without a name, and {number} "
            f"{'was' if number == 1 else 'were'} given."
        )

    def _named(self) -> Fix:
        """Return the call of which too many values have no name: as a list, or by its name."""
        values, most = self.given, len(self.places)
        if self.places[:1] in (["by"], ["column"]) and all(
            isinstance(value, str) for value in values
        ):
            return Do(self._call(values))
        is_listed = all(isinstance(value, list | tuple) for value in self.args)
        if self.name == "discreet.tables" and is_listed:
            return Do(self._call([*values]))
        if self.name == "discreet.run" and type(self.args[0]).__name__ == "Table":
            plan = call("discreet.plan", Variable("table"), Variable("*questions"), spend=BLANK)
            return Do(self._call(plan))
        names = [
            setting
            for setting in self.settings
            if setting not in self.places and setting in self.free
        ]
        if not names:
            return Do(self._call(*values[:most]))
        if len(values) > most + 1:
            return f"write each value behind its name; the names are {', '.join(names)}"
        return Do(self._call(*values[:most], **{names[0]: values[most]}))

    def _at(self, unknown: str) -> Fix:
        """Return the setting at which an answer is asked, where a loss was meant by a number."""
        at = f"at_{unknown}"
        return Rename(unknown, at) if at in self.free else leave_out(unknown)

    def _without(self, unknown: str) -> Fix:
        """Return what to type in place of a setting that the function does not have."""
        values = self.given
        if elsewhere := self._elsewhere(unknown):
            return elsewhere
        if unknown in _LOSSES:
            holder = next(
                (setting for setting in ("spend", "budget") if setting in self.free), None
            )
            if holder is None:
                return write(f", and leave {unknown} out", of="plan", spend=self._loss())
            rest = {
                setting: self._known[setting] for setting in self._known if setting not in _LOSSES
            }
            return Do(call(self.name, *values, **rest, **{holder: self._loss()}))
        if unknown in _CONFIDENCE and "alpha" in self.free:
            return write(alpha=_alpha(self.options[unknown]))
        if unknown in _BOUNDS and "column" in self.settings:
            column = self.args[0] if self.args else self.options.get("column")
            named = column if isinstance(column, str) else _EXAMPLES["column"]
            gone = " and ".join(setting for setting in self.options if setting in _BOUNDS)
            note = f", and leave {gone} out"
            return write(note, of="table", columns={named: self._bounds()})
        ours = our_name(unknown, self.free)
        return Rename(unknown, ours) if ours else leave_out(unknown)

    def _elsewhere(self, unknown: str) -> Fix | None:
        """Return what to type where a setting belongs to another call."""
        question = self.name.removeprefix("discreet.")
        if unknown == "unique" and question == "count":
            units = call("discreet.count_units", *self.given, **self._known)
            return Do(units, ", which counts distinct units")
        if unknown in _OF_QUESTION and question == "plan":
            note = f"in the question that it is for, and leave {unknown} out"
            return Set({unknown: _typed(self.options[unknown])}, "ask", note=note)
        if unknown in ("out", "path", "save") and question == "run":
            return leave_out(unknown), 'write release.save("visits.release") with what it returns'
        return self._of_sql(unknown) if question == "sql" else self._otherwise(unknown)

    def _otherwise(self, unknown: str) -> Fix | None:
        """Return what to type where a setting is said in another way, or for the whole plan."""
        value = self.options[unknown]
        note = f", and leave {unknown} out"
        if unknown == "max_rows" and "unit" in self.options:
            unit = call("discreet.unit", _typed(self.options["unit"]), max_rows=_typed(value))
            return write(note, unit=unit)
        if unknown == "ddof" and "sample" in self.free and value == 1:
            return write(note, sample=True)
        if unknown in _WIDTH and "bins" in self.free:
            if type(value) is not int:
                return leave_out(unknown), "write bins with the list of their edges"
            edges = f"from the first edge to behind the last{note}"
            return write(edges, bins=call("range", BLANK, BLANK, _typed(value)))
        if "weight" in self.settings and unknown in (*_OF_PLAN, *_CONFIDENCE):
            is_level = unknown in _CONFIDENCE
            whole = {"alpha": _alpha(value)} if is_level else {unknown: _typed(value)}
            return Set(whole, "plan", note=note)
        return None

    def _of_sql(self, unknown: str) -> Fix | None:
        """Return the plan of a SELECT, where it was given what its plan is to have."""
        is_loss = unknown in _LOSSES or unknown in ("budget", "privacy_budget")
        if not is_loss and unknown not in _OF_PLAN:
            return None
        words = [*self.given, *[_EXAMPLES["text"], _EXAMPLES["table"]][len(self.given) :]]
        questions = Variable(f"*{python_of(call(self.name, *words))}")
        if unknown in _LOSSES:
            return Do(call("discreet.plan", questions, spend=self._loss()))
        spend = "spend" if is_loss else unknown
        return Do(call("discreet.plan", questions, **{spend: _typed(self.options[unknown])}))

    def _loss(self) -> Call:
        """Return the loss that was meant by numbers, as it is made."""
        numbers = {
            setting: _typed(self.options[setting]) for setting in _LOSSES if setting in self.options
        }
        delta = {"delta": numbers["delta"]} if "delta" in numbers else {}
        if "rho" in numbers:
            return call("discreet.zcdp", numbers["rho"], **delta)
        if "mu2" in numbers:
            return call("discreet.gdp", mu2=numbers["mu2"], **delta)
        epsilon = numbers.get("epsilon", numbers.get("eps", BLANK))
        both = (epsilon, *delta.values())
        return call("discreet.approx" if delta else "discreet.pure", *both)

    def _bounds(self) -> Call:
        """Return the bounds that were meant, as they are declared."""
        ends = next((self.options[name] for name in _PAIRS if name in self.options), None)
        if ends is None:
            ends = [
                next((self.options[name] for name in names if name in self.options), None)
                for names in (_LOWER, _UPPER)
            ]
        from .meant import BOUNDS, bounds_meant

        return bounds_meant(ends) or BOUNDS


def _alpha(confidence: object) -> object:
    """Return the alpha that belongs to a confidence, which may be typed in per cent."""
    try:
        level = Decimal(str(confidence))
        return str(1 - (level.scaleb(-2) if level > 1 else level))
    except InvalidOperation:
        return BLANK


def _typed(value: object) -> object:
    """Return a value as a fix can show it: itself, or the name that the docs give its kind."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)) and len(value) <= _FEW:
        plain = all(isinstance(part, (bool, int, float, str)) for part in value)
        return list(value) if plain else Variable(type(value).__name__)
    made = repr(value)
    if made.startswith("discreet.") and len(made) <= _LONGEST:  # it is written as it was made
        return Variable(made)
    return Variable(type(value).__name__.lower())


def _wrong(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], options: Mapping[str, Any]
) -> _Wrong:
    """Return a call that Python could not make."""
    taken = signature(function).parameters
    many = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    settings = {setting: taken[setting] for setting in taken if taken[setting].kind not in many}
    listed = [setting for setting in taken if taken[setting].kind is Parameter.VAR_POSITIONAL]
    return _Wrong(name, settings, "".join(listed), args, options)
