"""The options that questions share: their names, types and defaults, once.

Rules of this module:
- `asked` has the defaults, `AskOptions` the names for a type checker; a test holds them together;
- the words of a shared option stand here once, and in help() of each question that takes it;
- whoever asks for a signature (help, tab completion, plan files, the refusal of a wrong call) sees
  each option by its name, and an option that a question does not take is refused as by Python.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypedDict, TypeVar, cast, get_args

from .ask import OwnLoss, Publish, Wanted, asked

By = str | Iterable[str] | None  # columns with public keys
Asking = TypeVar("Asking", bound=Callable[..., Any])


_SHARED = re.compile(r"^ +\*\*options: .*\n", re.MULTILINE)  # where a docstring has the words below
_WORDS = {  # of each option in help(), unless a question says it otherwise
    "by": """one or several columns with public keys: the answer has these groups. Without `by`
            there is one group, of all rows.""",
    "max_groups": "the largest number of groups in which one unit counts.",
    "max_rows_per_group": "the largest number of rows of one unit that count in one group.",
    "weight": """this question's share of the plan's loss, in proportion to the weights of all
            questions.""",
    "within": """in place of a weight, the half-width that you want. It is a number in the units of
            the answer, or "5%" of a public size. The question then costs the smallest loss that
            gives this half-width.""",
    "rows": """the public size of a group. `within` and the ± of a mean are for a group of this
            size. For a count, "5%" is 5 % of this size.""",
    "together": "whether all intervals of the question hold at once, with probability 1 - alpha.",
    "where": """a condition, such as "age >= 18": a row counts if the condition is true. The page
            docs/rows.md describes the language. The limits on the rows of a unit apply after the
            condition.""",
    "publish": """a rule of `discreet.publish`: it says which numbers of this question are
            shown.""",
    "spend": """a loss of its own for this question, of the plan's kind: `discreet.zcdp("1/100")`.
            The other questions share the rest of the plan's loss.""",
}


class AskOptions(TypedDict, total=False):
    """The options of all questions about groups; `_WORDS` says what each is."""

    max_groups: int | None
    max_rows_per_group: int | None
    weight: int
    within: Wanted
    rows: int | None
    where: str | None
    publish: Publish | Mapping[str, Any] | None
    spend: OwnLoss


class AskTogether(AskOptions, total=False):
    """The same for questions whose intervals can hold all at once."""

    together: bool


def question(*behind: str) -> Callable[[Asking], Asking]:
    """Return a decorator of functions that ask, whose `**options` are shown and checked by name.

    Args:
        behind: which of the function's own options stand behind the shared ones.
    """

    def decorated(function: Asking) -> Asking:
        shown = _signature(signature(function), behind)
        takes = shown.parameters.keys()

        @wraps(function)
        def ask(*args: Any, **options: Any) -> Any:
            if not takes >= options.keys():
                shown.bind(*args, **options)  # a TypeError, as Python says it
            return function(*args, **options)

        ask.__signature__ = shown  # type: ignore[attr-defined]
        words = ask.__doc__ or ""
        missing = [
            f"        {name}: {_WORDS[name]}\n"
            for name in shown.parameters
            if name in _WORDS
            and not re.search(rf"^        (\w+, )*{name}[,:]", words, re.MULTILINE)
        ]
        ask.__doc__ = _SHARED.sub(lambda _: "".join(missing), words)
        return cast("Asking", ask)

    return decorated


def _signature(plain: Signature, behind: tuple[str, ...]) -> Signature:
    """Return a signature with the shared options by name, in the order of `asked`."""
    *own, options = plain.parameters.values()
    (kind,) = get_args(options.annotation)
    types = kind.__annotations__
    shared = [
        parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=types[parameter.name])
        for parameter in signature(asked).parameters.values()
        if parameter.name in types
    ]
    first = [parameter for parameter in own if parameter.name not in behind]
    last = [parameter for parameter in own if parameter.name in behind]
    return plain.replace(parameters=[*first, *shared, *last])
