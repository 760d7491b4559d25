"""What a kind of derived numbers is: one function, of which all faces read the signature.

Rules of this module:
- a kind takes a release's document, the names of the statistics that it is of (`name`, and `other`
  where it is of two), options of its own, and `alpha` and `together` as every kind does;
- a recipe, a plan file and the command line call the first statistic `of`; what has no default must
  be there, and what the signature has not is refused;
- an annotation says how an option is written: `Axes`, `Keys`, `Side` or `PublicNumbers`; any other
  is a plain value.

Decision 75.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from operator import attrgetter
from types import MethodType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    get_args,
    get_type_hints,
    overload,
)

from ..calls import checked_method
from ..errors import InternalError

if TYPE_CHECKING:
    from ..document.document import Document
    from .derived import DerivedNumbers

P = ParamSpec("P")
Form = Literal["axes", "keys", "numbers", "flag", "value"]
Axes = Annotated[str | Iterable[str] | None, "axes"]  # names of axes
Keys = Annotated[Mapping[str, object] | None, "keys"]  # which keys, by axis
Side = Annotated[object, "keys"]  # the same, or one key where there is one axis
PublicNumbers = Annotated[object, "numbers"]  # a number of each group, by its key; or one for all
Recipe = Mapping[str, Any]

OPERANDS = {"of": "name", "other": "other"}  # outside, and in a function
COMMON = {"alpha": "The chance of a miss.", "together": "All intervals hold at once."}
_ARGUMENT = re.compile(  # of a docstring: names, and what is said of them
    r"^ +(\w+(?:, \w+)*): (.+?)(?=^ +\w+(?:, \w+)*: |^ *$|\Z)", re.MULTILINE | re.DOTALL
)
REGISTERED: "dict[str, Derivation[...]]" = {}  # by kind; `catalog` has the order
FACES: list[type] = []  # classes that have a method for each kind


class HasDocument(Protocol):
    """What a kind is a method of: a release."""

    @property
    def document(self) -> "Document":
        """What is public of it."""


@dataclass(frozen=True, slots=True)
class Option:
    """What a kind can be told, or must be.

    Attributes:
        name: what a recipe, a plan file and the command line call it.
        argument: what the function calls it.
        needed: whether it has no default.
        form: how it is written.
        words: what it is, for the command line.
    """

    name: str
    argument: str
    needed: bool
    form: Form
    words: str

    def of_recipe(self, recipe: Recipe) -> Any:
        """Return what a recipe says of it; axes that it does not name are none."""
        if self.form == "keys" and self.name in recipe:
            chosen = recipe[self.name].items()
            return {axis: frozenset(tuple(part) for part in parts) for axis, parts in chosen}
        return recipe.get(self.name, []) if self.form == "axes" else recipe[self.name]


@dataclass(frozen=True, slots=True, eq=False)
class Derivation(Generic[P]):
    """A kind of derived numbers; as an attribute of a class it is a method of its objects.

    Attributes:
        kind: its name.
        of: how many statistics it can be of: one or two.
        make: the function.
        words: of its own options, what each is, for the command line; else its docstring says it.
        takes: what it can be told, by the name that a recipe has for it.
        method: the function of an object that has a document.
    """

    kind: str
    of: int
    make: "Callable[Concatenate[Document, P], DerivedNumbers]"
    words: Mapping[str, str] = field(default_factory=dict)
    takes: Mapping[str, Option] = field(init=False)
    method: "Callable[Concatenate[Any, P], DerivedNumbers]" = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "takes", _options(self))
        object.__setattr__(self, "method", _method(self))

    def __call__(
        self, document: "Document", *args: P.args, **options: P.kwargs
    ) -> "DerivedNumbers":
        """Return the derived numbers of a release's document."""
        return self.make(document, *args, **options)

    @overload
    def __get__(
        self, release: None, of: type
    ) -> "Callable[Concatenate[Any, P], DerivedNumbers]": ...
    @overload
    def __get__(self, release: HasDocument, of: type) -> "Callable[P, DerivedNumbers]": ...
    def __get__(self, release: HasDocument | None, of: type) -> Any:
        """Return the method of a release, or of the class."""
        return self.method if release is None else MethodType(self.method, release)

    @property
    def operands(self) -> list[str]:
        """The options that name a statistic."""
        return [*OPERANDS][: self.of]

    def by_name(self, document: "Document", wanted: Mapping[str, Any]) -> "DerivedNumbers":
        """Return the numbers, from options that are named as outside."""
        make: Callable[..., DerivedNumbers] = self.make
        return make(document, **{self.takes[name].argument: wanted[name] for name in wanted})

    def by_recipe(self, document: "Document", recipe: Recipe) -> "DerivedNumbers":
        """Return the numbers that a recipe makes; what the kind does not take is passed over."""
        options = [
            option
            for option in self.takes.values()
            if option.needed or option.form == "axes" or option.name in recipe
        ]
        return self.by_name(document, {option.name: option.of_recipe(recipe) for option in options})


def derivation(
    kind: str, *, of: int, words: Mapping[str, str] | None = None
) -> "Callable[[Callable[Concatenate[Document, P], DerivedNumbers]], Derivation[P]]":
    """Return a decorator that registers a kind of derived numbers.

    Args:
        kind: its name: what a release's method, a plan file and the command line call it.
        of: how many statistics it can be of: one or two.
        words: of its own options, what each is, for the command line; else its docstring says it.
    """

    def registered(
        make: "Callable[Concatenate[Document, P], DerivedNumbers]",
    ) -> "Derivation[P]":
        made = Derivation(kind, of, make, words or {})
        REGISTERED[kind] = made
        for face in FACES:
            setattr(face, kind, made.method)
        return made

    return registered


def _options(kind: Derivation[P]) -> dict[str, Option]:
    """Return what a function can be told, by the names that are used outside of it."""
    document, *taken = signature(kind.make).parameters.values()
    hints = get_type_hints(kind.make, include_extras=True)
    outside = {OPERANDS[name]: name for name in [*OPERANDS][: kind.of]}
    names = [outside.get(parameter.name, parameter.name) for parameter in taken]
    if document.name != "document" or not {*outside.values(), *COMMON} <= {*names}:
        raise InternalError(
            f"{kind.kind} does not take what a kind of {kind.of} takes.",
            kind="internal-fault",
            why=f"it is of a document, {' and '.join(outside)}, {' and '.join(COMMON)}",
            fix="give its function these arguments",
        )
    return {
        name: Option(
            name,
            parameter.name,
            parameter.default is Parameter.empty,
            _form(hints.get(parameter.name)),
            {**COMMON, **kind.words}.get(name)
            or _documented(kind.make.__doc__ or "", parameter.name),
        )
        for name, parameter in zip(names, taken, strict=True)
    }


def _form(hint: object) -> Form:
    """Return how an option of this type is written."""
    for form in ("axes", "keys", "numbers"):
        if form in get_args(hint)[1:]:
            return form
    return "flag" if hint is bool else "value"


def _documented(text: str, argument: str) -> str:
    """Return what a docstring says of an argument, as a sentence."""
    for names, words in _ARGUMENT.findall(text):
        if argument in names.split(", "):
            sentence = " ".join(words.split())
            return sentence[:1].upper() + sentence[1:]
    return ""


def _method(kind: Derivation[P]) -> "Callable[Concatenate[Any, P], DerivedNumbers]":
    """Return a kind's function as a method, whose wrong calls are refused in three lines."""
    method: Any = checked_method(kind.make, f"release.{kind.kind}", of=attrgetter("document"))
    taken, hints = signature(kind.make), get_type_hints(kind.make)
    _, *rest = taken.parameters.values()
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    typed = [
        parameter.replace(annotation=hints.get(parameter.name, Parameter.empty))
        for parameter in rest
    ]
    method.__signature__ = method.__signature__.replace(  # which help() shows by short names
        parameters=[own, *typed], return_annotation=hints.get("return", taken.empty)
    )
    method.__name__, method.__qualname__ = kind.kind, f"Release.{kind.kind}"
    made: Callable[Concatenate[Any, P], DerivedNumbers] = method
    return made
