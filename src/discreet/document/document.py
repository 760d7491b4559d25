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
from operator import eq, is_, itemgetter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json

from ..errors import InputError
from ..statistic.statistic import Answer, AxisKind, Measured, columns_of
from ..text import prompt
from .row_text import read_apart
from .rows import Column, Integers, Rows, RowsField, kinds

FORMAT: Literal["discreet-release/2"] = "discreet-release/2"
CONVENTION = (
    "Each interval [low, high] is closed and, by itself, misses the truth with probability at most "
    "alpha over the noise: Pr[|error| > half-width] <= alpha. The truth is the statistic of the "
    "table after the declared limits on one unit, the bounds and the grid. A mean is shown where "
    "its noisy number of rows is so large that a group without rows shows one with probability at "
    "most 1/2000; its interval misses with probability at most alpha also given that it is shown."
)


_LONG = 1 << 14  # cells that are looked for among those of answers
_MAY_LACK = ("times", "shown", "cut", "spent", "budget")  # a text has them where they say something
_TEXT = json.encoder.encode_basestring_ascii  # as the encoder below writes text
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
    """The program that made the release."""

    name: str = Field(description="The name of the program.")
    version: str = Field(description="Its version; a note that `verify` does not check.")


class Protection(_Model):
    """The protected unit, the neighbor relation, and the loss."""

    sentence: str = Field(description="Who is protected, in a sentence.")
    unit: dict[str, str | int | None] = Field(
        description="The protected unit, as the table declares it."
    )
    neighbors: Literal["add_remove", "replace"] = Field(
        description="Which two tables must look alike: one unit more or less, or one exchanged."
    )
    loss: dict[str, str] = Field(description="What the release costs, by the kinds of loss.")


class LedgerEntry(_Model):
    """The charge that paid for the release."""

    id: str = Field(description="The number of the ledger.")
    subject: str = Field(description="The data set that the ledger is for.")
    seq: int = Field(description="The number of the charge.")
    hash: str = Field(description="The hash of the charge, which binds it to all before.")
    spent: dict[str, str] | None = Field(
        None, description="The loss that stood spent with this charge, by its kinds."
    )
    budget: dict[str, str] | None = Field(
        None, description="The loss that the ledger may spend in all, by its kinds."
    )


class Vector(_Model):
    """One noisy vector: its noise, its sensitivity, and its integers.

    Several questions may share one vector. Each then has its part of it. `times` says what a row of
    a count adds to its numbers, or half a step from the middle of a column.
    """

    cells: int = Field(description="How many numbers the vector has.")
    noise: dict[str, str] = Field(description="The law of the noise and its parameters, exact.")
    sensitivity: dict[str, str] = Field(
        description="How far one unit moves the vector: l1, the square of l2, and linf."
    )
    noisy: Integers = Field(description="The noisy integers.")
    times: int | None = Field(
        None, description="What one row adds, if several questions share the vector."
    )


class AnswerAxis(_Model):
    """An axis of numbers: keys, the bins of a column, the columns of a vector, or levels.

    Levels are numbers that were asked for, such as the shares of quantiles.
    """

    kind: AxisKind = Field(description="What the axis is: key, bin, column or level.")
    name: str = Field(description="The column's name, or what the levels are of.")


class AnswerTable(_Model):
    """The released numbers, with a row for each; value, low and high come last.

    The cells of the axes come first: one for a key, a column or a level, two for a bin. A mean, a
    variance or a quantile has `rows` before its value: the noisy number of its rows. This number is
    off by at most `rows_within`, except with probability alpha. A value is null if there are too
    few rows to say. The interval of such a value is the whole public range. If numbers add up, the
    number of several groups together is their sum.
    """

    axes: list[AnswerAxis] = Field(description="What the numbers are laid out by.")
    measure: Measured = Field(
        description="What the numbers are: counts, a column's measure, shares and so on."
    )
    adds_up: bool = Field(description="Whether numbers of several groups may be added.")
    rows_within: float | None = Field(description="How far off the noisy numbers of rows may be.")
    columns: list[str] = Field(description="The names of the columns.")
    rows: RowsField = Field(description="A row for each number; value, low and high come last.")


class Shown(_Model):
    """The places of the numbers that a rule of publication shows, in the order of the keys.

    The list is `cut` if more reached the threshold than may be shown.
    """

    of: int = Field(description="How many numbers there are in all.")
    places: Integers = Field(
        description="The places of those that are shown, in the order of the keys."
    )
    cut: Literal[True] | None = Field(
        None, description="True if more reached the threshold than may be shown."
    )


class Released(_Model):
    """One question with its noisy vectors and its answer.

    If a rule of publication says which numbers are shown, integers and answer are of these alone.
    """

    label: str = Field(description="The name of the question.")
    question: Plain = Field(description="What was asked, as plain data.")
    vectors: list[Vector] = Field(description="Its noisy vectors.")
    answer: AnswerTable = Field(description="Its answer, made of the noisy integers.")
    shown: Shown | None = Field(None, description="Which numbers a rule of publication shows.")


class Document(_Model):
    """A whole release."""

    format: Literal["discreet-release/2"] = Field(description="The name of this format.")
    software: Software = Field(description="The name and the version of what made it.")
    kind: Literal["release", "rehearsal"] = Field(
        description="A release, or a rehearsal on made-up rows."
    )
    request: str = Field(description="The name of the request, or the plan's digest.")
    created: str = Field(description="When it was made, in UTC.")
    title: str = Field(description="The title of the data or of the release.")
    protection: Protection = Field(description="Who is protected, and what it costs.")
    ledger: LedgerEntry | None = Field(
        description="Where the release was paid; null for a rehearsal."
    )
    plan: Plain = Field(description="The declaration, the questions and the loss, as plain data.")
    digest: str = Field(description="The digest of the plan.")
    alpha: str = Field(description="The probability at which an interval may miss.")
    convention: str = Field(description="How to read an interval, in words.")
    statistics: list[Released] = Field(
        description="The questions, with their noisy numbers and answers."
    )

    def __repr__(self) -> str:
        labels = ", ".join(released.label for released in self.statistics)
        return prompt("Document", f"{self.kind} of {self.title}: {labels}")

    def text(self) -> str:
        """Return the canonical text: sorted keys, no blanks, ASCII."""
        return "".join(pieces(self))


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
            kind="not-a-release",
            why=f"its text does not follow the schema of {FORMAT}",
            fix="give the folder, the zip or the release.json that `discreet release` wrote",
        ) from None
    for released in document.statistics:
        if not released.answer.rows.columns:  # a rule may show no number
            released.answer.rows.columns = ((),) * len(released.answer.columns)
    _keep_once(document)
    return document


def _keep_once(document: Document) -> None:
    """Let long lists that an answer holds again, keys and noisy numbers, be of the same objects."""
    table = document.plan.get("table")
    keys = table.get("keys") if isinstance(table, dict) else None
    lists = [vector.noisy for released in document.statistics for vector in released.vectors]
    lists += [*keys.values()] if isinstance(keys, dict) else []
    columns = [
        (rows.columns[at], rows.kinds(at))
        for rows in [released.answer.rows for released in document.statistics]
        for at in range(len(rows.columns))
    ]
    for cells in lists:
        if isinstance(cells, list) and len(cells) >= _LONG:
            cells[:] = next(
                (column for column, of in columns if _are_same(cells, column, of)), cells
            )


def _are_same(cells: list[Any], column: Column, types: set[type]) -> bool:
    """Tell whether these are the same cells, of the same types: a column's are known."""
    if len(cells) != len(column) or not all(map(eq, cells, column)) or kinds(cells) != types:
        return False
    return len(types) == 1 or all(map(is_, map(type, cells), map(type, column)))


def canonical(value: Any) -> str:
    """Return the canonical text of a document, a part of it, or plain data."""
    return "".join(pieces(value))


def pieces(value: Any, before: list[str] | None = None) -> list[str]:
    """Return the canonical text in pieces: rows, which can be long, are copied once at most."""
    texts = [] if before is None else before
    kind = type(value)
    if kind is not dict and isinstance(value, BaseModel):
        named = [(name, getattr(value, name)) for name in kind.model_fields]
        value = {name: part for name, part in named if part is not None or name not in _MAY_LACK}
        kind = dict
    if kind is dict and set(map(type, value)) == {str}:
        mark = "{"
        for name in sorted(value):
            texts.append(f"{mark}{_TEXT(name)}:")
            part, mark = value[name], ","
            if type(part) is str:
                texts.append(_TEXT(part))
            else:
                pieces(part, texts)
        texts.append("}")
    elif kind is Rows:
        texts.append(value.text())
    elif kind is list and kinds(value) == {int}:
        texts.append(to_json(value).decode())  # as JSON has them, and sooner
    elif kind is list and value and isinstance(value[0], BaseModel):
        for at, part in enumerate(value):
            texts.append("," if at else "[")
            pieces(part, texts)
        texts.append("]")
    else:
        texts.append(_CANONICAL.encode(value))
    return texts


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
