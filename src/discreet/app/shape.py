"""What a plan file may say: its parts, their names, and an example of each.

Rules of this module:
- only shapes are checked here; what the words mean is checked by the rooms that own them;
- a name that is not listed is an error, so that no typing error changes a release in silence;
- each name has an example, because an error ends with something that can be typed.
"""

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


class DataPart(_Part):
    """Where the data is and who is protected."""

    source: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
    ]
    unit: Annotated[
        Annotated[Literal["row"], Tag("word")] | Annotated[UnitPart, Tag("table")],
        Discriminator(_kind),
    ]
    neighbors: Literal["add_remove", "replace"] = "add_remove"
    name: str | None = None


class BoundsPart(_Part):
    """The public range of a column."""

    lower: Written
    upper: Written
    step: Written | None = None


class RangePart(_Part):
    """Whole-number keys, both ends included."""

    start: int = Field(alias="from")
    end: int = Field(alias="to")


KeysPart = Annotated[
    Annotated[list[Any], Tag("list")] | Annotated[RangePart, Tag("table")], Discriminator(_kind)
]


class SpendPart(_Part):
    """What the release may cost, or the errors wanted; and the ledger that pays."""

    rho: Written | None = None
    epsilon: Written | None = None
    delta: Written | None = None
    within: Written | None = None
    kind: Literal["zcdp", "pure"] = "zcdp"
    ledger: str | None = None


class AskPart(_Part):
    """One question; which options it takes is known by its statistic."""

    model_config = ConfigDict(extra="allow")

    statistic: str
    column: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
    ] = ""
    by: Annotated[
        Annotated[str, Tag("word")] | Annotated[list[str], Tag("list")], Discriminator(_kind)
    ] = Field(default_factory=list)


class FilePart(_Part):
    """A whole plan file."""

    title: str | None = None
    alpha: Written = "0.05"
    data: DataPart
    columns: dict[str, BoundsPart] = Field(default_factory=dict)
    keys: dict[str, KeysPart] = Field(default_factory=dict)
    spend: SpendPart
    ask: list[AskPart]


EXAMPLES = {
    "title": 'title = "Wages and schooling"',
    "alpha": 'alpha = "0.05", before the first [part]',
    "data": 'a part [data] with source = "people.csv" and unit = "row"',
    "data.source": 'source = "people.csv"',
    "data.unit": 'unit = "row", or unit = { column = "person", max_rows = 8 }',
    "data.unit.column": 'unit = { column = "person", max_rows = 8 }',
    "data.unit.max_rows": 'unit = { column = "person", max_rows = 8 }',
    "data.neighbors": 'neighbors = "add_remove", or neighbors = "replace"',
    "data.name": 'name = "people"',
    "columns": 'a part [columns] with lines such as age = { lower = 0, upper = 120, step = "1" }',
    "columns.*": '{ lower = 0, upper = 120, step = "1" }',
    "columns.*.lower": '{ lower = 0, upper = 120, step = "1" }',
    "columns.*.upper": '{ lower = 0, upper = 120, step = "1" }',
    "columns.*.step": '{ lower = 0, upper = 120, step = "1" }',
    "keys": 'a part [keys] with lines such as sex = ["female", "male"]',
    "keys.*": '["A", "B"], or { from = 0, to = 20 }',
    "keys.*.from": "{ from = 0, to = 20 }",
    "keys.*.to": "{ from = 0, to = 20 }",
    "spend": 'a part [spend] with rho = "1/50" and ledger = "people.ledger"',
    "spend.rho": 'rho = "1/50"',
    "spend.epsilon": "epsilon = 1",
    "spend.delta": 'epsilon = 1 and delta = "1e-6"',
    "spend.within": 'within = 20, or within = [20, "0.05"] with one error for each question',
    "spend.kind": 'kind = "zcdp", or kind = "pure", beside within',
    "spend.ledger": 'ledger = "people.ledger"',
    "ask": 'a part [[ask]] with statistic = "count"',
    "ask.*": 'a part [[ask]] with statistic = "count"',
    "ask.*.statistic": 'statistic = "count"',
    "ask.*.column": 'column = "age"; a mean takes several, as in column = ["x", "y"]',
    "ask.*.ball": 'ball = 3, beside column = ["x", "y"]',
    "ask.*.by": 'by = "sex", or by = ["sex", "age"]',
    "ask.*.bins": "bins = 20, or bins = [0, 10, 50, 100]",
    "ask.*.weight": "weight = 1",
    "ask.*.max_groups": "max_groups = 1",
    "ask.*.max_rows_per_group": "max_rows_per_group = 1",
}

PARTS: dict[str, type[_Part]] = {
    "": FilePart,
    "data": DataPart,
    "data.unit": UnitPart,
    "columns.*": BoundsPart,
    "keys.*": RangePart,
    "spend": SpendPart,
}


def names_of(pattern: str) -> list[str]:
    """Return the names that a part of a plan file knows; none where all names are free."""
    part = PARTS.get(pattern)
    return [] if part is None else [f.alias or name for name, f in part.model_fields.items()]
