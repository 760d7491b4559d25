"""Expressions over one row as parts of a query, emitted from our own trees, layer by layer.

Rules of this module:
- what a tree says in `engine/evaluate.py` it says here: every operator is total, in every engine;
- nothing of a user's text is emitted: names and literals enter as identifiers and literals;
- a part that is needed twice is worked out in a layer of its own and then named, so that the query
  grows with the expression and no faster.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from sqlglot import exp

from ...expressions import Typed
from .expression_cells import Layered, Read, double, normal
from .operators import MAKERS
from .tree import Operand, whole


@dataclass(slots=True)
class Layers:
    """The columns that expressions need, by the layer in which each is worked out.

    Attributes:
        read: the cell of a column for what it is read as, in layer 0.
        derived: the trees of the derived columns.
        as_bytes: text without its collation.
        columns: for each layer its new columns.
    """

    read: Read
    derived: Mapping[str, Typed]
    as_bytes: Callable[[exp.Expression], exp.Expression]
    columns: list[dict[str, exp.Expression]] = field(default_factory=lambda: [{}])
    _known: dict[Typed, Layered] = field(default_factory=dict)

    def place(self, name: str, found: Layered) -> None:
        """Give what was worked out a name of its own."""
        self._named(name, found)

    def bare(self, tree: Typed) -> exp.Column:
        """Return the cell of a column as it is, for what reads it as its own type."""
        key = replace(tree, op="bare")
        if key not in self._known:
            name = f"r{len(self.columns[0])}"
            self.columns[0][name] = self.read.bare(tree.value, tree.kind)
            self._known[key] = Layered(exp.column(name), 1)
        return cast("exp.Column", self._known[key].said)

    def of(self, tree: Typed) -> Layered:
        """Return what a tree gives; the same part is worked out once."""
        if tree not in self._known:
            self._known[tree] = self._made(tree)
        return self._known[tree]

    def _made(self, tree: Typed) -> Layered:
        if tree.op == "literal":
            return Layered(_literal(tree), 0)
        if tree.op == "column" and tree.value in self.derived:
            return self._held(self.of(self.derived[tree.value]))
        if tree.op == "column":
            name = f"r{len(self.columns[0])}"
            self.columns[0][name] = self.read.cell(tree.value, tree.kind)
            cell = exp.column(name)
            return Layered(self.read.settled(cell, tree.value, tree.kind), 1)
        return MAKERS[tree.op](self, tree)

    def _held(self, found: Layered) -> Layered:
        """Return a part as a column, which may be named more than once."""
        if isinstance(found.said, (exp.Column, exp.Literal)):
            return found
        return self._named(f"x{sum(map(len, self.columns))}", found)

    def _named(self, name: str, found: Layered) -> Layered:
        while len(self.columns) <= found.layer:
            self.columns.append({})
        self.columns[found.layer][name] = found.copy()
        return Layered(exp.column(name), found.layer + 1)

    def args(self, tree: Typed) -> tuple[list[exp.Expression], int]:
        """Return the arguments of a part, each for one place, and their layer."""
        found = [self.of(one) for one in tree.args]
        return [one.copy() for one in found], max(one.layer for one in found)

    def columns_of(self, tree: Typed) -> tuple[list[exp.Expression], int]:
        """Return the arguments of a part as columns, and their layer."""
        found = [self._held(self.of(one)) for one in tree.args]
        return [one.said for one in found], max(one.layer for one in found)

    def holding(self, tree: Typed) -> "tuple[list[Operand], Hold]":
        """Return the arguments of a part, and what gives to parts that are made of them a name."""
        columns, layer = self.columns_of(tree)
        return [Operand(column, is_used=True) for column in columns], Hold(self, layer)

    def number(self, said: exp.Expression, layer: int) -> Layered:
        """Return what arithmetic gives, as a number of the language."""
        held = self._held(Layered(said, layer))
        return Layered(normal(held.said), held.layer)

    def held(self, said: exp.Expression, layer: int) -> Layered:
        """Return an expression as a column."""
        return self._held(Layered(said, layer))


@dataclass(slots=True)
class Hold:
    """Names parts that are needed more than once, one made of the other, layer by layer."""

    layers: Layers
    layer: int

    def __call__(self, part: Operand) -> Operand:
        """Return a part as a column."""
        held = self.layers.held(part.take(), self.layer)
        self.layer = held.layer
        return Operand(held.said, is_used=True)

    def double(self, part: Operand) -> Layered:
        """Return a whole number that is made of all that, as a number of the language."""
        return Layered(part.cast("DOUBLE").take(), self.layer)


def _literal(tree: Typed) -> exp.Expression:
    if tree.kind == "number":
        return double(tree.value)
    if tree.kind == "text":
        return exp.Literal.string(tree.value)
    return exp.Boolean(this=tree.value == "1") if tree.kind == "truth" else whole(int(tree.value))
