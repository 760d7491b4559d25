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
    """The protected unit, if it is more than a row."""

    column: str = Field(
        description="The column that names the unit, for example a person's number."
    )
    max_rows: int | None = Field(
        None, description="How many rows of one unit count at most, in the whole release."
    )
    sampling: Literal["native", "portable"] = Field(
        "native",
        description="The hash that chooses rows: the engine's own, or one for all engines.",
    )


class CsvColumnPart(_Part):
    """How one column of CSV files is written, if it differs from the other columns."""

    decimal: str | None = Field(None, description="The sign before decimals in this column.")
    thousands: str | None = Field(None, description="The sign between thousands in this column.")
    currency: str | None = Field(
        None, description="A sign of currency before or behind the numbers of this column."
    )
    missing: list[Any] | None = Field(
        None, description="Further words for a missing cell in this column."
    )
    days: str | None = Field(None, description="The form of days in this column, as in %d.%m.%Y.")
    times: str | None = Field(
        None, description="The form of times of day in this column, as in %H:%M."
    )


class CsvPart(_Part):
    """The way in which CSV files are written, if it is not the usual one."""

    separator: str | None = Field(
        None,
        description="The sign between cells; by default the first line shows it.",
    )
    quote: str | None = Field(
        None, description='The sign around cells that hold separators; "" for none.'
    )
    decimal: str | None = Field(
        None, description="The sign before the decimals of a number; by default a point."
    )
    thousands: str | None = Field(None, description="The sign between thousands; by default none.")
    currency: str | None = Field(
        None, description="A sign that may stand before or behind a number."
    )
    encoding: str | None = Field(None, description="How text is encoded; by default utf-8.")
    missing: list[Any] | None = Field(None, description="The words that mean a missing cell.")
    trim: bool | None = Field(
        None, description="Whether blanks around cells are removed; by default not."
    )
    multiline: bool | None = Field(
        None, description="Whether a quoted cell may hold line ends; by default not."
    )
    days: str | None = Field(None, description="The form of days, as in %d.%m.%Y; else 2026-11-03.")
    times: str | None = Field(
        None,
        description="The form of times, as in %I:%M%p, with their day or without; else 10:30:00.",
    )
    fixed: dict[str, Any] | None = Field(
        None,
        description="The first and the last place of each column in a line without separators.",
    )
    columns: dict[str, CsvColumnPart] | None = Field(
        None, description="What differs in single columns, by their names."
    )


Paths = Annotated[
    Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
]


class DataPart(_Part):
    """The source of the data, and the protected unit."""

    source: Paths = Field(
        description="The path of the data, a list of paths, or the address of a Postgres server."
    )
    unit: Annotated[
        Annotated[Literal["row"], Tag("word")] | Annotated[UnitPart, Tag("table")],
        Discriminator(_kind),
    ] = Field(description='Who is protected: "row", or a table that names the column of the unit.')
    neighbors: Literal["add_remove", "replace"] = Field(
        "add_remove",
        description="Tables that must look alike: one unit more or less, or one exchanged.",
    )
    name: str | None = Field(
        None,
        description="The name of the data in plans and releases; on a server, the table to read.",
    )
    table: str | None = Field(
        None, description="Which table of a workbook or a database file is read."
    )
    csv: CsvPart | None = Field(
        None,
        description="How text is written, if not as usual; not of servers.",
    )
    where: str | None = Field(
        None, description='A condition: a row counts only if it is true, as in "age >= 18".'
    )
    rows: int | None = Field(None, description="How many rows there are, if that is public.")
    units: int | None = Field(None, description="How many units there are, if that is public.")


class BoundsPart(_Part):
    """The public range of a column that is summed, averaged or put into bins."""

    lower: Written = Field(description="The lower end of the public range.")
    upper: Written = Field(description="The upper end of the public range.")
    step: Written | None = Field(
        None, description="The step of the grid: values are rounded to its multiples."
    )
    missing: Written | None = Field(
        None, description="The value that a missing cell counts as; else such a row does not count."
    )


class RangePart(_Part):
    """Keys that are whole numbers, both ends included."""

    start: int = Field(alias="from", description="The first key.")
    end: int = Field(alias="to", description="The last key.")


class ListPart(_Part):
    """Keys that a column of a public file lists."""

    file: str = Field(description="The path of a public CSV file that lists the keys.")
    column: str | None = Field(
        None, description="The column of that file; by default the one of the same name."
    )


class UnknownPart(_Part):
    """Keys that nobody knows beforehand, and how discreet finds them."""

    unknown: Literal[True] = Field(description="True: discreet finds keys in the data, at a price.")
    max_groups: int = Field(description="How many different keys of one unit count at most.")
    longest: int | None = Field(
        None, description="How many letters a key may have; longer ones are never shown."
    )
    share: Written | None = Field(
        None,
        description="The part of the plan's loss that the search takes; by default a half.",
    )
    other: str | None = Field(
        None, description="The name of the group of all keys that are not shown."
    )
    missing: str | None = Field(None, description="The name of the group of rows without a value.")
    of: list[str] | None = Field(
        None, description="The columns of which a key is made, if several."
    )


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
    """A second table of the same units. Each row is joined with all rows of its unit."""

    source: Paths | None = Field(
        None,
        description="The path of the second table, or a list; on a server, this part's name.",
    )
    gives: list[str] = Field(description="The columns that discreet reads from this table.")
    key: str = Field(
        "", description="The column that names the unit in it; else the one of the same name."
    )
    on: str = Field("", description="Always the unit's column; you can leave it out.")
    how: str = Field("inner", description='Always "inner"; you can leave it out.')
    table: str | None = Field(
        None, description="Which table of a workbook or a database file is read."
    )
    csv: CsvPart | None = Field(None, description="How its text is written, if not as usual.")


class OwnerPart(_Part):
    """A table that names the owner of each row."""

    source: Paths | None = Field(
        None,
        description="The path of the table of owners, or a list; on a server, this part's name.",
    )
    on: str = Field(description="The column of the data that refers to an owner.")
    gives: list[str] = Field(
        description="The columns that discreet reads from this table, with the unit's column."
    )
    key: str = Field(
        "", description="The column that names an owner, if it has another name than `on`."
    )
    table: str | None = Field(
        None, description="Which table of a workbook or a database file is read."
    )
    csv: CsvPart | None = Field(None, description="How its text is written, if not as usual.")


class DerivePart(_Part):
    """A column, with public bounds or keys, that an expression or a lookup computes."""

    expression: str | None = Field(
        None,
        description='The expression that makes the column from each row, as in "floor(age / 10)".',
    )
    lookup: str | None = Field(
        None,
        description="The public table under [levels] that gives the column, by its name.",
    )
    lower: Written | None = Field(None, description="The lower end of the public range.")
    upper: Written | None = Field(None, description="The upper end of the public range.")
    step: Written | None = Field(None, description="The distance of the values on the grid.")
    missing: Written | None = Field(None, description="The value that a missing cell counts as.")
    keys: KeysPart | None = Field(None, description="The public values of the column.")


class LevelsPart(_Part):
    """A public hierarchy of keys: its columns from the coarsest on, and a file or rows."""

    columns: list[str] = Field(description="The columns of the hierarchy, the coarsest first.")
    file: str | None = Field(None, description="The path of a public CSV file with these columns.")
    rows: list[list[Any]] | None = Field(
        None, description="The rows of the hierarchy, in place of a file."
    )


class SpendPart(_Part):
    """The loss that the release may cost, or the wanted errors; and the ledger that pays."""

    rho: Written | None = Field(None, description="The loss of the release in zCDP.")
    mu2: Written | None = Field(
        None, description="The loss of the release in Gaussian differential privacy, squared."
    )
    epsilon: Written | None = Field(None, description="The loss of the release in epsilon.")
    delta: Written | None = Field(None, description="The delta that goes with this loss.")
    within: Written | None = Field(
        None,
        description="The half-width wanted for each question that names none, if you give no loss.",
    )
    kind: Literal["zcdp", "gdp", "pure"] | None = Field(
        None, description="The kind of loss to spend for wanted errors, if you give no loss."
    )
    ledger: str | None = Field(None, description="The path of the ledger that pays.")


class PublishPart(_Part):
    """A rule for all questions: which numbers are shown, and how."""

    at_least: Written | None = Field(
        None,
        description="Show a number if it is at least this; a mean if it has so many rows.",
    )
    within: Written | None = Field(
        None,
        description='Show a number if its interval reaches no further: "25%" of it, or 10.',
    )
    round_to: Written | None = Field(
        None, description="Round values to multiples of this, and the ends of intervals outward."
    )
    coverage: str | None = Field(
        None,
        description='The guarantee of shown intervals: "rate", "marginal" or "conditional".',
    )
    most: int | None = Field(
        None,
        description="Show so many numbers at most, the largest ones; for counts with at_least.",
    )


class AskPart(_Part):
    """One question. The statistic of a question decides which options it takes.

    `title` and `chart` are words for readers, as under [about]. These words are not part of the
    question.
    """

    model_config = ConfigDict(extra="allow")

    statistic: str = Field(description="The name of a statistic: see below.")
    column: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
    ] = Field("", description="The column that is asked about, or several.")
    by: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[Any], Tag("list")], Discriminator(_kind)
    ] = Field(default_factory=list, description="The column or columns of the groups.")


class AlsoPart(_Part):
    """Numbers that are derived from the release. The kind decides the options."""

    model_config = ConfigDict(extra="allow")

    derive: str = Field(
        description="The kind of derived number: total, difference, ratio and so on."
    )


class FilePart(_Part):
    """A whole plan file."""

    title: str | None = Field(None, description="The title of the release.")
    alpha: Written = Field(
        "0.05", description="The probability that an interval misses; by default 0.05."
    )
    share: bool = Field(
        default=True,
        description="Whether a count and means of the same groups may share one vector of noise.",
    )
    together: bool = Field(
        default=False, description="Whether all intervals of the plan hold at once."
    )
    data: DataPart = Field(description="Where the data is, and who is protected.")
    columns: dict[str, BoundsPart] = Field(
        default_factory=dict, description="The public ranges of columns, by their names."
    )
    keys: dict[str, KeysPart] = Field(
        default_factory=dict, description="The public values of columns, by their names."
    )
    other: dict[str, Written] = Field(
        default_factory=dict,
        description="The name of one more group for every other row, by columns.",
    )
    missing: dict[str, Written] = Field(
        default_factory=dict,
        description="The name of one more group for missing cells, by columns.",
    )
    join: dict[str, JoinPart] = Field(
        default_factory=dict, description="Further tables of the same units, by name."
    )
    owner: dict[str, OwnerPart] = Field(
        default_factory=dict, description="Tables that say who owns each row, by name."
    )
    derive: dict[str, DerivePart] = Field(
        default_factory=dict, description="Columns that are computed from each row, by their names."
    )
    levels: dict[str, LevelsPart] = Field(
        default_factory=dict, description="Public hierarchies of keys, by name."
    )
    spend: SpendPart = Field(description="What the release may cost, and which ledger pays.")
    publish: PublishPart | None = Field(None, description="Which numbers are shown.")
    ask: list[AskPart] = Field(description="The questions.")
    also: list[AlsoPart] = Field(
        default_factory=list,
        description="Numbers that are derived from released ones, at no cost.",
    )
    about: dict[str, Any] = Field(
        default_factory=dict,
        description="What readers should know: publisher, source, flags and so on.",
    )
    labels: dict[str, Any] = Field(
        default_factory=dict, description="Names, units and labels of columns, by their names."
    )


class AboutPart(_Part):
    """The words of a publisher, in a file of their own, for `discreet annotate`."""

    title: str | None = Field(None, description="The title of the release.")
    about: dict[str, Any] = Field(
        default_factory=dict,
        description="What readers should know: publisher, source, flags and so on.",
    )
    labels: dict[str, Any] = Field(
        default_factory=dict, description="Names, units and labels of columns."
    )
    questions: dict[str, Any] = Field(
        default_factory=dict, description="Titles and charts of questions, by their labels."
    )


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
