"""release.json: everything about a release, as plain data with a published schema.

Rules of this module:
- only public facts: the declaration, the plan, the noisy integers, the answers made of them;
- integers stay integers; exact rationals are text ("1/50");
- the canonical text is what a ledger stores and what a digest is taken of;
- plain data stands in the order of the canonical text from the start, so that a release reads the
  same before it is written and after;
- what a text holds is parsed once, strictly; long lists are checked in bulk (`rows`), and those
  that we made ourselves are not checked again.
"""

import json
from operator import itemgetter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from ..errors import InputError
from ..statistic.statistic import Answer, AxisKind, Measured, columns_of
from ..text import prompt
from .row_text import read_apart
from .rows import Integers, Rows, RowsField, kinds

FORMAT: Literal["discreet-release/2"] = "discreet-release/2"
CONVENTION = (
    "Each interval [low, high] is closed and, by itself, misses the truth with probability at most "
    "alpha over the noise: Pr[|error| > half-width] <= alpha. The truth is the statistic of the "
    "table after the declared limits on one unit, the bounds and the grid. A mean is shown where "
    "its noisy number of rows is so large that a group without rows shows one with probability at "
    "most 1/2000; its interval misses with probability at most alpha also given that it is shown."
)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def _in_order(value: Any) -> Any:
    """Return plain data with its names sorted, as the canonical text has them."""
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    if isinstance(value, list) and kinds(value) & {dict, list}:
        return [_in_order(item) for item in value]
    return value


Plain = Annotated[dict[str, Any], AfterValidator(_in_order)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Software(_Model):
    """What made the release."""

    name: str
    version: str


class Protection(_Model):
    """Who is protected, against what, at which loss."""

    sentence: str
    unit: dict[str, str | int | None]
    neighbors: Literal["add_remove", "replace"]
    loss: dict[str, str]


class LedgerEntry(_Model):
    """Where the release was paid: the ledger, the charge, and the charge's hash."""

    id: str
    subject: str
    seq: int
    hash: str


class Vector(_Model):
    """One noisy vector: its noise, how far one unit moves it, and its integers.

    Where several questions have one vector together, each has its part of it, and `times` says what
    a row of a count, or half a step from the middle of a column, adds to its numbers.
    """

    cells: int
    noise: dict[str, str]
    sensitivity: dict[str, str]
    noisy: Integers
    times: int | None = None


class AnswerAxis(_Model):
    """What numbers are laid out by: a key, the bins of a column, the columns of a vector, or levels
    that were asked, such as the shares of quantiles."""

    kind: AxisKind
    name: str


class AnswerTable(_Model):
    """The released numbers, what they are, and a row for each; value, low and high come last.

    The cells of the axes come first: one for a key, a column or a level, two for a bin. A mean, a
    variance or a quantile has `rows` before its value: the noisy number of rows it is made of, off
    by at most `rows_within` but with probability alpha. A value is null where there are too few
    rows to say; its interval is then the whole public range. Where numbers add up, those of several
    groups together are their sum.
    """

    axes: list[AnswerAxis]
    measure: Measured
    adds_up: bool
    rows_within: float | None
    columns: list[str]
    rows: RowsField


class Shown(_Model):
    """Which numbers a rule of publication shows: their places in the order of the keys, of all.

    The list is `cut` where more reached the threshold than may be shown.
    """

    of: int
    places: Integers
    cut: Literal[True] | None = None


class Released(_Model):
    """One question with its noisy vectors and its answer.

    Where a rule of publication says which numbers are shown, its integers and its answer are of
    these alone.
    """

    label: str
    question: Plain
    vectors: list[Vector]
    answer: AnswerTable
    shown: Shown | None = None


class Document(_Model):
    """A whole release."""

    format: Literal["discreet-release/2"]
    software: Software
    kind: Literal["release", "rehearsal"]
    request: str
    created: str
    title: str
    protection: Protection
    ledger: LedgerEntry | None
    plan: Plain
    digest: str
    alpha: str
    convention: str
    statistics: list[Released]

    def __repr__(self) -> str:
        labels = ", ".join(released.label for released in self.statistics)
        return prompt("Document", f"{self.kind} of {self.title}: {labels}")

    def text(self) -> str:
        """Return the canonical text: sorted keys, no blanks, ASCII."""
        return canonical(self)


def document_of(text: str) -> Document:
    """Return the document that a text holds.

    Raises:
        InputError: the text is not a release of this format.
    """
    try:
        document = Document.model_validate(read_apart(text, _read))
    except (ValueError, ValidationError, RecursionError):
        raise InputError(
            "this file is not a release of discreet.",
            why=f"its text does not follow the schema of {FORMAT}",
            fix="give the folder, the zip or the release.json that `discreet release` wrote",
        ) from None
    for released in document.statistics:
        if not released.answer.rows.columns:  # a rule may show no number
            released.answer.rows.columns = ((),) * len(released.answer.columns)
    return document


def canonical(value: Any) -> str:
    """Return the canonical text of a document, a part of it, or plain data."""
    if isinstance(value, BaseModel):
        names = sorted(type(value).model_fields)
        names = [
            name
            for name in names
            if name not in ("times", "shown", "cut") or getattr(value, name) is not None
        ]
        parts = [f'"{name}":{canonical(getattr(value, name))}' for name in names]
        return f"{{{','.join(parts)}}}"
    if isinstance(value, Rows):
        return value.text()
    if isinstance(value, list) and value and isinstance(value[0], BaseModel):
        return f"[{','.join(map(canonical, value))}]"
    return _CANONICAL.encode(value)


def _read(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says a thing twice: two readers could believe two things."""
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise ValueError
    return entries


def _no_number(_name: str) -> None:
    raise ValueError


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of release.json."""
    return Document.model_json_schema()


def answer_table(answer: Answer) -> AnswerTable:
    """Return an answer's numbers as columns: those of its axes, then its numbers."""
    columns = columns_of(answer.axes, answer.measure, linear=answer.linear is not None)
    beside = (answer.rows, answer.linear, answer.deviation)
    numbers = [
        *(column for column in beside if column is not None),
        answer.values,
        answer.low,
        answer.high,
    ]
    width = len(columns) - len(numbers)
    index = [tuple(map(itemgetter(at), answer.index)) for at in range(width)]
    return AnswerTable(
        axes=[AnswerAxis(kind=axis.kind, name=axis.name) for axis in answer.axes],
        measure=answer.measure,
        adds_up=answer.adds_up,
        rows_within=answer.rows_within,
        columns=columns,
        rows=Rows([*index, *numbers]),
    )
