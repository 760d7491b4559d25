"""Public matrices between an engine and the door: exact, and no unit moves their result too far."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adversarial.moves import exceeds, move
from discreet.aggregate import Aggregate, Bins, Exact, Measure
from discreet.engine.memory import MemoryEngine
from discreet.errors import InternalError
from discreet.plans import size
from discreet.plans.plan import plan
from discreet.privacy.loss import pure
from discreet.releases.run import prepared_for, released
from discreet.schema import bounds, table, unit
from discreet.sensitivity import Reach, Sensitivity, reach
from discreet.statistic.ask import asked
from discreet.statistic.curve import transformed_sensitivity
from discreet.statistic.statistic import AS_NAMED, Expected, Question, Telling
from discreet.transform import Shifts, Transform


@dataclass(frozen=True, slots=True)
class MatrixRows:
    """Any matrix, row by row: what is proved of a transform holds whatever the matrix is."""

    entries: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> int:
        """How many numbers come out."""
        return len(self.entries)

    @property
    def columns(self) -> int:
        """How many numbers go in."""
        return len(self.entries[0])

    def times(self, vector: Sequence[int]) -> list[int]:
        """Return the matrix times a vector."""
        return [sum(a * x for a, x in zip(row, vector, strict=True)) for row in self.entries]

    def sizes(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' sizes."""
        return tuple(sum(map(abs, column)) for column in zip(*self.entries, strict=True))

    def squares(self) -> tuple[int, ...]:
        """Return for each column the sum of its entries' squares."""
        return tuple(sum(a * a for a in column) for column in zip(*self.entries, strict=True))

    def ends(self) -> tuple[int, int]:
        """Return the least and the largest entry; 0 lies between."""
        every = [a for row in self.entries for a in row]
        return min(0, *every), max(0, *every)


def same(size):
    """The matrix that changes nothing."""
    return Shifts(size, (1,))


def dense(matrix):
    """The matrix written out, by its definition and not by what it says of itself."""
    if isinstance(matrix, MatrixRows):
        return np.array(matrix.entries, dtype=object)
    n, kernel = matrix.columns, dict(enumerate(matrix.kernel))
    lines = [
        [
            kernel.get(i - j, 0) if i >= j else matrix.wrap * kernel.get(n + i - j, 0)
            for j in range(n)
        ]
        for i in range(n)
    ]
    return np.array(lines, dtype=object)


def small(columns):
    """Any matrix of a few columns."""
    entry = st.integers(-3, 3)
    row = st.lists(entry, min_size=columns, max_size=columns).map(tuple)
    rows = st.lists(row, min_size=1, max_size=6).map(lambda found: MatrixRows(tuple(found)))
    kernel = st.lists(entry, min_size=1, max_size=columns).map(tuple)
    shifts = st.builds(Shifts, st.just(columns), kernel, st.sampled_from([-1, 0, 1]))
    return st.one_of(rows, shifts)


@pytest.mark.claim("C07")
@settings(max_examples=150)
@given(matrix=small(4), vector=st.lists(st.integers(-(2**70), 2**70), min_size=4, max_size=4))
def test_a_matrix_is_what_it_says_of_itself(matrix, vector):
    """Its product, its size, and of its columns the sizes, squares and ends: as if written out."""
    written = dense(matrix)
    for few in (vector, [x % 7 for x in vector]):  # the second in 64 bits
        assert matrix.times(few) == list(written @ np.array(few, dtype=object))
    assert (matrix.rows, matrix.columns) == written.shape
    assert list(matrix.sizes()) == list(np.abs(written).sum(axis=0))
    assert list(matrix.squares()) == list((written * written).sum(axis=0))
    least, most = matrix.ends()
    assert least <= min(0, written.min())
    assert most >= max(0, written.max())


def test_shifts_of_ones_are_prefix_sums():
    """By hand; and one number of a kernel multiplies."""
    assert Shifts(4, (1,) * 4).times([1, 2, 3, 4]) == [1, 3, 6, 10]
    assert same(3).times([5, 6, 7]) == [5, 6, 7]


@pytest.mark.parametrize("wrap", [-1, 0, 1])
def test_64_bits_are_used_only_where_they_are_enough(wrap):
    """The same product by Python's and by NumPy's numbers, on both sides of the border."""
    kernel = (3, -1, 4, 1, -5)
    for top in (2**50, 2**59, 2**60, 2**63, 2**90):
        vector = [top - 1, -top, top // 3, 17, top]
        expected = list(dense(Shifts(5, kernel, wrap)) @ np.array(vector, dtype=object))
        assert Shifts(5, kernel, wrap).times(vector) == expected
    assert Shifts(2, (0, 0), wrap).times([2**70, 1]) == [0, 0]


COLUMNS, KEYS = {"v": bounds(0, 4, step=1)}, {"k": ["a", "b"]}
ROWS = [("a", 0), ("a", 1), ("a", 3), ("b", 0), ("b", 2), ("b", 4), ("c", 1)]


def counts(found, aggregate, person):
    """What one person adds, as sealed integers that were transformed."""
    rows = [{"u": "x", "k": k, "v": v} for k, v in person]
    (one,) = MemoryEngine().prepare(replace(found, source=rows), (aggregate,)).count(1)
    return one.transformed(aggregate.transform).opened_by_the_door()


@st.composite
def cases(draw):
    """A matrix for each group's four bins, or for all eight, and who may have which rows."""
    of = draw(st.sampled_from(["group", "vector"]))
    matrix = draw(small(4))
    if of == "vector":
        matrix = draw(small(8))
    neighbors = draw(st.sampled_from(["add_remove", "replace"]))
    limits = draw(st.sampled_from([(2, None, None), (3, 1, None), (3, 2, 1), (None, 1, 2)]))
    return Transform(matrix, of), neighbors, limits


def furthest(found, aggregate):
    """The largest moves that one unit makes, by trying all that it may have."""
    people = [p for n in range(4) for p in combinations_with_replacement(ROWS, n)]
    vectors = sorted({counts(found, aggregate, person) for person in people})
    nobody = (0,) * len(vectors[0])
    pairs = product(vectors, [nobody] if found.neighbors == "add_remove" else vectors)
    moves = [move(one, other) for one, other in pairs]
    return tuple(max(one[place] for one in moves) for place in range(3))


def declared(transform, neighbors, limits):
    most, *kept = limits
    found = table([], name="t", unit=unit("u", max_rows=most), columns=COLUMNS, keys=KEYS,
                  neighbors=neighbors)  # fmt: skip
    bins = Bins("v", (0, 1, 2, 3, 4))
    limited = reach(found, ("k",), *kept)
    sensitivity = transformed_sensitivity(found, limited, transform)
    one = Aggregate(("k",), (Measure("rows"),), sensitivity, bins, *kept, transform)
    return found, one


@pytest.mark.claim("C07")
@pytest.mark.slow
@settings(max_examples=25)
@given(case=cases().filter(lambda case: max(case[0].matrix.sizes()) > 0))
def test_no_unit_moves_a_transformed_vector_further_than_declared(case):
    """All that one unit may have is tried, on the reference engine, for both relations."""
    found, one = declared(*case)

    assert not exceeds(furthest(found, one), one.sensitivity)


HALVES = MatrixRows(((1, 1, 1, 1), (1, 1, -1, -1), (1, -1, 0, 0), (0, 0, 1, -1)))
ONES = ((1, 1, 1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 1, 1, 1, 1))
MARGINS = MatrixRows((*ONES, *(tuple(int(j % 4 == i) for j in range(8)) for i in range(4))))
TIGHT = {
    "prefix sums": Transform(Shifts(4, (1,) * 4)),
    "halves": Transform(HALVES),
    "margins": Transform(MARGINS, "vector"),
    "signs": Transform(Shifts(4, (1,) * 4, -1)),
}


@pytest.mark.claim("C07")
@pytest.mark.parametrize("name", TIGHT)
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_the_declared_move_is_hardly_more_than_the_largest(name, neighbors):
    """One row of one unit: exact when it comes or goes, within twice the squares for another one."""
    found, one = declared(TIGHT[name], neighbors, (1, None, None))

    l1, l2_squared, linf = furthest(found, one)

    said = one.sensitivity
    assert not exceeds((l1, l2_squared, linf), said)
    if neighbors == "add_remove":
        assert (l1, l2_squared, linf) == (said.l1, said.l2_squared, said.linf)
    assert said.l2_squared <= 2 * l2_squared


class Levels(Question):
    """A question whose counts are transformed."""

    ask = asked("k", None, None, 1)
    label = "levels"

    def aggregates(self, found):
        one = replace(declared(TIGHT["prefix sums"], "add_remove", (1, None, None))[1], by=("k",))
        return (one,)

    def expected(self, found, laws, alpha):
        return Expected(1)

    def plain(self):
        return {"statistic": "levels"}

    def telling(self, about=AS_NAMED):
        return Telling("Levels")


def test_a_release_holds_the_transformed_counts():
    """Between what the engine counts and the noise, which is none to speak of at this loss."""
    rows = [{"u": n, "k": k, "v": v} for n, (k, v) in enumerate(ROWS)]
    found = table(rows, name="t", unit=unit("u", max_rows=1), columns=COLUMNS, keys=KEYS)
    asked_for = plan(found, Levels(), spend=pure(10**4))

    _, (noisy,) = released(asked_for, prepared_for(asked_for), paid=asked_for.spend)

    assert noisy.values == (1, 2, 2, 3, 1, 1, 2, 3)


def test_a_result_that_is_longer_than_what_was_counted_has_room():
    """The bound of a document's length, which is a ledger's room, grows with the matrix's rows."""
    plain, many = (
        declared(Transform(matrix), "add_remove", (1, None, None))
        for matrix in (same(4), MatrixRows(((1, 0, 0, 0),) * 200))
    )
    facts = size._Facts(SimpleNamespace(table=plain[0], alpha=Fraction(1, 20)))
    asked_for = SimpleNamespace(inner=lambda _: None, ask=SimpleNamespace(publish=None))

    one, other = (
        size._answer(SimpleNamespace(statistic=asked_for, aggregates=(vector,)), 5, facts)
        for _, vector in (plain, many)
    )

    assert other > 10 * one


@pytest.mark.claim("C19")
def test_transformed_integers_stay_sealed():
    """What comes out of the transform is as private as what went in."""
    sealed = Exact((3, 4)).transformed(Transform(MatrixRows(((1, 1),))))

    assert "7" not in repr(sealed) + f"{sealed}"
    assert sealed.opened_by_the_door() == (7,)
    assert Exact((3, 4)).transformed(None).opened_by_the_door() == (3, 4)


def test_a_matrix_that_does_not_fit_is_refused_when_a_plan_is_made():
    """The length of the vector follows from the matrix, and is asked for before the charge."""
    found, one = declared(Transform(same(4)), "add_remove", (1, None, None))

    assert one.size(found) == 8
    assert replace(one, transform=Transform(MatrixRows(((1,) * 8,)), "vector")).size(found) == 1
    for wrong in (Transform(same(8)), Transform(same(4), "vector")):
        with pytest.raises(InternalError, match="does not fit"):
            replace(one, transform=wrong).size(found)


def test_a_matrix_of_a_thousand_columns_is_not_written_out():
    """The signs of 1,024 bins, forty groups: what is stored is one kernel."""
    signs = Transform(Shifts(1024, (1,) * 1024, -1))
    vector = [i % 5 for i in range(40 * 1024)]

    found = signs.applied(vector)

    first = vector[:1024]
    steps = [first[i] - sum(first) + 2 * sum(first[:i]) + first[i] for i in (0, 1, 500, 1023)]
    assert [found[i] for i in (0, 1, 500, 1023)] == steps
    assert max(signs.matrix.squares()) == 1024
    assert transformed_sensitivity(
        table([], name="t", unit="row"), Reach(1, 1, 1), signs
    ) == Sensitivity(1024, 1024, 1)
