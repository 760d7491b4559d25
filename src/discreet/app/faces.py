"""How a plan is changed where it was typed: in its plan file, or by the options of a command.

Rules of this module:
- what is said can be pasted; a loss that only the budget's owner can choose is a question mark.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from shlex import quote

from ..errors import shown
from ..exact.number import text_of
from ..privacy.loss import NAMES, Kind, Loss
from .fixes import BLANK, LOSSES
from .options import as_options
from .toml import toml

_LONGEST = 2_000  # characters of a path or a name that shall be pasted


@dataclass(frozen=True, slots=True)
class Face:
    """Where a plan was typed.

    Attributes:
        spend: how it spends a loss.
        blank: how it spends a loss of a kind that is still to be chosen.
        name: how it names its data set.
        words: how it says a fix that is written as Python.
    """

    spend: Callable[[Loss], str]
    blank: Callable[[Kind], str]
    name: Callable[[str], str]
    words: Callable[[str], str]


def file_face(given: Iterable[str] = ("rho",), *, named: bool = True) -> Face:
    """Return the face of a plan file.

    Args:
        given: the names that stand under [spend].
        named: whether a name stands under [data].
    """
    losses = [name for name in LOSSES if name in set(given)]

    def lines(numbers: dict[str, str]) -> str:
        others = [name for name in losses if name not in numbers]
        instead = f", in place of {' and '.join(others)}" if others else ""
        said = " and ".join(f"{name} = {toml(number)}" for name, number in numbers.items())
        return f"{said} under [spend]{instead}"

    def name_of(subject: str) -> str:
        return f"{'write' if named else 'under [data], write'} name = {toml(subject)}"

    return Face(
        spend=lambda loss: lines(_numbers(loss)),
        blank=lambda kind: lines(_blanks(kind)),
        name=name_of,
        words=lambda fix: re.sub(r'\brequest="([^"]+)"', _request, fix),
    )


def _request(found: re.Match[str]) -> str:
    return f"--request {quote(found[1])}"


def _options(numbers: dict[str, str]) -> str:
    return " ".join(f"--{name} {quote(number)}" for name, number in numbers.items())


OPTIONS = Face(
    spend=lambda loss: _options(_numbers(loss)),
    blank=lambda kind: _options(_blanks(kind)),
    name=lambda subject: f"add --name {typed(subject)}",
    words=as_options,
)


def typed(text: object) -> str:
    """Return a path or a name as it is typed in a shell."""
    return quote(shown(text, _LONGEST))


def _blanks(kind: Kind) -> dict[str, str]:
    return dict.fromkeys(NAMES[kind], BLANK)


def _numbers(loss: Loss) -> dict[str, str]:
    return {name: text_of(number) for name, number in loss.named.items()}
