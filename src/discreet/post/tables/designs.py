"""Which vectors of a list of margins are counted, and which part of the noise each gets.

Every table counts once: what is made small is the sum, over all tables, of the mean variance of
their numbers, at one price. For each table A that is c_A / (precision of its part), c_A being p_A
times the sum over tables B that have A as a margin of 1 / (cells of B in a cell of A)^2, and p_A
the product of 1 - 1 / (parts of a group), both in the mean.

Gaussian noise costs the sum of the precisions of the tables' noise. The best of all linear Gaussian
mechanisms has precisions of parts in the proportion of the roots of c_A / p_A; where plain tables
reach them, by weights of at least 0, these are taken. Elsewhere weights go from there by w <- w
times the root of (slope / mean slope), which never makes it worse, until no slope is a 200th above
the mean: then the variance is within a 200th of the best. Contrasts reach the best always, and are
counted instead where plain tables are more than `WORTH` above it, and all groups of a level have
as many parts.

Laplace noise costs the sum of shares, whose squares are precisions. That is no convex problem: it
goes downhill from several starts, among them the cells of all attributes alone, and takes the best.

Which part of a cube's noise each of its tables gets: precision in closed form, in hundredths.

A table's weight is the product of a weight for each attribute, by the level that it shows.

Gaussian noise costs by squares, so that a weight is a precision, and what a unit costs is the sum
of the weights. With n_j groups at level j, m_j = n_j / n_(j+1) and t_j^2 = 1 + m_j^2 t_(j+1)^2 from
1 at the keys upward, w_j = t_j - m_j t_(j+1) > 0 has the least mean variance over all tables, each
counted once; docs/laws/tables.md has the proof. It holds where all groups of a level have as many
keys; else the weights are valid, and close to the best.

Laplace noise costs by sizes: shares v of epsilon are weights, and precisions their squares. The
mean variance is again a product over the attributes, whose best shares, in hundredths, are looked
for by moving one hundredth at a time. A share can be 0: of an attribute with few keys, the keys
alone are best.

Rules of this module:
- additions are exact (`fsum`) and everything else is one rounded operation at a time, and weights
  are rounded to thousandths: the same come out everywhere, and `verify` makes them again;
- whole numbers decide: the same weights come out everywhere, and `verify` makes them again.

Source: Yu 2010 (Annals of Statistics 38, 1593-1606) for the iteration; docs/laws/tables.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import fsum, isqrt, prod, sqrt

from .attribute import Levels
from .family import CountedTable, Sizes, below, cells, inside, settled_parts, steps, told_by
from .widest import NEAR, balanced, dimensions, largest, rows_of

WORTH = Fraction(1, 20)  # of the variance: what contrasts must gain
_PARTS = 1_000
_FINE = 100_000  # parts, where the widest number is to be narrow
_BALANCED = 8  # rounds of plain tables
_MANY = 5_000  # pairs of a table and a part
_CLOSE = 1.005
_ROUNDS = 2_000
_TRIED = 60
_SMALL = 1e-3


@lru_cache(maxsize=64)
def designed(
    sizes: tuple[tuple[int, ...], ...],
    shown: tuple[Levels, ...],
    known: tuple[Levels, ...],
    kind: str,
    *,
    even: bool = True,
    widest: bool = False,
) -> Mapping[CountedTable, Fraction]:
    """Return the vectors that are counted, with their weights: precisions, or shares of epsilon.

    Args:
        sizes: of each attribute, how many groups each level has.
        shown: the tables, each with all of its margins.
        known: margins that are known.
        kind: of the loss that the noise costs; "pure" is Laplace noise.
        even: whether all groups of each level have as many parts: else contrasts are not made.
        widest: whether Gaussian noise makes the largest variance small, and not the mean one.

    Example: contrasts tell all tables of two of six yes/no attributes better, of five hardly.

        >>> from itertools import combinations
        >>> from .family import closed
        >>> def contrasts(many):
        ...     two = combinations(range(many), 2)
        ...     pairs = closed([tuple(int(i in pair) for i in range(many)) for pair in two])
        ...     found = designed(((1, 2),) * many, pairs, (), "zcdp")
        ...     return {one.contrasts for one in found if any(one.shows)}
        >>> contrasts(5), contrasts(6)
        ({False}, {True})
    """
    worths = _worths(sizes, shown, known)
    if not worths:
        return {CountedTable(shown[-1]): Fraction(1)}
    if kind == "pure":
        return _rounded(_laplace(sizes, shown, worths), 1)
    if widest:
        return _narrowest(sizes, shown, known, even=even)
    plain = _rounded(_gaussian(sizes, shown, worths), 1)
    if not even:
        return plain
    contrasts = _contrasts(sizes, worths, _PARTS)
    gains = gain(sizes, plain, contrasts, worths)
    return contrasts if gains > WORTH else plain


def _contrasts(
    sizes: Sizes, worths: Mapping[Levels, float], parts: int
) -> dict[CountedTable, Fraction]:
    """Return the best weights of contrasts, in parts of what the largest table counts for."""
    best = {CountedTable(p, contrasts=any(p)): _root(sizes, p, worths) for p in worths}
    return {
        one: Fraction(max(1, round(parts * root)), parts * prod(steps(sizes, one.shows)) ** 2)
        for one, root in best.items()
    }


def _narrowest(
    sizes: tuple[tuple[int, ...], ...],
    shown: tuple[Levels, ...],
    known: tuple[Levels, ...],
    *,
    even: bool,
) -> Mapping[CountedTable, Fraction]:
    """Return the design whose widest number is narrowest, or hardly wider: plain ones first."""
    balance = balanced(sizes, shown, known)
    counts, tried = dict(balance.counts), []
    pairs = sum(prod(level + 1 for level in table) for table in shown)
    if pairs > _MANY:  # plain tables of so many are not looked for
        worths = _worths(sizes, shown, known, balance.counts if even else None)
        if even:
            return _contrasts(sizes, worths, _FINE)
        return _rounded(_gaussian(sizes, shown, worths), 1)
    for _ in range(1 if even else _BALANCED):
        worths = _worths(sizes, shown, known, counts)
        plain = _rounded(_gaussian(sizes, shown, worths), 1, _FINE)
        tried.append((_widest_of(sizes, shown, known, plain), plain))
        if tried[-1][0] <= NEAR * balance.least:
            break
        told = {part: _told(sizes, plain, part) for part in worths}
        variances = {
            table: fsum(taken / told[part] for part, taken in made)
            for table, made in rows_of(sizes, shown, known).items()
        }
        most = max(variances.values())
        counts = {table: n * (variances[table] / most) ** 2 for table, n in counts.items()}
    if even and tried[0][0] > NEAR * balance.least:
        best = _contrasts(sizes, _worths(sizes, shown, known, balance.counts), _FINE)
        tried.append((_widest_of(sizes, shown, known, best), best))
    return min(tried, key=lambda pair: pair[0])[1]


def _widest_of(
    sizes: Sizes,
    shown: Sequence[Levels],
    known: Sequence[Levels],
    design: Mapping[CountedTable, Fraction],
) -> float:
    """Return the largest variance of a design at price 1."""
    rows = rows_of(sizes, shown, known)
    told = {part: _told(sizes, design, part) for made in rows.values() for part, _ in made}
    return _price(sizes, design) * largest(rows, told)


def _told(sizes: Sizes, design: Mapping[CountedTable, Fraction], part: Levels) -> float:
    """Return how precisely a design tells a part."""
    return fsum(float(n) * told_by(sizes, one, part) for one, n in design.items())


def gained(
    sizes: tuple[tuple[int, ...], ...], shown: tuple[Levels, ...], known: tuple[Levels, ...]
) -> Fraction:
    """Return which part of the mean variance under Gaussian noise contrasts save."""
    worths = _worths(sizes, shown, known)
    design = designed(sizes, shown, known, "zcdp")
    return gain(sizes, _rounded(_gaussian(sizes, shown, worths), 1), design, worths)


def gain(
    sizes: Sizes,
    design: Mapping[CountedTable, Fraction],
    other: Mapping[CountedTable, Fraction],
    worths: Mapping[Levels, float],
) -> Fraction:
    """Return which part of the mean variance at one price the second of two designs saves."""
    first, second = (
        _variance(sizes, each, worths) * _price(sizes, each) for each in (design, other)
    )
    return Fraction(1 - second / first).limit_denominator(_PARTS)


def _price(sizes: Sizes, design: Mapping[CountedTable, Fraction]) -> float:
    """Return what Gaussian noise of these precisions costs: the squares that a row moves it by."""
    return fsum(
        float(n)
        * (prod(c * (c - 1) for c in steps(sizes, vector.shows)) if vector.contrasts else 1)
        for vector, n in design.items()
    )


def _variance(
    sizes: Sizes, design: Mapping[CountedTable, Fraction], worths: Mapping[Levels, float]
) -> float:
    return fsum(worth / _told(sizes, design, part) for part, worth in worths.items())


def _worths(
    sizes: Sizes,
    shown: Sequence[Levels],
    known: Sequence[Levels],
    counts: Mapping[Levels, float] | None = None,
) -> dict[Levels, float]:
    """Return what a variance of each part counts for: c_A; nothing of those that are known.

    Each table counts once, or as often as `counts` says.
    """
    settled = settled_parts(sizes, shown, known)
    weights: dict[Levels, float] = {}
    for table in shown:
        times = 1.0 if counts is None else counts.get(table, 1.0)
        for part in below(table):
            if part not in settled:
                rest = cells(sizes, table) / cells(sizes, part)
                weights[part] = weights.get(part, 0.0) + times / (rest * rest)
    return {part: dimensions(sizes, part) * worth for part, worth in weights.items()}


def _root(sizes: Sizes, part: Levels, worths: Mapping[Levels, float]) -> float:
    return sqrt(worths[part] / dimensions(sizes, part))


def _gaussian(
    sizes: Sizes, shown: Sequence[Levels], worths: Mapping[Levels, float]
) -> dict[Levels, float]:
    """Return the best weights of plain tables, up to a 200th of the variance."""
    weights: dict[Levels, float] = {}
    for table in reversed(shown):  # what larger tables do not tell of its part
        wanted = _root(sizes, table, worths) if table in worths else 0.0
        by_larger = [
            w * cells(sizes, table) / cells(sizes, o)
            for o, w in weights.items()
            if table != o and inside(table, o)
        ]
        weights[table] = wanted - fsum(by_larger)
    if set(worths) == set(shown) and min(weights.values()) >= 0:
        return weights
    most = max(weights.values())
    weights = {table: max(weight, _SMALL * most) for table, weight in weights.items()}
    ways = _ways(sizes, shown, worths)
    for _ in range(_ROUNDS):
        slopes = _slopes(ways, weights, worths)
        whole = fsum(weights.values())
        mean = fsum(weights[table] * slope for table, slope in slopes.items()) / whole
        weights = {table: w * sqrt(slopes[table] / mean) for table, w in weights.items()}
        if max(slopes.values()) <= _CLOSE * mean:
            break
    return weights


Ways = list[
    tuple[Levels, list[tuple[Levels, float]]]
]  # of each table, which parts it tells, and how


def _ways(sizes: Sizes, tables: Sequence[Levels], worths: Mapping[Levels, float]) -> Ways:
    return [
        (table, [(p, told_by(sizes, CountedTable(table), p)) for p in below(table) if p in worths])
        for table in tables
    ]


def _slopes(
    ways: Ways, precisions: Mapping[Levels, float], worths: Mapping[Levels, float]
) -> dict[Levels, float]:
    """Return how much less the variance gets with more precision of each table."""
    terms: dict[Levels, list[float]] = {part: [] for part in worths}
    for table, parts in ways:
        for part, factor in parts:
            terms[part].append(precisions[table] * factor)
    slopes = {part: worths[part] / fsum(numbers) ** 2 for part, numbers in terms.items()}
    return {table: fsum(slopes[part] * factor for part, factor in parts) for table, parts in ways}


def _laplace(
    sizes: Sizes, shown: Sequence[Levels], worths: Mapping[Levels, float]
) -> dict[Levels, float]:
    """Return good shares of plain tables, and of the cells of all attributes."""
    joint = tuple(len(each) - 1 for each in sizes)
    most = [t for t in shown if not any(t != other and inside(t, other) for other in shown)]
    gaussian = {t: sqrt(max(w, 0.0)) for t, w in _gaussian(sizes, shown, worths).items()}
    starts = [dict.fromkeys(most, 1.0), dict.fromkeys(shown, 1.0), {joint: 1.0}, gaussian]
    tried = [_descended(sizes, {t: v for t, v in start.items() if v}, worths) for start in starts]
    return min(tried, key=lambda pair: pair[0])[1]


def _descended(
    sizes: Sizes, shares: dict[Levels, float], worths: Mapping[Levels, float]
) -> tuple[float, dict[Levels, float]]:
    """Return shares on the way downhill, and their variance: the best that was met."""
    best, ways = (float("inf"), shares), _ways(sizes, list(shares), worths)
    for _ in range(_TRIED):
        whole = fsum(shares.values())
        shares = {table: share / whole for table, share in shares.items()}
        slopes = _slopes(ways, {table: share**2 for table, share in shares.items()}, worths)
        variance = fsum(share**2 * slopes[table] for table, share in shares.items())
        if variance < best[0]:
            best = (variance, shares)
        shares = {t: max(v * sqrt(v * slopes[t] / variance), 1e-9) for t, v in shares.items()}
    return best


def _rounded(
    weights: Mapping[Levels, float], least: int, fine: int = _PARTS
) -> dict[CountedTable, Fraction]:
    """Return weights in parts of the largest, thousandths; a table in no other keeps some."""
    most = max(weights.values())
    rounded = {}
    for table, weight in weights.items():
        alone = not any(table != other and inside(table, other) for other in weights)
        parts = max(round(fine * weight / most), least if alone else 0)
        if parts:
            rounded[CountedTable(table)] = Fraction(parts, fine)
    return rounded


_WEIGHT_PARTS = 100
_DIGITS = 10**20


@lru_cache(maxsize=1024)
def precisions(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the weight of each level under Gaussian noise: that of the keys is 1.

    Args:
        sizes: how many groups each level has, from 1 to the number of keys.

    Example:
        >>> [float(weight) for weight in precisions((1, 2))]
        [0.62, 1.0]
    """
    weights, below = [Fraction(1)], Fraction(1)
    for groups, finer in zip(sizes[-2::-1], sizes[:0:-1], strict=True):
        part = Fraction(groups, finer) * below
        below = Fraction(isqrt(int((1 + part * part) * _DIGITS**2)), _DIGITS)
        weights.append(
            max(
                Fraction(1, _WEIGHT_PARTS),
                Fraction(round((below - part) * _WEIGHT_PARTS), _WEIGHT_PARTS),
            )
        )
    return tuple(reversed(weights))


@lru_cache(maxsize=1024)
def narrowest(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the weight of each level under Gaussian noise, so that the widest number is narrowest.

    Example: the total and its keys get the same noise.

        >>> [round(float(weight), 1) for weight in narrowest((1, 2))]
        [1.0, 1.0]
    """
    levels = tuple((level,) for level in range(len(sizes)))
    found = _narrowest((sizes,), levels, (), even=False)
    keys = found[CountedTable(levels[-1])]
    none = Fraction(0)
    weights = [found.get(CountedTable(level), none) for level in levels]
    return tuple(weight / keys for weight in weights)  # exact: rationals


@lru_cache(maxsize=1024)
def shares(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return the share of each level under Laplace noise; they add up to 1.

    Example:
        >>> [float(share) for share in shares((1, 2))], [float(s) for s in shares((1, 50))]
        ([0.0, 1.0], [0.5, 0.5])
    """
    last = len(sizes) - 1
    even = [_WEIGHT_PARTS // (last + 1)] * last
    starts = [[0] * last + [_WEIGHT_PARTS], [*even, _WEIGHT_PARTS - sum(even)]]
    best = min(
        (_descended_weights(start, sizes) for start in starts),
        key=lambda v: mean_variance(v, sizes),
    )
    return tuple(Fraction(part, _WEIGHT_PARTS) for part in best)


def mean_variance(parts: Sequence[int], sizes: Sequence[int]) -> Fraction:
    """Return the mean variance of one attribute's tables under Laplace noise, but for a factor."""
    mean = Fraction(0)
    for j, groups in enumerate(sizes):
        finer = range(j, len(sizes))
        known = sum(Fraction(parts[i] ** 2 * groups, sizes[i]) for i in finer)
        spread = sum(Fraction(groups, sizes[i]) ** 2 for i in finer)
        above = sizes[j - 1] if j else 0
        mean += Fraction(groups - above, groups) * spread / known
    return mean


def _descended_weights(parts: list[int], sizes: Sequence[int]) -> list[int]:
    """Return shares from which no move of one hundredth leads to a smaller mean variance."""
    best = mean_variance(parts, sizes)
    while True:
        tried = [(mean_variance(moved, sizes), moved) for moved in _moves(parts)]
        least, moved = min(tried, default=(best, parts))
        if least >= best:
            return parts
        best, parts = least, moved


def _moves(parts: Sequence[int]) -> Iterator[list[int]]:
    """Return the shares with one hundredth moved; some is left for the keys, which tell all."""
    for start in range(len(parts)):
        for end in range(len(parts)):
            if start != end and parts[start] > (start == len(parts) - 1):
                moved = list(parts)
                moved[start] -= 1
                moved[end] += 1
                yield moved
