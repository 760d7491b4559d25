"""A fix as a plan file spells it: TOML that can be pasted where the error is.

What is typed after a command: losses, and what to type where something was refused.

How a plan is changed where it was typed: in its plan file, or by the options of a command.

Rules of this module:
- what stands in one line is written again as a whole, with all that may stay; another line, or a
  line that is missing, is told by its part;
- a setting that no plan file has is said as an option of the command;
- a setting of a fix is the option of its name;
- a loss is chosen by a person: advice holds a question mark, and a question mark is refused;
- what is said can be pasted; a loss that only the budget's owner can choose is a question mark.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from shlex import quote
from typing import Any

from ..errors import DiscreetError, InputError, shown
from ..exact.number import value_of
from ..fix import (
    BLANK,
    Blank,
    Call,
    Do,
    Instead,
    Remove,
    Rename,
    Say,
    Set,
    Way,
    Ways,
    in_python,
    joined,
    joined_place,
    python_of,
    with_note,
)
from ..privacy.loss import EXAMPLES, Loss, approx, gdp, pure, zcdp
from ..statistic.catalog import STATISTICS
from .examples import ASKED, LOSSES
from .schema import key_of, toml
from .written import Way as Path
from .written import Written

_MAKERS = {  # by the call in Python: what its values are called in a file
    "discreet.bounds": ("lower", "upper", "step", "missing"),
    "discreet.unit": ("column", "max_rows"),
    "discreet.derived": ("expression",),
    "discreet.publish": (),
    "discreet.zcdp": ("rho",),
    "discreet.gdp": ("mu2",),
    "discreet.pure": ("epsilon",),
    "discreet.approx": ("epsilon", "delta"),
}
_LISTED = ("ask", "also")  # parts of which there are several
_PARTS = (
    "alpha",
    "share",
    "title",
    "columns",
    "keys",
    "spend",
)  # settings that stand under no other
_TABLES = ("columns", "keys", "data", "join", "owner")  # parts that hold parts in one line
_GONE = object()


@dataclass(frozen=True, slots=True)
class Speller:
    """Spells fixes for one place of a plan file.

    Attributes:
        written: the file.
        path: where something was refused: its settings are meant where they belong to no other.
        named: the place that the error names, below which a line may be written in place.
    """

    written: Written
    path: Path = ()
    named: Path = ()

    def __call__(self, ways: Ways) -> str:
        """Return ways out as this file spells them; "" where there is none."""
        texts = ((self._one(way), way.note) for way in ways)
        return joined(with_note(text, note) for text, note in texts if text)

    def _one(self, way: Way) -> str:
        if isinstance(way, Rename):
            return f"write {key_of(way.new)} in place of {key_of(way.old)}"
        if isinstance(way, Instead):
            return f"write {toml(way.new)} in place of {toml(way.old)}"
        if isinstance(way, Remove):
            return self._removed(way)
        if isinstance(way, Set) and (spend := self._spend(way)):
            return f"{way.verb} {spend}"
        if isinstance(way, Do):
            return self._called(way.call)
        return self._set(way) if isinstance(way, Set) else way.text

    def _called(self, made: Call) -> str:
        """Return the lines that say what a call in Python does; "" where no plan file can."""
        if made.name == "table.derive":
            lines = (
                f"{key_of(name)} = {toml(plain(_named(argument)))}"
                for name, argument in made.options.items()
            )
            return f"under [derive], write {' and '.join(lines)}"
        name = made.name.removeprefix("discreet.")
        if name not in STATISTICS or self.path[:1] not in ((), ("ask",)):
            return ""
        places = zip(signature(STATISTICS[name]).parameters, made.args, strict=False)
        options = {"statistic": name, **dict(places), **made.options}
        there = self.written.value(self.path[:2])
        asked = there if isinstance(there, Mapping) else {}
        lines = (
            f"{key_of(argument)} = {toml(plain(value))}"
            for argument, value in options.items()
            if asked.get(argument) != plain(value)
        )
        return f"under that [[ask]], write {' and '.join(lines)}"

    def _set(self, way: Set) -> str:
        wanted = [(self._place(way.of, path), value) for path, value in _leaves(way.settings)]
        if None in [place for place, _ in wanted]:
            return as_options((Set(way.settings, way.of, way.verb),))
        return self._lines([(place, value) for place, value in wanted if place], way.verb)

    def _place(self, of: str, path: Path) -> Path | None:
        """Return where a setting stands in a plan file; None if nowhere."""
        first = str(path[0])
        here = (*self.path[:2], *path)
        if not of and self.path and self.path[0] in _LISTED and self._is_there(here):
            return here  # a question may say what is a part elsewhere
        parts: dict[str, Path] = {
            "": self.path,
            "ask": self.path[:2],
            "table": ("data",),
            "plan": ("spend",),
        }
        if first in _PARTS or (first == "publish" and self.path[:1] not in ((), ("ask",))):
            return path
        above = parts.get(of) if of in parts else joined_place(of) or None
        return None if above is None else (*above, *path)

    def place_of(self, at: Path) -> Path:
        """Return the place that an error names: the line of the setting at fault."""
        place = self._place("", at) if at else None
        return self.line_of(place) if place else self.path

    def line_of(self, place: Path) -> Path:
        """Return the name that stands before what is written in the line of a place."""
        for depth in range(1, len(place)):
            if depth == 2 and place[0] in _LISTED:
                continue
            if self._is_one_line(place[:depth]):
                return place[:depth]
        if place[0] not in _LISTED and not isinstance(self.written.value(place[:1]), Mapping):
            return place[:1]
        new = len(place) - 1
        while new and not isinstance(self.written.value(place[:new]), Mapping):
            new -= 1
        is_new_table = place[0] in _TABLES and len(place) > 2
        return place[: max(new + 1, 2)] if is_new_table else place

    def _is_one_line(self, place: Path) -> bool:
        inner = self.written.value(place)
        if not isinstance(inner, Mapping):
            return False
        line = self.written.line(place)
        if line is None:  # so far down that no line is known: only ranges and units are short
            return len(place) > 1
        return {self.written.line((*place, name)) for name in inner} == {line}

    def _is_there(self, place: Path) -> bool:
        return self.written.value(place) is not None

    def _lines(self, wanted: Sequence[tuple[Path, Any]], verb: str) -> str:
        lines: dict[Path, Any] = {}
        for place, value in wanted:
            line = self.line_of(place)
            before = lines.get(line, self.written.value(line))
            lines[line] = _merged(before, place[len(line) :], value)
        return " and ".join(self._line(line, value, verb) for line, value in lines.items())

    def _line(self, line: Path, value: object, verb: str = "write") -> str:
        line_text = f"{key_of(str(line[-1]))} = {toml(plain(value))}"
        part = str(line[0])
        if line == self.named[: len(line)] and self._is_there(line):
            return f"{verb} {line_text}"
        if part in _LISTED:
            return f"under that [[{part}]], {verb} {line_text}"
        if len(line) == 1:
            return f"{verb} {line_text} above the first [part]"
        header = ".".join(key_of(str(name)) for name in line[:-1])
        return f"under [{header}], {verb} {line_text}"

    def _removed(self, way: Remove) -> str:
        """Return what is taken out, of what stands in the file."""
        paths = [self._place(way.of, (name,)) for name in way.names]
        if None in paths:
            return as_options((Remove(way.names),))
        places = [place for place in paths if place and self._is_there(place)]
        inner = [place for place in places if self.line_of(place) != place]
        if inner:
            return self._lines([(place, _GONE) for place in inner], "write")
        names = " and ".join(key_of(str(place[-1])) for place in places)
        return f"remove {names}" if names else ""

    def _spend(self, way: Set) -> str:
        """Return what a plan's loss is written as; "" where a fix is about something else."""
        if "spend" not in way.settings:
            return ""
        spend = way.settings["spend"]
        spend_part = self.written.said.get("spend")
        losses = [name for name in LOSSES if isinstance(spend_part, Mapping) and name in spend_part]
        wanted = {(losses or ["rho"])[0]: BLANK} if isinstance(spend, Blank) else _named(spend)
        lines = " and ".join(f"{name} = {toml(plain(value))}" for name, value in wanted.items())
        if self.path[:1] == ("spend",) and set(wanted) <= set(losses):
            return lines
        others = [name for name in losses if name not in wanted]
        instead = f", in place of {' and '.join(others)}" if others else ""
        return f"{lines} under [spend]{instead}"


def plain(value: object) -> Any:
    """Return a value as TOML can write it."""
    if isinstance(value, Blank) or (isinstance(value, Call) and value.name not in _MAKERS):
        return ASKED
    if isinstance(value, Call):
        return {name: plain(part) for name, part in _named(value).items()}
    if isinstance(value, range):
        return {"from": value.start, "to": value.stop - 1}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value_of(value) if isinstance(value, Fraction) else value


def _named(value: Call) -> dict[str, Any]:
    return {**dict(zip(_MAKERS[value.name], value.args, strict=False)), **value.options}


def _leaves(settings: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Return each setting with the names on the way to it."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _merged(before: Any, path: Path, value: object) -> Any:
    """Return a value with a part of it exchanged, or taken out."""
    if not path:
        return value
    known = dict(before) if isinstance(before, Mapping) else {}
    if value is _GONE and len(path) == 1:
        return {name: part for name, part in known.items() if name != path[0]}
    return {**known, path[0]: _merged(known.get(path[0]), path[1:], value)}


_LOSSES = {  # by the call in Python: the options of a loss
    "discreet.zcdp": ("rho", "delta"),
    "discreet.gdp": ("mu2", "delta"),
    "discreet.pure": ("epsilon",),
    "discreet.approx": ("epsilon", "delta"),
}


def loss_of(options: Mapping[str, str | None], *, what: str, why: str) -> Loss:
    """Return the loss that --rho, --mu2 or --epsilon says, with or without --delta.

    Args:
        options: what was typed for rho, mu2, epsilon and delta.
        what: what is wrong where they say no loss, or two.
        why: what the loss decides.
    """
    numbers = {name: text for name, text in options.items() if text is not None}
    refuse_blanks(options, why=why)
    if len({*numbers} - {"delta"}) != 1:
        raise InputError(
            what,
            kind="not-a-loss",
            why=why,
            fix="add --rho '?', or --epsilon '?', or --epsilon '?' --delta '?'",
        )
    try:
        if "rho" in numbers:
            return zcdp(numbers["rho"], delta=numbers.get("delta"))
        if "mu2" in numbers:
            return gdp(mu2=numbers["mu2"], delta=numbers.get("delta"))
        return (
            approx(numbers["epsilon"], numbers["delta"])
            if "delta" in numbers
            else pure(numbers["epsilon"])
        )
    except InputError as error:
        name = str(error.at[0])
        such = f"write --{name} '?' with a number, such as {EXAMPLES[name]}"
        raise error.spelled(lambda _: such) from None


def refuse_blanks(options: Mapping[str, object], *, why: str) -> None:
    """Refuse an option whose question mark nobody has answered; `why` is what it decides."""
    for name, text in options.items():
        if str(text) == ASKED:
            option = f"--{name.replace('_', '-')}"
            such = f", such as {option} {EXAMPLES[name]}" if name in EXAMPLES else ""
            raise InputError(
                f"{option} is still a question mark.",
                kind="blank-left",
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


_REPEATED = {"totals": "--total", "prior": "--prior"}  # one option for each entry of a dict


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
        options = (_option(name, value) for name, value in way.settings.items())
        return f"{way.verb} {' '.join(options)}"
    return in_python((way,))


def _option(name: str, value: object) -> str:
    """Return a setting as it is typed after a command."""
    if name == "law":
        return f"{value} as LAW"
    if isinstance(value, Call) and name == "spend":
        numbers = zip(_LOSSES[value.name], [*value.args, *value.options.values()], strict=False)
        return " ".join(_option(loss, number) for loss, number in numbers)
    if name in _REPEATED and isinstance(value, Mapping):
        return " ".join(f"{_REPEATED[name]} {quote(f'{k}={_text(v)}')}" for k, v in value.items())
    if name == "csv" and isinstance(value, Mapping):
        return " ".join(_option(str(part), setting) for part, setting in value.items())
    if name in ("each", "sizes") and isinstance(value, Mapping):
        value = ",".join(f"{number}:{many}" for number, many in value.items())
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


_LONGEST = 2_000  # characters of a path or a name that shall be pasted


@dataclass(frozen=True, slots=True)
class Face:
    """Where a plan was typed: `spell` says there what to do about an error."""

    spell: Callable[[Ways], str]


def file_face(written: Written) -> Face:
    """Return the face of a plan file; what no file can say is said as Python."""
    return Face(lambda ways: Speller(written)(ways) or in_python(ways))


OPTIONS = Face(as_options)


def typed(text: object) -> str:
    """Return a path or a name as it is typed in a shell."""
    return quote(shown(text, _LONGEST))
