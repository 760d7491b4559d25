"""Which numbers of a release are neighbors: bins, keys in order, and keys on a public graph.

Rules of this module:
- who is next to whom is said by the caller, and public; nothing is found in the numbers;
- numbers are laid out as the answer is: keys, then bins, the last axis fastest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..document.accessors import public_keys
from ..document.document import Document, Released
from ..errors import InputError, as_given, names_shown, shown
from ..fix import Set
from ..post.denoise.noise import Vector
from .additive import parts_of

Pairs = tuple[tuple[int, int], ...]
Near = Mapping[str, Pairs]  # by column: places in its list of keys that are neighbors


@dataclass(frozen=True, slots=True)
class NumberLayout:
    """How the numbers of a statistic lie.

    Attributes:
        ordered: whether each number is next to the one behind it in the list, within its group.
        edges: the pairs of neighbors, where they are no plain list; else None.
        line: whether all numbers are one list in order.
    """

    ordered: bool
    edges: Vector | None
    line: bool

    @property
    def fits(self) -> dict[str, bool]:
        """What denoisers ask of it."""
        return {"ordered": self.ordered, "on_graph": self.edges is not None, "line": self.line}


def near_of(document: Document, ordered: object, graph: object) -> Near:
    """Return who is next to whom in each column that was named.

    Args:
        document: the release.
        ordered: a column whose keys are in an order that means something, or several of them.
        graph: for columns, pairs of keys that are neighbors: {"ward": [("A", "B")]}.

    Raises:
        InputError: no statistic is grouped by such a column, or a pair is none of its keys.
    """
    names = [ordered] if isinstance(ordered, str) else ordered
    if not isinstance(names, (list, tuple)) or not isinstance(graph, Mapping):
        raise InputError(
            f"{as_given(graph if isinstance(names, (list, tuple)) else ordered)} says of no column "
            "who is next to whom.",
            kind="wrong-graph",
            why="ordered= names columns, graph= has pairs of keys for columns",
            fix="name a column whose keys are in order, or list pairs of keys for a column",
        )
    used = _columns(document)
    neighbors: dict[str, Pairs] = {}
    for column in [*names, *graph]:
        if column not in used:
            raise InputError(
                f"no statistic is grouped by {as_given(column, bare=True)}.",
                kind="no-such-statistic",
                why=f"there are {names_shown(used) or 'no groups'}",
                fix=f"name one of {names_shown(used)}" if used else "leave it out",
            )
        keys = public_keys(document, column) or []
        pairs = _chain(len(keys)) if column in names else _pairs(column, keys, graph[column])
        neighbors[column] = pairs
    return neighbors


def layout_of(released: Released, near: Near) -> NumberLayout:
    """Return how the numbers of a statistic lie; bins are in order by themselves."""
    parts, axes = parts_of(released), released.answer.axes
    sizes = [len({row[at] for row in parts}) for at in range(len(axes))]
    chains = {
        at: _chain(sizes[at]) if axis.kind == "bin" else near[axis.name]
        for at, axis in enumerate(axes)
        if sizes[at] > 1 and (axis.kind == "bin" or axis.name in near)
    }
    if not chains:
        return NumberLayout(ordered=False, edges=None, line=False)
    last = len(sizes) - 1
    ordered = chains.get(last) == _chain(sizes[last])
    if ordered and sizes[last] == len(parts):
        return NumberLayout(ordered=True, edges=None, line=True)
    return NumberLayout(ordered=ordered, edges=_edges(sizes, chains), line=False)


def _edges(sizes: Sequence[int], chains: Mapping[int, Pairs]) -> Vector:
    """Return the pairs of places that differ in one axis, where they are neighbors."""
    place = np.arange(int(np.prod(sizes))).reshape(sizes)
    edges = []
    for at, pairs in chains.items():
        line = np.moveaxis(place, at, 0)
        edges += [np.stack([line[a].ravel(), line[b].ravel()], axis=1) for a, b in pairs]
    return np.concatenate(edges)


def _chain(count: int) -> Pairs:
    return tuple((at, at + 1) for at in range(count - 1))


def _pairs(column: str, keys: Sequence[Any], argument: object) -> Pairs:
    places = {(type(key), key): at for at, key in enumerate(keys)}
    pairs = []
    for pair in (
        argument if isinstance(argument, Iterable) and not isinstance(argument, str) else [argument]
    ):
        ends = tuple(pair) if isinstance(pair, (list, tuple)) else ()
        at = [places.get((type(end), end)) for end in ends]
        if len(at) != 2 or None in at or at[0] == at[1]:
            raise InputError(
                f"graph has {as_given(pair)}, which is no pair of keys of {shown(column)}.",
                kind="wrong-graph",
                why="neighbors are two keys that the declaration lists",
                fix=Set({"graph": {column: [tuple(keys[:2])]}}),
            )
        pairs.append((min(at), max(at)))  # type: ignore[type-var]
    return tuple(pairs)  # type: ignore[arg-type]


def _columns(document: Document) -> list[str]:
    axes = (axis for released in document.statistics for axis in released.answer.axes)
    return list(dict.fromkeys(axis.name for axis in axes if axis.kind == "key"))
