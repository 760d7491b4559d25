"""Numbers made of released numbers, with how they are made again.

Rules of this module:
- what is derived is plain data: a recipe, from which `made` makes the same numbers of the same
  release, so that whoever has the release can check them;
- nothing is charged and nothing is read: it is arithmetic on public numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..document.document import AnswerAxis, AnswerTable, Document, Released, canonical
from ..document.numbers import Cell, percent
from ..document.regular import csv_blocks
from ..document.rows import Rows
from ..document.tidy import tidy
from ..errors import InputError
from ..exact.number import decimal_of
from ..fix import write
from ..plans.checked import checked_alpha
from ..post.interval import downs, nearest, ups
from ..report.cells import Part
from ..report.people import ALONE, TOGETHER, sheet, title_of
from ..report.result import Result
from ..text import Sheet

if TYPE_CHECKING:
    from ..report.picture import Picture
    from ..schema import About

_LEAST_ALPHA = Fraction(1, 10**12)
FORMAT = "discreet-derived/1"


@dataclass(frozen=True, slots=True, eq=False)
class DerivedNumbers(Result):
    """Numbers that follow from released ones, with intervals; a loop gives a dict for each.

    Attributes:
        recipe: how they are made of the release, as plain data.
        notes: what must be known of them.
    """

    recipe: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def alpha(self) -> Fraction:
        """The chance that an interval misses; where they hold together, that any does."""
        return Fraction(self.document.alpha)

    @property
    def together(self) -> bool:
        """Whether all intervals hold at once."""
        return bool(self.recipe.get("together"))

    def plot(self, *, about: "About | None" = None) -> "Picture":
        """Return a Matplotlib figure of the numbers with their error bars."""
        from ..report.pictures import figure

        return figure(self.document, together=self.together, about=about)

    def sheet(self) -> Sheet:
        """Return the numbers as a table for people."""
        found = sheet(self.document, repeated=False)
        said = f"{ALONE} {float(self.alpha):g}."
        if self.together:
            said = f"{TOGETHER} {float(1 - self.alpha):g}."
        other = (ALONE[:12], TOGETHER[:12])
        kept = [line for line in found.below if not line.startswith(other)]
        covers = percent_of(self.alpha)
        title = f"Derived from {title_of(self.document, repeated=False)}"
        free = "Nothing was charged: this follows from released numbers alone."
        found = replace(found, title=title, below=(*kept, said, *self.notes, free))
        if not self.together:
            return found
        heads = tuple(f"{covers}, all at once" if " interval" in c else c for c in found.columns)
        return replace(found, columns=heads, right=("value", heads[3], "rows"))

    def plain(self) -> dict[str, Any]:
        """Return the recipe and the numbers as plain data."""
        answers = [
            {"label": one.label, "columns": one.answer.columns, "rows": list(one.answer.rows)}
            for one in self.document.statistics
        ]
        return {"recipe": dict(self.recipe), "answers": answers}


def percent_of(alpha: Fraction) -> str:
    """Return the coverage that an alpha leaves."""
    return percent(decimal_of(alpha))


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """The derived numbers, a cell of each list for a number; an end that is None is none."""

    values: Sequence[int | float | None]
    low: Sequence[int | float | None]
    high: Sequence[int | float | None]


def derived(
    document: Document,
    label: str,
    recipe: Mapping[str, Any],
    *,
    axes: Sequence[AnswerAxis],
    index: Sequence[tuple[tuple[Cell, ...], ...]],
    numbers: DerivedColumn,
    measure: str,
    notes: Sequence[str] = (),
) -> DerivedNumbers:
    """Return derived numbers, laid out as the answer of a statistic is."""
    names = [name for axis in axes for name in names_of(axis)]
    flat = [tuple(cell for part in parts for cell in part) for parts in index]
    columns = [tuple(row[at] for row in flat) for at in range(len(names))]
    answer = AnswerTable.model_construct(
        axes=list(axes),
        measure=measure,
        adds_up=measure in ("rows", "units", "sum"),
        rows_within=None,
        columns=[*names, "value", "low", "high"],
        rows=Rows([*columns, tuple(numbers.values), tuple(numbers.low), tuple(numbers.high)]),
    )
    released = Released.model_construct(label=label, question={}, vectors=[], answer=answer)
    return of_statistics(document, label, recipe, [released], notes)


def of_statistics(
    document: Document,
    name: str,
    recipe: Mapping[str, Any],
    statistics: Sequence[Released],
    notes: Sequence[str] = (),
) -> DerivedNumbers:
    """Return statistics of a release, made anew, as derived numbers."""
    changed = {"statistics": list(statistics), "alpha": recipe["alpha"]}
    return DerivedNumbers(name, document.model_copy(update=changed), recipe, tuple(notes))


def names_of(axis: AnswerAxis) -> tuple[str, ...]:
    """Return what an axis is called in a table."""
    return (f"{axis.name} from", f"{axis.name} to") if axis.kind == "bin" else (axis.name,)


def chance_of(document: Document, alpha: object) -> Fraction:
    """Return the chance of missing that was asked for; the release's own if none was."""
    given: Any = document.alpha if alpha is None else alpha
    found = checked_alpha(given)
    if found < _LEAST_ALPHA:
        raise InputError(
            "alpha is below 10^-12.",
            why="intervals between released numbers are made in doubles, which tell no less",
            fix=write(", for one miss in a billion", alpha="1e-9"),
        )
    return found


def text_of_all(document: Document, found: Sequence[DerivedNumbers]) -> str:
    """Return derived numbers as the text of derived.json."""
    plain = {
        "format": FORMAT,
        "digest": document.digest,
        "derived": [one.plain() for one in found],
    }
    return canonical(plain) + "\n"


def table_of_all(found: Sequence[DerivedNumbers]) -> str:
    """Return derived numbers as the text of derived.csv, laid out as table.csv is.

    Each says how often its intervals hold, because that need not be what the release says.
    """
    named = [
        one.model_copy(update={"label": f"{one.label}, {percent_of(each.alpha)}{joint}"})
        for each in found
        for joint in [", all at once" if each.together else ""]
        for one in each.document.statistics
    ]
    whole = found[0].document.model_copy(update={"statistics": named})
    return "".join(csv_blocks(tidy(whole)))


def axes_of(released: Released, kept: Sequence[str]) -> list[AnswerAxis]:
    """Return the axes of an answer that are kept."""
    return [axis for axis in released.answer.axes if axis.name in kept]


def said(*, alpha: Fraction, together: bool, **chosen: Any) -> dict[str, Any]:
    """Return what a recipe says of what was chosen: nothing where all is."""
    facts = {name: _plain(value) for name, value in chosen.items() if value}
    return {**facts, "alpha": str(alpha), "together": together}


def plainly(chosen: Mapping[str, frozenset[Part]]) -> dict[str, Any]:
    """Return a selection as plain data."""
    return {name: sorted(map(list, parts), key=repr) for name, parts in chosen.items()}


def _plain(value: Any) -> Any:
    return plainly(value) if isinstance(value, Mapping) else list(value)


def rounded(
    values: Sequence[Fraction], low: Sequence[Fraction], high: Sequence[Fraction]
) -> DerivedColumn:
    """Return exact numbers as doubles, the ends of intervals outward."""
    return DerivedColumn(
        [nearest([x.numerator], x.denominator)[0] for x in values],
        [downs([x.numerator], x.denominator)[0] for x in low],
        [ups([x.numerator], x.denominator)[0] for x in high],
    )
