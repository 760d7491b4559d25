"""The options that questions share: their names, types and defaults, once.

Rules of this module:
- `asked` has the defaults, `AskOptions` the names for a type checker; a test holds them together;
- whoever asks for a signature (help, tab completion, plan files, the refusal of a wrong call) sees
  each option by its name, and an option that a question does not take is refused as by Python.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypedDict, TypeVar, cast, get_args

from .ask import OwnLoss, Publish, Wanted, asked

By = str | Iterable[str] | None  # columns with public keys
Asking = TypeVar("Asking", bound=Callable[..., Any])


class AskOptions(TypedDict, total=False):
    """What all questions about groups take; `count` says what each is."""

    max_groups: int | None
    max_rows_per_group: int | None
    weight: int
    within: Wanted
    rows: int | None
    where: str | None
    publish: Publish | Mapping[str, Any] | None
    spend: OwnLoss


class AskTogether(AskOptions, total=False):
    """What questions take whose intervals can hold all at once."""

    together: bool


def question(*behind: str) -> Callable[[Asking], Asking]:
    """Return a decorator of functions that ask, whose `**options` are shown and checked by name.

    Args:
        behind: which of the function's own options stand behind the shared ones.
    """

    def decorated(function: Asking) -> Asking:
        shown = _signature(signature(function), behind)

        @wraps(function)
        def ask(*args: Any, **options: Any) -> Any:
            shown.bind(*args, **options)  # a TypeError, as Python says it
            return function(*args, **options)

        ask.__signature__ = shown  # type: ignore[attr-defined]
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
