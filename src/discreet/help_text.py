"""How a signature stands in help(): types by the names that the source uses, an option a line.

Rules of this module:
- `Number` stands for what may be typed as a number: a test holds it to be that of `exact.number`;
- a type has the name by which `discreet` exports it, and no path of modules;
- only the text changes: parameters keep their types, for programs that read them.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

_WIDE = 70  # the name of the function stands before it
_NUMBER: Final = (int, str, float, Fraction, Decimal)
_STARS: Final = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
_EXPORTED: Final[dict[str, str]] = {"Statistic": "Question"}


def help_text(signature: Signature) -> str:
    """Return a signature in one line, or with an option a line where one would be long."""
    listed = [*_listed([*signature.parameters.values()])]
    answer = signature.return_annotation
    behind = "" if answer is Signature.empty else f" -> {type_name(answer)}"
    text = f"({', '.join(listed)}){behind}"
    if len(text) <= _WIDE:
        return text
    return "(\n" + "".join(f"    {each},\n" for each in listed) + f"){behind}"


def _listed(parameters: list[Parameter]) -> Iterable[str]:
    """Return each parameter, and the star before those that need their names."""
    starred = False
    for parameter in parameters:
        if parameter.kind is Parameter.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or parameter.kind in {Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL}
        yield _written(parameter)


def _written(parameter: Parameter) -> str:
    text = _STARS.get(parameter.kind.name, "") + parameter.name
    typed = parameter.annotation is not Parameter.empty
    if typed:
        text += f": {type_name(parameter.annotation)}"
    if parameter.default is Parameter.empty:
        return text
    return f"{text} = {parameter.default!r}" if typed else f"{text}={parameter.default!r}"


def type_name(annotation: Any) -> str:
    """Return a type as a person writes it.

    Example:
        >>> type_name(int | str | float | Fraction | Decimal | None)
        'Number | None'
    """
    if isinstance(annotation, str):
        return annotation  # it was written as text, with the names of its module
    if isinstance(annotation, list):  # what a Callable takes
        return f"[{', '.join(map(type_name, annotation))}]"
    if annotation is None or annotation is NoneType:
        return "None"
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in {Union, UnionType}:
        return " | ".join(_united(inner))
    name = _name(annotation if origin is None else origin)
    if origin is None or not inner:
        return name
    return f"{name}[{', '.join(_inner(each) for each in inner)}]"


def _united(types: tuple[Any, ...]) -> list[str]:
    """Return the names of a union's types; those of a number are one."""
    if not all(each in types for each in _NUMBER):
        return [type_name(each) for each in types]
    return ["Number", *(type_name(each) for each in types if each not in _NUMBER)]


def _inner(each: Any) -> str:
    return repr(each) if isinstance(each, (str, int)) else "..." if each is ... else type_name(each)


def _name(kind: Any) -> str:
    name = str(getattr(kind, "__name__", kind))
    return _EXPORTED.get(name, name)
