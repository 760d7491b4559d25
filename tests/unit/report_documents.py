"""Documents for the tests of the report: real plans, made-up integers, no coins."""

from collections.abc import Sequence
from math import prod

from discreet.aggregate import Noisy
from discreet.document.document import Document, LedgerEntry
from discreet.document.regular import csv_blocks
from discreet.document.tidy import Tidy
from discreet.plans.plan import Plan, plan
from discreet.privacy.loss import Loss, approx, pure, zcdp
from discreet.releases.document import compose
from discreet.schema import bounds, table, unit
from discreet.statistic.count import count, count_units
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.statistic import Statistic
from discreet.statistic.sum import sum_

HOSTILE = (
    '=HYPERLINK("http://example.invalid","x")',
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    " =1+1",
    "\u200b=1+1",
    "a;=1+1;b",
    "a|=1",
    "a\n=1+1",
    "=cmd|' /C calc'!A0",
    "'=1+1",
    "''",
    "'",
    "",
    "'tis",
    '"quoted"',
    "a,b",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "</style><script>alert(1)</script>",
    "</table></svg><h1>x",
    "javascript:alert(1)",
    "{{ 7*7 }}",
    "{% raw %}",
    "&lt;b&gt;",
    "$x^2$",
    "$\\frac{1}",
    "\\alpha",
    "\x1b[31mred\x1b[0m",
    "\x07bell",
    "a\u202eb",
    "\u2066x\u2069",
    "x\u0000y",
    "😀",
    "👩‍👩‍👧",
    "日本",
    "שלום",
    "é",
    "e\u0301",
    "x" * 300,
    "None",
    "NaN",
    "1e5",
)


def made(
    asked: Plan, *, request: str = "request 1", rehearsal: bool = False, size: int = 900
) -> Document:
    """Return the document of a plan whose noisy integers follow a fixed pattern."""
    noisy = [
        Noisy(tuple(_integer(i, size) for i in range(found.size(asked.table))))
        for found in asked.aggregates
    ]
    entry = LedgerEntry(id="7f3a5c0012ab9def", subject=asked.table.name, seq=3, hash="ab" * 32)
    return compose(
        asked,
        noisy,
        request=request,
        created="2026-01-04T09:00:00+00:00",
        ledger=None if rehearsal else entry,
    )


def small(
    *, loss: Loss | None = None, rehearsal: bool = False, neighbors: str = "add_remove"
) -> Document:
    """Return a release with every statistic."""
    visits = table(
        [],
        unit=unit("patient", max_rows=3),
        columns={"cost": bounds(0, 5_000, step="0.01")},
        keys={"ward": ["A", "B", "C"], "year": [1999, 2000], "acute": [True, False]},
        neighbors=neighbors,
        name="visits",
    )
    asked = plan(
        visits,
        count(by="ward"),
        count_units(),
        sum_("cost", by=["ward", "year"]),
        mean("cost", by="acute", max_rows_per_group=2, max_groups=1),
        histogram("cost", by="ward", bins=4),
        histogram("cost", bins=5),
        spend=loss or zcdp("1/50"),
    )
    return made(asked, rehearsal=rehearsal, size=90_000)


def whole() -> Document:
    """Return a release of whole numbers and sums, whose every digit is the same on any machine."""
    visits = table(
        [],
        unit=unit("patient", max_rows=3),
        columns={"cost": bounds(0, 5_000, step="0.01")},
        keys={"ward": ["A", "B é", 'C"'], "year": range(1990, 2000), "acute": [True, False]},
        name="visits",
    )
    asked = plan(
        visits,
        count(by=["ward", "year"]),
        count_units(by="acute"),
        sum_("cost", by=["ward", "year"]),
        histogram("cost", by="ward", bins=25),
        histogram("cost", bins=["0", "0.01", "1250", "5000"]),
        spend=pure("1/7"),
    )
    return made(asked, size=90_000)


def hostile(words: Sequence[str] = HOSTILE) -> Document:
    """Return a release whose every name and key is an attack."""
    name = '<script>alert("title")</script>'
    column = 'cost"><img src=x onerror=alert(2)>'
    strange = table(
        [],
        unit="row",
        columns={column: bounds(0, 100, step=1)},
        keys={"=1+1": list(words), "value": ["a", "b"], "Value": [1, 2]},
        name=name,
    )
    asked = plan(
        strange,
        count(by="=1+1"),
        mean(column, by="=1+1"),
        count(by=["value", "Value"]),
        histogram(column, bins=3),
        spend=pure(1),
    )
    return made(asked, request="<script>alert('request')</script>")


LOSSES = (pure("1/2"), zcdp("1/50"), approx(1, "1e-6"))


def _integer(i: int, size: int) -> int:
    return prod((i * i * 7919 + 104_729, 31)) % size - size // 12


def one(statistic: Statistic, **options: object) -> Document:
    """Return a release with one statistic over a plain table."""
    plain = table([], unit="row", columns={"x": bounds(0, 10)}, keys={"k": ["a", "b"]}, name="t")
    return made(plan(plain, statistic, spend=pure(1)), **options)  # type: ignore[arg-type]


def csv_text(table: Tidy) -> str:
    """The table as the text of a CSV file."""
    return "".join(csv_blocks(table))
