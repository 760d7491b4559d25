"""What is typed after a command: losses, and what to type where something was refused.

Rules of this module:
- a setting of a fix is the option of its name;
- a loss is chosen by a person: advice holds a question mark, and a question mark is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from shlex import quote

from ..errors import DiscreetError, InputError
from ..fix import (
    Call,
    Instead,
    Remove,
    Rename,
    Say,
    Set,
    Way,
    Ways,
    in_python,
    joined,
    python_of,
    with_note,
)
from ..privacy.loss import EXAMPLES, Loss, approx, gdp, pure, zcdp
from .examples import ASKED

_LOSSES = {  # by the call in Python: the options of a loss
    "discreet.zcdp": ("rho", "delta"),
    "discreet.gdp": ("mu2", "delta"),
    "discreet.pure": ("epsilon",),
    "discreet.approx": ("epsilon", "delta"),
}


def loss_of(given: Mapping[str, str | None], *, what: str, why: str) -> Loss:
    """Return the loss that --rho, --mu2 or --epsilon says, with or without --delta.

    Args:
        given: what was typed for rho, mu2, epsilon and delta.
        what: what is wrong where they say no loss, or two.
        why: what the loss decides.
    """
    said = {name: text for name, text in given.items() if text is not None}
    refuse_blanks(given, why=why)
    if len({*said} - {"delta"}) != 1:
        raise InputError(
            what, why=why, fix="add --rho '?', or --epsilon '?', or --epsilon '?' --delta '?'"
        )
    try:
        if "rho" in said:
            return zcdp(said["rho"], delta=said.get("delta"))
        if "mu2" in said:
            return gdp(mu2=said["mu2"], delta=said.get("delta"))
        return approx(said["epsilon"], said["delta"]) if "delta" in said else pure(said["epsilon"])
    except InputError as error:
        name = str(error.at[0])
        such = f"write --{name} '?' with a number, such as {EXAMPLES[name]}"
        raise error.spelled(lambda _: such) from None


def refuse_blanks(given: Mapping[str, object], *, why: str) -> None:
    """Refuse an option whose question mark nobody has answered; `why` is what it decides."""
    for name, text in given.items():
        if str(text) == ASKED:
            option = f"--{name.replace('_', '-')}"
            such = f", such as {option} {EXAMPLES[name]}" if name in EXAMPLES else ""
            raise InputError(
                f"{option} is still a question mark.",
                why=why,
                fix=f"write your answer in place of it{such}",
            )


@contextmanager
def in_words(spell: Callable[[Ways], str]) -> Iterator[None]:
    """Let an error of the rooms below end with what can be typed here."""
    try:
        yield
    except DiscreetError as error:
        raise error.spelled(spell) from None


def as_options(ways: Ways) -> str:
    """Return ways out with the words of the command line.

    Example:
        >>> from discreet.fix import leave_out, write
        >>> as_options((write(epsilon="0.1", delta="1e-6"), write(law="geometric")))
        'write --epsilon 0.1 --delta 1e-6, or geometric as LAW'
        >>> as_options((write("too", bounds=(0, 100)), leave_out("delta")))
        'write --bounds 0:100 too, or leave --delta out'
    """
    return joined(with_note(_one(way), way.note) for way in ways)


def _one(way: Way) -> str:
    if isinstance(way, Say):
        return way.text
    if isinstance(way, Instead):
        return f"write {quote(way.new)} in place of {quote(way.old)}"
    if isinstance(way, Rename):
        return f"write {_name(way.new)} in place of {_name(way.old)}"
    if isinstance(way, Remove):
        return f"leave {' and '.join(map(_name, way.names))} out"
    if isinstance(way, Set):
        said = (_option(name, value) for name, value in way.settings.items())
        return f"{way.verb} {' '.join(said)}"
    return in_python((way,))


def _option(name: str, value: object) -> str:
    """Return a setting as it is typed after a command."""
    if name == "law":
        return f"{value} as LAW"
    if isinstance(value, Call) and name == "spend":
        numbers = zip(_LOSSES[value.name], [*value.args, *value.options.values()], strict=False)
        return " ".join(_option(loss, number) for loss, number in numbers)
    if name == "totals" and isinstance(value, Mapping):
        return " ".join(f"--total {quote(f'{k}={_text(v)}')}" for k, v in value.items())
    if name == "csv" and isinstance(value, Mapping):
        return " ".join(_option(str(part), said) for part, said in value.items())
    if isinstance(value, (Call, Mapping)):  # no command has such an option
        return f"{name}={python_of(value)}"
    return f"{_name(name)} {quote(_text(value))}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ":".join(map(_text, value))
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(value)


def _name(setting: str) -> str:
    return f"--{setting.replace('_', '-')}"
