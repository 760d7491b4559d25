"""What a plan file may say: its parts and their names.

Plain data as TOML, in one line.

Rules of this module:
- only shapes are checked here; what the words mean is checked by the rooms that own them;
- a name that is not listed is an error, so that no typing error changes a release in silence;
- what is written reads back as the same, whatever a name or a text holds; halves of characters,
  which no file can hold, become the sign for what is not known.
"""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

Written = Any  # a number or text; the exact room decides what it is worth


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _kind(value: object) -> str:
    return "table" if isinstance(value, dict) else "list" if isinstance(value, list) else "word"


class UnitPart(_Part):
    """Who is protected, where that is more than a row."""

    column: str
    max_rows: int | None = None
    sampling: Literal["native", "portable"] = "native"


class CsvColumnPart(_Part):
    """How the cells of one column of CSV files are written, where not as the others."""

    decimal: str | None = None
    thousands: str | None = None
    currency: str | None = None
    missing: list[Any] | None = None
    days: str | None = None
    times: str | None = None


class CsvPart(_Part):
    """How the cells of CSV files are written, where that is not as usual; see `CsvOptions`."""

    separator: str | None = None
    quote: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    currency: str | None = None
    encoding: str | None = None
    missing: list[Any] | None = None
    trim: bool | None = None
    multiline: bool | None = None
    days: str | None = None
    times: str | None = None
    fixed: dict[str, Any] | None = None
    columns: dict[str, CsvColumnPart] | None = None


Paths = Annotated[
    Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
]


class DataPart(_Part):
    """Where the data is and who is protected."""

    source: Paths
    unit: Annotated[
        Annotated[Literal["row"], Tag("word")] | Annotated[UnitPart, Tag("table")],
        Discriminator(_kind),
    ]
    neighbors: Literal["add_remove", "replace"] = "add_remove"
    name: str | None = None
    table: str | None = None
    csv: CsvPart | None = None
    where: str | None = None
    rows: int | None = None
    units: int | None = None


class BoundsPart(_Part):
    """The public range of a column."""

    lower: Written
    upper: Written
    step: Written | None = None
    missing: Written | None = None


class RangePart(_Part):
    """Whole-number keys, both ends included."""

    start: int = Field(alias="from")
    end: int = Field(alias="to")


class ListPart(_Part):
    """Keys that a column of a public file lists; see `discreet.keys`."""

    file: str
    column: str | None = None


class UnknownPart(_Part):
    """Keys that nobody knows beforehand: how they are found; see `discreet.unknown`."""

    unknown: Literal[True]
    max_groups: int
    longest: int | None = None
    share: Written | None = None
    other: str | None = None
    missing: str | None = None
    of: list[str] | None = None


def _kind_of_keys(value: object) -> str:
    if isinstance(value, dict) and value and all(isinstance(keys, list) for keys in value.values()):
        return "spelled"
    if isinstance(value, dict) and isinstance(value.get("file"), str):
        return "in a file"
    return "unknown" if isinstance(value, dict) and "unknown" in value else _kind(value)


SpelledPart = dict[str, list[Any]]  # of each key in which other ways cells say it
KeysPart = Annotated[
    Annotated[list[Any], Tag("list")]
    | Annotated[SpelledPart, Tag("spelled")]
    | Annotated[RangePart, Tag("table")]
    | Annotated[ListPart, Tag("in a file")]
    | Annotated[UnknownPart, Tag("unknown")],
    Discriminator(_kind_of_keys),
]


class JoinPart(_Part):
    """A second table of the same units; see `discreet.join`."""

    source: Paths | None = None
    gives: list[str]
    key: str = ""
    on: str = ""
    how: str = "inner"
    table: str | None = None
    csv: CsvPart | None = None


class OwnerPart(_Part):
    """The table of who owns each row; see `discreet.owner`."""

    source: Paths | None = None
    on: str
    gives: list[str]
    key: str = ""
    table: str | None = None
    csv: CsvPart | None = None


class DerivePart(_Part):
    """A column made of each row, by an expression or a lookup, with its public bounds and keys."""

    expression: str | None = None
    lookup: str | None = None
    lower: Written | None = None
    upper: Written | None = None
    step: Written | None = None
    missing: Written | None = None
    keys: KeysPart | None = None


class LevelsPart(_Part):
    """A public hierarchy of keys: its columns from the coarsest on, and a file or rows."""

    columns: list[str]
    file: str | None = None
    rows: list[list[Any]] | None = None


class SpendPart(_Part):
    """What the release may cost, or the errors wanted; and the ledger that pays."""

    rho: Written | None = None
    mu2: Written | None = None
    epsilon: Written | None = None
    delta: Written | None = None
    within: Written | None = None
    kind: Literal["zcdp", "gdp", "pure"] | None = None
    ledger: str | None = None


class PublishPart(_Part):
    """Which numbers are shown, and how; see `discreet.publish`."""

    at_least: Written | None = None
    within: Written | None = None
    round_to: Written | None = None
    coverage: str | None = None
    most: int | None = None


class AskPart(_Part):
    """One question; which options it takes is known by its statistic.

    `title` and `chart` are no part of what is asked: they are said of it, as under [about].
    """

    model_config = ConfigDict(extra="allow")

    statistic: str
    column: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
    ] = ""
    by: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[Any], Tag("list")], Discriminator(_kind)
    ] = Field(default_factory=list)


class AlsoPart(_Part):
    """What is derived of the release; which options it takes is known by its kind."""

    model_config = ConfigDict(extra="allow")

    derive: str


class FilePart(_Part):
    """A whole plan file."""

    title: str | None = None
    alpha: Written = "0.05"
    share: bool = True
    together: bool = False
    data: DataPart
    columns: dict[str, BoundsPart] = Field(default_factory=dict)
    keys: dict[str, KeysPart] = Field(default_factory=dict)
    other: dict[str, Written] = Field(default_factory=dict)
    missing: dict[str, Written] = Field(default_factory=dict)
    join: dict[str, JoinPart] = Field(default_factory=dict)
    owner: dict[str, OwnerPart] = Field(default_factory=dict)
    derive: dict[str, DerivePart] = Field(default_factory=dict)
    levels: dict[str, LevelsPart] = Field(default_factory=dict)
    spend: SpendPart
    publish: PublishPart | None = None
    ask: list[AskPart]
    also: list[AlsoPart] = Field(default_factory=list)
    about: dict[str, Any] = Field(default_factory=dict)
    labels: dict[str, Any] = Field(default_factory=dict)


class AboutPart(_Part):
    """What a publisher says, in a file of its own; see `discreet annotate`."""

    title: str | None = None
    about: dict[str, Any] = Field(default_factory=dict)
    labels: dict[str, Any] = Field(default_factory=dict)
    questions: dict[str, Any] = Field(default_factory=dict)


HEADING = ("title", "chart")  # of a question: said of it, and no part of what is asked
PARTS: dict[str, type[_Part]] = {
    "": FilePart,
    "data": DataPart,
    "data.unit": UnitPart,
    "data.csv": CsvPart,
    "columns.*": BoundsPart,
    "keys.*": RangePart,
    "join.*": JoinPart,
    "owner.*": OwnerPart,
    "join.*.csv": CsvPart,
    "owner.*.csv": CsvPart,
    "derive.*": DerivePart,
    "derive.*.keys": RangePart,
    "levels.*": LevelsPart,
    "spend": SpendPart,
    "publish": PublishPart,
}


def names_of(pattern: str, there: object = None) -> list[str]:
    """Return the names that a part of a plan file knows; none where all names are free.

    Args:
        pattern: the place, with each free name as a star.
        there: what is written there.
    """
    is_list = pattern.endswith(("keys.*", ".keys")) and isinstance(there, dict) and "file" in there
    part = ListPart if is_list else PARTS.get(pattern)
    return [] if part is None else [f.alias or name for name, f in part.model_fields.items()]


def toml(value: Any) -> str:
    """Return plain data as TOML writes it, in one line.

    Example:
        >>> print(toml({"a b": [1, Decimal("0.5"), "x"], "c": True}))
        { "a b" = [1, 0.5, "x"], c = true }
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, date)):
        return str(value)
    if isinstance(value, Decimal):
        return str(value).lower().replace("infinity", "inf")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key_of(k)} = {toml(v)}' for k, v in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return text_of(str(value))


def key_of(name: str) -> str:
    """Return a name as TOML writes it before the equals sign."""
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else text_of(name)


def text_of(text: str) -> str:
    """Return text in the quotes of TOML; JSON's escapes are TOML's, for what can be printed."""
    plain = all(c.isprintable() for c in text) and not has_half_characters(text)
    return json.dumps(text, ensure_ascii=False) if plain else f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    """Return a character as its code point, where it cannot stand for itself."""
    if 0xD800 <= ord(character) < 0xE000:
        return "\\uFFFD"
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08X}"


def has_half_characters(text: str) -> bool:
    """Tell whether a text holds halves of characters, which no file can."""
    return any(0xD800 <= ord(character) < 0xE000 for character in text)
