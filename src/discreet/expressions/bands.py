"""Bands of a number with a name each, and first of several conditions, as data frames write them.

`cut(age, breaks, labels)` of R and pandas and `np.select(conditions, values)` are a CASE. Without
labels the bands are called by their ends, in another way in each library: refused, with the CASE.

Rules of this module:
- an interval has its upper end, as both libraries have it, unless `right` says no;
- what is in no interval is missing, and so is what is missing.

Decision 105.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from ..errors import InputError
from .choices import result_of
from .kinds import Piece
from .literals import number, unquoted
from .reading import Reading
from .refusals import refused
from .tokens import Token

_LISTS = {"[": "]", "C": ")"}
_INFINITE = ("INF", "INFINITY")
_OPTIONS = {
    "breaks": "ends",
    "bins": "ends",
    "labels": "labels",
    "right": "right",
    "left_closed": "right",  # of Polars, and the opposite
    "include_lowest": "lowest",
    "include.lowest": "lowest",
}
_CASE = "CASE WHEN age <= 18 THEN 'young' WHEN age <= 65 THEN 'middle' ELSE 'old' END"


@dataclass(slots=True)
class _Cut:
    """What is said of bands: their ends (None where open), their names, which ends count."""

    ends: list[str | None] = field(default_factory=list)
    labels: list[Piece] = field(default_factory=list)
    right: bool = True
    lowest: bool = False

    def why_not(self) -> str:
        """Return why it says no bands; nothing where it does."""
        ends = [None if end is None else Fraction(end) for end in self.ends]
        is_rising = (
            all(low is None or high is None or low < high for low, high in pairwise(ends))
            and None not in ends[1:-1]
        )
        if len(ends) < 2 or not is_rising:
            return "bands lie between numbers that rise"
        if len(self.labels) != len(ends) - 1:
            return "without a label for each, bands are called by their ends, as each library likes"
        return "R then takes the last end, pandas the first" if self.lowest > self.right else ""


def cut_of(reader: Reading, token: Token) -> Piece:
    """Read cut(x, breaks, labels): the name of the band that a number is in."""
    reader.is_framed = True
    reader.place += 2
    before, value = reader.parts, reader.whole()
    again = reader.parts - before  # the parts that each comparison has once more
    return _banded(reader, token, value, _options(reader, token), again)


def cut_behind(reader: Reading, token: Token, value: Piece) -> Piece:
    """Read x.cut(breaks, labels=...) of Polars: the outer bands are open, and have labels, too."""
    cut = _options(reader, token, first=True)
    cut.ends = [None, *cut.ends, None]
    return _banded(reader, token, value, cut, 1 + _size(value))


def _size(part: Piece) -> int:
    return 1 + sum(map(_size, part.args))


def _banded(reader: Reading, token: Token, value: Piece, cut: _Cut, again: int) -> Piece:
    """Return the bands as a CASE."""
    if why := cut.why_not():
        raise _not_read(reader, token, why)
    inside, outside = ("<=", "<" if cut.lowest else "<=") if cut.right else ("<", "<")
    args: list[Piece] = []
    for end, label in zip(cut.ends, [None, *cut.labels], strict=True):
        reader.parts += again
        if end is not None:
            limit = reader.part("number", [], token.start, end.lstrip("-"))
            limit = reader.part("neg", [limit], token.start) if end[0] == "-" else limit
            sign = outside if label is None else inside
            none = reader.part("null", [], token.start, "NULL")
            args += [reader.part(sign, [value, limit], token.start), label or none]
        elif label is not None:
            there = reader.part("is_null", [value], token.start)
            args += [reader.part("not", [there], token.start), label]
    return reader.part("case", args, token.start)


def _options(reader: Reading, token: Token, *, first: bool = False) -> _Cut:
    """Read what stands behind the number; with `first`, what stands first."""
    cut, seen = _Cut(), set[str]()
    while (first and not seen) or reader.take(","):
        written = _name(reader) or "breaks"
        name, is_left = _OPTIONS.get(written, ""), written == "left_closed"
        if not name or name in seen:
            raise _not_read(reader, token, "this option is not taken here")
        seen.add(name)
        if name in ("right", "lowest"):
            truth = reader.take("TRUE", "FALSE")
            if truth is None:
                raise reader.wrong("TRUE or FALSE")
            setattr(cut, name, truth.says("TRUE") != is_left)
        elif reader.here.text.upper() not in _LISTS:
            raise _not_read(reader, token, "how many bands there are does not say where")
        elif name == "labels":
            cut.labels = _labels(reader)
        else:
            cut.ends = _ends(reader)
    reader.need(")")
    return cut


def _name(reader: Reading) -> str:
    """Read the name of an option and its sign; nothing where it has none."""
    tokens, place = reader.tokens, reader.place
    parts = 3 if tokens[place + 1].says(".") else 1
    if tokens[place].kind != "word" or not tokens[place + parts].says("="):
        return ""
    reader.place += parts + 1
    return "".join(word.text for word in tokens[place : place + parts]).lower()


def _open(reader: Reading) -> str:
    """Read the beginning of a list, and return the sign that closes it."""
    token = reader.here
    reader.place += 1
    if token.says("C"):
        reader.need("(")
    return _LISTS[token.text.upper()]


def _labels(reader: Reading) -> list[Piece]:
    closed = _open(reader)

    def label() -> Piece:
        token = reader.here
        if token.kind != "quoted":
            return result_of(reader)
        reader.place += 1
        return reader.part("text", [], token.start, unquoted(token.text))

    return reader.arguments(closed, label)


def _ends(reader: Reading) -> list[str | None]:
    """Read numbers; one that is infinite is no end."""
    closed, ends = _open(reader), list[str | None]()
    while True:
        sign = "-" if reader.take("-") else ""
        if reader.take("NP", "NUMPY"):
            reader.need(".")
        token = reader.here
        value = number(token.text.replace("_", "")) if token.kind == "number" else None
        if value is None and not token.says(*_INFINITE):
            raise reader.wrong("a number")
        reader.place += 1
        ends.append(None if value is None else f"{sign}{value}")
        if not reader.take(","):
            reader.need(closed)
            return ends


def select_of(reader: Reading, token: Token) -> Piece:
    """Read np.select([a, b], [x, y], default=z): the value of the first condition that is true."""
    reader.is_framed = True
    reader.place += 2
    reader.need("[")
    tests = reader.arguments("]")
    reader.need(",")
    reader.need("[")
    values = reader.arguments("]", lambda: result_of(reader))
    args = [part for pair in zip(tests, values, strict=False) for part in pair]
    if reader.take(","):
        _name(reader)
        args.append(result_of(reader))
    reader.need(")")
    if len(tests) != len(values) or len(args) % 2 == 0:
        raise _not_read(
            reader, token, "each condition has a value, and numpy has 0 for what is else"
        )
    return reader.part("case", args, token.start)


def _not_read(reader: Reading, token: Token, why: str) -> InputError:
    return refused(
        reader.text, token.start, token.end, "this is not understood.", why=why,
        fix=f"write {_CASE}",
    )  # fmt: skip
