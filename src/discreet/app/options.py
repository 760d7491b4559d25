"""What is typed after a command: losses, and what to type where something was refused.

Rules of this module:
- a fix that the rooms below write as Python is shown as options;
- a loss is chosen by a person: advice holds a question mark, and a question mark is refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from shlex import quote

from ..errors import InputError
from ..privacy.loss import Loss, approx, pure, zcdp
from .fixes import BLANK

_EXAMPLES = {"rho": "1/50", "epsilon": "1", "delta": "1e-6"}


def loss_of(given: Mapping[str, str | None], *, what: str, why: str) -> Loss:
    """Return the loss that --rho, or --epsilon with or without --delta, says.

    Args:
        given: what was typed for rho, epsilon and delta.
        what: what is wrong where they say no loss, or two.
        why: what the loss decides.
    """
    said = {name: text for name, text in given.items() if text is not None}
    refuse_blanks(given, why=why)
    if [*said] not in (["rho"], ["epsilon"], ["epsilon", "delta"]):
        raise InputError(
            what, why=why, fix="add --rho '?', or --epsilon '?', or --epsilon '?' --delta '?'"
        )
    try:
        if "rho" in said:
            return zcdp(said["rho"])
        return approx(said["epsilon"], said["delta"]) if "delta" in said else pure(said["epsilon"])
    except InputError as error:
        name = next((name for name in said if error.what.startswith(f"{name} ")), next(iter(said)))
        fix = f"write --{name} '?' with a number, such as {_EXAMPLES[name]}"
        raise InputError(error.what, why=error.why, fix=fix) from None


def refuse_blanks(given: Mapping[str, object], *, why: str) -> None:
    """Refuse an option whose question mark nobody has answered; `why` is what it decides."""
    for name, text in given.items():
        if str(text) == BLANK:
            option = f"--{name.replace('_', '-')}"
            such = f", such as {option} {_EXAMPLES[name]}" if name in _EXAMPLES else ""
            raise InputError(
                f"{option} is still a question mark.",
                why=why,
                fix=f"write your answer in place of it{such}",
            )


@contextmanager
def in_words(words: Callable[[str], str]) -> Iterator[None]:
    """Let an error of the rooms below end with what can be typed here."""
    try:
        yield
    except InputError as error:
        raise InputError(error.what, why=error.why, fix=words(error.fix)) from None


def as_options(fix: str) -> str:
    """Return a fix that is written as Python with the words of the command line.

    Example:
        >>> as_options('write epsilon="0.1" and delta="1e-6", or law="geometric"')
        'write --epsilon 0.1 --delta 1e-6, or geometric as LAW'
        >>> as_options("write bounds=(0, 100) too")
        'write --bounds 0:100 too'
        >>> as_options('write known=["nonnegative"]')
        'write --known nonnegative'
    """
    fix = re.sub(r"bounds=\((-?\d+), (-?\d+)\)", r"--bounds \1:\2", fix)
    fix = re.sub(r'\blaw="(\w+)"', r"\1 as LAW", fix)
    fix = re.sub(r'\bknown=\["(\w+)"\]', r"--known \1", fix)
    fix = re.sub(r'(?<!-)\b([a-z]\w*)="([^" ]+)"', _option, fix)
    fix = re.sub(r"(?<!-)\b([a-z]\w*)=(-?\d+)", _option, fix)
    return fix.replace(" and --", " --")


def _option(found: re.Match[str]) -> str:
    return f"--{found[1].replace('_', '-')} {quote(found[2])}"
