"""The released numbers that add up: which noise each has, and which of them belong together.

Rules of this module:
- numbers are added before they are rounded or cut: the noisy integers, and not what is shown;
- what is asked for is checked against the axes and keys of the answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import compress
from typing import Any, cast
from unicodedata import combining, normalize

from ..document.accessors import has_choice, has_linear
from ..document.document import Document, Released
from ..document.numbers import Cell, plainly
from ..errors import InputError, as_given, names_shown, shown
from ..fix import Instead, Set, leave_out, nearest_name
from ..noise.law import Law
from ..noise.registry import law_of
from ..schema import end_of, table_of
from ..statistic.catalog import statistic_of
from ..statistic.statistic import in_measure, moved
from .words import SEVERAL, has_several

Part = tuple[Cell, ...]  # the cells of one axis in one row: two for a bin
Groups = dict[tuple[Part, ...], list[int]]  # the noisy integers that belong to each


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one statistic that adds up.

    Attributes:
        name: what the release calls it.
        released: the question and its answer.
        noisy: the integers, one for each row of the answer.
        law: the noise of each.
        step: what 1 is worth.
    """

    name: str
    released: Released
    noisy: Sequence[int]
    law: Law
    step: Fraction

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(axis.name for axis in self.released.answer.axes)

    @property
    def counted(self) -> bool:
        """Whether the truth is a number of rows or units, and so at least 0."""
        return self.released.answer.measure != "sum"

    def parts(self) -> list[tuple[Part, ...]]:
        """Return what each number belongs to, axis by axis."""
        return parts_of(self.released)

    def folded(self, by: Sequence[str], only: Mapping[str, frozenset[Part]]) -> Groups:
        """Return the numbers of each group of `by`, of those that are selected."""
        cells, noisy = dict(zip(self.axes, _cells(self.released), strict=True)), self.noisy
        columns = [cells[name] for name in by]
        names = list(zip(*columns, strict=True)) if by else [()] * len(noisy)
        if only:
            chosen = [[part in only[name] for part in cells[name]] for name in only]
            mask = list(map(all, zip(*chosen, strict=True)))
            names, noisy = list(compress(names, mask)), list(compress(noisy, mask))
        if not by and names:
            return {(): list(noisy)}
        groups: Groups = {}
        for name, value in zip(names, noisy, strict=True):
            if name in groups:
                groups[name].append(value)
            else:
                groups[name] = [value]
        return groups


def several(document: Document, numbers: Numbers, groups: int, so: str = "") -> list[str]:
    """Return the sentence on units that are in several of so many groups; none where none can be.

    Args:
        document: the release.
        numbers: the numbers.
        groups: how many of them are added up in one.
        so: what follows from it, as a clause.
    """
    can_be = groups > 1 and has_several(document, numbers.released)
    return [f"{SEVERAL}{so}."] * can_be


def parts_of(released: Released) -> list[tuple[Part, ...]]:
    """Return what each row of an answer belongs to, axis by axis."""
    axes = _cells(released)
    return list(zip(*axes, strict=True)) if axes else [()] * len(released.answer.rows)


def _cells(released: Released) -> list[list[Part]]:
    """Return of each axis what each row belongs to."""
    columns, at = released.answer.rows.columns, 0
    axes = []
    for axis in released.answer.axes:
        wide = 2 if axis.kind == "bin" else 1
        axes.append(list(zip(*columns[at : at + wide], strict=True)))
        at += wide
    return axes


def released_of(document: Document, name: object) -> Released:
    """Return a statistic of which all numbers are shown, by its name, or raise InputError."""
    from .result import result_of

    released = result_of(document, name).document.statistics[0]
    if released.shown is not None:
        raise InputError(
            f"{shown(name)} gives no other numbers, because a rule of publication selected it.",
            kind="publication-rule",
            why="what is shown was selected by its noise, and what is made of it would carry that",
            fix="ask for it without publish, or for the groups together as a question of its own",
        )
    return released


def compared_of(document: Document, name: object) -> Released:
    """Return a statistic whose numbers can be compared, or raise InputError."""
    released = released_of(document, name)
    if has_choice(released):
        raise InputError(
            f"{shown(name)} has no numbers to compare.",
            kind="not-comparable",
            why="a choice tells which groups are the best, and nothing of how much they have",
            fix="ask for a count or a sum beside it, whose differences cost nothing more",
        )
    return released


def numbers_of(document: Document, name: str) -> Numbers:
    """Return the numbers of a statistic that adds up.

    Raises:
        InputError: no statistic has this name, or its numbers do not add up.
    """
    return _numbers(document, name, released_of(document, name))


def shown_numbers_of(document: Document, name: str) -> Numbers | None:
    """Return those numbers of a statistic that its rule of publication shows; None without a rule.

    Raises:
        InputError: they do not add up, or its keys were found, and so chosen by noise, too.
    """
    from .result import result_of

    released = result_of(document, name).document.statistics[0]
    if released.shown is None:
        return None
    table = table_of(document.plan["table"])
    if any(column in table.unknown for column in released.question.get("by", [])):
        raise InputError(
            f"{shown(name)} has no total, because its keys were found in the data.",
            kind="does-not-add-up",
            why="which keys there are was chosen by noise, before a rule chose among them",
            fix="ask for the groups together as a question of its own",
        )
    return _numbers(document, name, released)


def _numbers(document: Document, name: str, released: Released) -> Numbers:
    if has_linear(released):
        raise InputError(
            f"the numbers of {shown(name)} share their noise.",
            kind="no-joint-number",
            why="tables that add up are made of each other: a sum has an interval of its own",
            fix=f"write release[{shown(name)!r}].total(...) with the keys that it is of",
        )
    _refuse_apart(released, name)
    table, answer = table_of(document.plan["table"]), released.answer
    step = Fraction(1)
    if answer.measure == "sum":
        step = statistic_of(released.question).worth(table) or step
    noisy = released.vectors[0].noisy if len(released.vectors) == 1 else []
    made: Sequence[int | float] = noisy if answer.measure != "sum" else in_measure(noisy, step)
    each = released.vectors[0].times
    if each is not None and answer.measure == "rows":
        made, step = [(2 * n + each) // (2 * each) for n in noisy], Fraction(1, each)
    values = moved(table, answer.measure, made)
    is_rounded = "round_to" in released.question.get("publish", {})
    if not answer.adds_up or (list(values) != list(answer.rows.columns[-3]) and not is_rounded):
        raise InputError(
            f"the numbers of {shown(name)} do not add up.",
            kind="does-not-add-up",
            why="a mean of several groups is no sum of their means, and so for all but counts and "
            "sums",
            fix=_of_all(released),
        )
    return Numbers(name, released, noisy, law_of(released.vectors[0].noise), step)


def _apart(released: Released) -> tuple[str, str] | None:
    """Return why nothing is made of a statistic's numbers, and what to ask for, if so."""
    return statistic_of(released.question).telling().apart


def _refuse_apart(released: Released, name: str) -> None:
    """Raise InputError where numbers stand alone, such as counts moved to public bounds."""
    apart = _apart(released)
    if apart is not None:
        raise InputError(
            f"no total, difference, share or ratio is made of {shown(name)}.",
            kind="does-not-add-up",
            why=apart[0],
            fix=f"ask for {apart[1]}, whose totals and ratios cost nothing more",
        )


def _of_all(released: Released) -> str:
    """Return the advice on a statistic that has no totals: its groups together are a question."""
    if not released.answer.axes:
        return "ask for a count or a sum, whose ratios and differences cost nothing more"
    statistic = shown(str(released.question["statistic"]))
    without = f"ask for the {statistic} without by, which is a question of its own"
    return f"of all groups together, {without}; of parts, ask for a count or a sum by group"


def axes_in(
    released: Released, by: object, setting: str = "by", *, chooses: bool = False
) -> tuple[str, ...]:
    """Return the axes that are named, in the order of the answer, or raise InputError.

    Args:
        released: the statistic.
        by: what was given as axes.
        setting: what the caller calls it.
        chooses: whether the caller can be told which keys count, by `only`.
    """
    names = [axis.name for axis in released.answer.axes]
    listed = [by] if isinstance(by, str) else list(by) if isinstance(by, (list, tuple)) else [by]
    for name in listed:
        if name not in names:
            near = nearest_name(str(name), names)
            of = "" if near else _axis_of_key(released, name)
            raise InputError(
                f"{shown(released.label)} is not laid out by {as_given(name, bare=True)}.",
                kind="unknown-axis",
                why=f"its axes are {names_shown(names) or 'none: it is one number'}",
                fix=Instead(setting, str(name), near)
                if near
                else Set({"only": {of: name}}, note=f"in place of {setting}")
                if of and chooses
                else Set({setting: names})
                if names and not of
                else leave_out(setting),
                at=setting,
            )
    return tuple(name for name in names if name in listed)


def _axis_of_key(released: Released, key: object) -> str:
    """Return the axis that has a key; "" where none has, or two."""
    cells = zip(released.answer.axes, zip(*parts_of(released), strict=True), strict=False)
    axes = [axis.name for axis, parts in cells if axis.kind == "key" and (key,) in parts]
    return axes[0] if len(axes) == 1 else ""


def selected(released: Released, only: object, setting: str = "only") -> dict[str, frozenset[Part]]:
    """Return which parts of each axis are selected, or raise InputError.

    Args:
        released: the statistic.
        only: a dict of axes, each with one key, a list of keys, or of a column that is cut into
            bins (from, to); or one key where there is one axis.
        setting: what the caller calls it.
    """
    names = [axis.name for axis in released.answer.axes]
    wanted = only if isinstance(only, Mapping) else dict.fromkeys(names[:1], only)
    if not isinstance(only, Mapping) and len(names) != 1:
        raise InputError(
            f"{setting} = {as_given(only)} does not say of which axis.",
            kind="unknown-axis",
            why=f"{shown(released.label)} has {len(names)} axes: {names_shown(names)}",
            fix=f"say the key with its axis, as a dict, in {setting}",
            at=setting,
        )
    axes_in(released, list(wanted), setting)
    by_name = isinstance(only, Mapping)
    return {
        name: _chosen(released, name, chosen, setting, by_name=by_name)
        for name, chosen in ((str(name), part) for name, part in wanted.items())
    }


def _chosen(
    released: Released, name: str, chosen: object, setting: str, *, by_name: bool
) -> frozenset[Part]:
    at = [axis.name for axis in released.answer.axes].index(name)
    there = dict.fromkeys(parts[at] for parts in parts_of(released))
    if isinstance(chosen, frozenset) and all(isinstance(part, tuple) for part in chosen):
        selection = [part if part in there else () for part in chosen]  # as a recipe has it
    elif released.answer.axes[at].kind == "bin":
        selection = _bins(list(there), chosen)
    else:
        listed = chosen if isinstance(chosen, (list, tuple, set, frozenset, range)) else [chosen]
        kinds: dict[tuple[type, object], Part] = {(type(part[0]), part[0]): part for part in there}
        keys = {kind for kind, _ in kinds}  # of what can be looked up: a list cannot
        selection = [kinds.get((type(key), key), ()) if type(key) in keys else () for key in listed]
    if not selection or () in selection:
        words = (" to ".join(map(plainly, part)) for part in there)
        near = _nearest(list(there), chosen)
        meant = {name: near} if by_name else near
        raise InputError(
            f"{setting} = {as_given(chosen)} selects nothing of {shown(name)}.",
            kind="selects-nothing",
            why=f"there are {names_shown(words)}" if there else "none of its numbers is shown",
            fix=Set({setting: meant})
            if near is not None
            else f"name in {setting} what is there, as it is spelled there",
            at=setting,
        )
    return frozenset(selection)


def _bins(there: Sequence[Part], chosen: object) -> list[Part]:
    """Return the bins from one edge to another, which must be edges of bins."""
    if not isinstance(chosen, (list, tuple)) or len(chosen) != 2:
        return []
    start, end = map(_edge, chosen)
    if start not in [part[0] for part in there] or end not in [part[1] for part in there]:
        return []
    edges: list[Any] = list(there)
    return [(low, high) for low, high in edges if low >= start and high <= end]


def _edge(edge: object) -> object:
    """Return the edge of a bin as a release has it: of a day or a moment its number."""
    if not isinstance(edge, (str, date)):
        return edge
    try:
        return float(end_of(edge, "an edge")[0])
    except InputError:
        return edge


def _nearest(there: Sequence[Part], chosen: object) -> object:
    """Return the keys that were meant: by a slip, without accents, or as text; None for unknown."""
    several = isinstance(chosen, (list, tuple))
    keys = {plainly(part[0]): part[0] for part in there if len(part) == 1}
    plain = {_without_accents(name): name for name in keys}
    meant = []
    for key in cast("Sequence[object]", chosen if several else [chosen]):
        text = key if isinstance(key, str) else plainly(cast("Cell", key)) if _is_cell(key) else ""
        near = plain.get(_without_accents(text)) or nearest_name(text, keys)
        if not near:
            return None
        meant.append(keys[near])
    return (meant if several else meant[0]) if meant else None


def _is_cell(cell: object) -> bool:
    return type(cell) in (bool, int, float)


def _without_accents(text: str) -> str:
    """Return a text as somebody writes it who has no accents on the keys."""
    return "".join(c for c in normalize("NFKD", text) if not combining(c)).casefold().strip()
