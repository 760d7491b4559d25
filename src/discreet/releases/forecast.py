"""How many keys a plan will show, for a public guess of the data: before anything is paid.

Rules of this module:
- nothing is read: pairs are made up from the guess, and the noise is that of the plan's own laws;
- a guess is the caller's; what is said follows from it, and is no promise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ..entropy import Coins
from ..errors import InputError
from ..exact.number import Number, rational, rounded, text_of, whole
from ..finding.finding import Finding
from ..fix import leave_out, write
from ..plans.plan import Plan
from ..post.expected_keys import (
    Margins,
    Numbers,
    keys_shown,
    made_up_pairs,
    margins_of_law,
    margins_of_sizes,
    pairs_of_sizes,
    sizes_between,
)
from ..schema.unknown import MOST_GROUPS
from ..text import prompt
from .open_ledger import plan_for

_MOST_PAIRS = 2 * 10**7
_MOST_KEYS = 10**7
_FEW = 1  # below so many keys a plan is warned of
_CLEARLY = 10  # one part in so many is what another max_groups must show more
_STEEPEST = 10
_GROUPS = 100  # of units that have as many keys
_TIMES, _ENOUGH = 5, 10**6  # rehearsals, of so many pairs in all
_APART = Fraction(3, 2)  # what sizes of keys may say more than sizes of units


@dataclass(frozen=True, slots=True)
class Forecast:
    """The number of keys that a release may show, for a guess; `print` writes a sentence.

    Attributes:
        column: the column of unknown keys.
        expected: the number of keys that a rehearsal on made-up data of this guess shows.
        keys: the number of keys in the guess.
        needs: the number of units that a key must have to be shown, by the number of keys that each
            unit has.
        better: another `max_groups` that shows clearly more keys, with the number of keys; else
            None.

    Example: noise is in the number of keys.

        >>> keys = {"film": dp.unknown(max_groups=9)}
        >>> films = dp.table("films.csv", unit=dp.unit("who"), keys=keys)
        >>> asked = dp.count(by="film", max_rows_per_group=1)
        >>> plan = dp.plan(films, asked, spend=dp.approx(1, "1e-6"))
        >>> (guess,) = dp.forecast(plan, units=20_000, keys=1_000, each=5)
        >>> guess.column, guess.keys
        ('film', 1000)
    """

    column: str
    expected: int
    keys: int
    needs: dict[int, str]
    better: tuple[int, int] | None = None

    @property
    def warning(self) -> str | None:
        """What to do where fewer than one key is to be expected; else None."""
        if self.expected >= _FEW:
            return None
        least = next(iter(self.needs.values()))
        return (
            f"Warning: no key of {self.column} is expected to show: one needs about {least} units "
            "or more. Three ways out: group by something coarser, spend more, or list the keys."
        )

    def __str__(self) -> str:
        text = f"Expect about {self.expected:,} of {self.keys:,} keys of {self.column} to show."
        (_, least), *most = self.needs.items()
        more = "".join(f", or {n} where each of them has {keys:,} keys" for keys, n in most)
        text += f" A key shows from about {least} units on{more}."
        if self.better is not None:
            text += f"\nWith max_groups = {self.better[0]:,} about {self.better[1]:,} would show."
        return text if self.warning is None else f"{text}\n{self.warning}"

    def __repr__(self) -> str:
        return prompt("Forecast", f"about {self.expected:,} of {self.keys:,} keys of {self.column}")


def forecast(
    plan: Plan,
    *,
    units: int,
    keys: int | None = None,
    each: int | Mapping[int, int] | None = None,
    exponent: Number = 1,
    sizes: Mapping[int, float] | None = None,
) -> list[Forecast]:
    """Forecast how many keys of each unknown column a plan will show, from a public guess of the
    data.

    The forecast makes up units that choose made-up keys, and the plan's own finder looks for these
    keys. The forecast reads no data. If the guess is right, the number is within some percent of
    the number that a release shows.

    Args:
        plan: a plan over unknown keys.
        units: the number of units in the guess.
        keys: the number of keys that may occur.
        each: the number of keys that a unit chooses. If units differ, a dict from a number of keys
            to the number of units that have so many. Then frequent keys are in nearly all large
            units, as they are in most data.
        exponent: units choose the i-th most frequent key in proportion to i^-exponent. With 0, all
            keys are equally frequent; films and words have about 1.
        sizes: a dict from a number of units to the number of keys that have at least so many units,
            as `group_sizes` releases them. Give it in place of `keys` and `exponent`. Without
            `each`, units are alike.

    Returns: for each unknown column, the number of keys that are shown, and the number of units
        that a key must have to be shown.

    Raises:
        InputError: the plan finds no keys, or the guess is out of range.

    Example:
        >>> keys = {"film": dp.unknown(max_groups=9)}
        >>> films = dp.table("films.csv", unit=dp.unit("who"), keys=keys)
        >>> views = dp.count(by="film", max_rows_per_group=1)
        >>> asked = dp.plan(films, views, spend=dp.approx(1, "1e-6"))
        >>> (found,) = dp.forecast(asked, units=20_000, keys=1_000, each=5)
        >>> 200 < found.expected < 400
        True
    """
    findings = plan_for("forecast", plan).findings
    if not findings:
        raise InputError(
            "this plan finds no keys.",
            kind="unknown-keys-wrong",
            why="all columns that it groups by have public keys, and each of these is released",
            fix="print the plan: it says what each question costs, and how wide its intervals are",
        )
    some = whole(units, "units", least=1)
    if sizes is not None:
        made_up = _by_sizes(sizes, some, keys, each)
    else:
        made_up = _by_law(some, keys, each, _exponent(exponent))
    return [_forecast(finding, made_up) for finding in findings]


@dataclass(frozen=True, slots=True)
class _Guess:
    """Made-up pairs of a unit and a key, how many keys there are, and how many a unit has."""

    pairs: Callable[[Coins], tuple[Numbers, Numbers]]
    keys: int
    each: int


def _by_law(
    units: int, keys: int | None, each: int | Mapping[int, int] | None, exponent: Fraction
) -> _Guess:
    """Return units that choose keys as Zipf's law has it."""
    many = whole(keys, "keys", least=1)
    slope = float(exponent)  # exact: a guess, which decides nothing
    if isinstance(each, Mapping):
        groups = _groups(each, units)
        _refuse_many(0, many)
        return _of_margins(margins_of_law(groups, keys=many, exponent=slope))
    some = whole(each, "each", least=1)
    _refuse_many(units * some, many)

    def pairs(coins: Coins) -> tuple[Numbers, Numbers]:
        return made_up_pairs(_words(coins, units * some), keys=many, exponent=slope, each=some)

    return _Guess(pairs, many, some)


def _by_sizes(
    sizes: object, units: int, keys: int | None, each: int | Mapping[int, int] | None
) -> _Guess:
    """Return keys of such sizes, each with any units, or with units of so many keys."""
    if keys is not None:
        raise InputError(
            "sizes are given, and keys beside them.",
            kind="settings-clash",
            why="sizes say how many keys there are",
            fix=leave_out("keys"),
        )
    if not isinstance(sizes, Mapping) or not sizes or not all(map(_is_size, sizes.items())):
        raise InputError(
            "sizes do not say how many keys have at least so many units.",
            kind="wrong-numbers",
            why="each of them is a whole number of units, with a number of keys",
            fix=write(sizes={10: 4_300, 100: 350}),
        )
    _refuse_many(0, max(0, *map(int, sizes.values())))
    counts = sizes_between(sizes, units)
    _refuse_many(sum(counts), len(counts))
    if each is not None:
        many = each if isinstance(each, Mapping) else {whole(each, "each", least=1): units}
        groups = _groups(many, units)
        _refuse_apart(sum(counts), sum(some * count for some, count in groups.items()))
        return _of_margins(margins_of_sizes(groups, counts, min(sizes)))

    def pairs(coins: Coins) -> tuple[Numbers, Numbers]:
        return pairs_of_sizes(_words(coins, sum(counts)), counts, units)

    return _Guess(pairs, len(counts), max(1, -(-sum(counts) // units)))


def _groups(each: Mapping[int, int], units: int) -> dict[int, int]:
    """Return how many units have so many keys, or raise InputError."""
    parts = len(each) <= _GROUPS and all(map(_is_group, each.items()))
    if not parts or not any(some and count for some, count in each.items()):
        raise InputError(
            f"each does not say in 1 to {_GROUPS} parts how many units have so many keys.",
            kind="wrong-numbers",
            why="each part is a whole number of keys, with a whole number of units; one has keys",
            fix=write(each={20: 900, 200: 100}),
        )
    total = sum(each.values())
    if total != units:
        raise InputError(
            f"each has {total:,} units in all, and units = {units:,}.",
            kind="settings-clash",
            why="each unit is in one part: a unit without a key has 0 keys",
            fix=write(units=max(total, 1)),
        )
    groups = {some: count for some, count in each.items() if count}
    _refuse_many(sum(some * count for some, count in groups.items()), 0)
    return groups


def _is_group(pair: tuple[object, object]) -> bool:
    """Say whether it is a number of keys, and a number of units."""
    return all(
        isinstance(part, int) and not isinstance(part, bool) and 0 <= part <= _MOST_PAIRS
        for part in pair
    )


def _of_margins(margins: Margins) -> _Guess:
    _refuse_many(sum(units * draws for _, units, draws, _ in margins.draws()), margins.keys)

    def pairs(coins: Coins) -> tuple[Numbers, Numbers]:
        return margins.pairs(lambda many: _words(coins, many))

    return _Guess(pairs, margins.keys, max(1, *(some for some, _ in margins.groups)))


def _refuse_apart(by_sizes: int, by_units: int) -> None:
    """Refuse sizes of keys that say much more than how many keys units have."""
    if by_sizes > _APART * by_units:
        raise InputError(
            f"sizes say {by_sizes:,} pairs of a unit and a key, and each {by_units:,}.",
            kind="settings-clash",
            why="each may say more, because keys of smaller sizes count too, but not much less",
            fix=leave_out("each"),
        )


def _is_size(pair: tuple[object, object]) -> bool:
    """Say whether it is a number of units, and a number of keys."""
    size, many = pair
    whole_number = isinstance(size, int) and not isinstance(size, bool) and size > 0
    return whole_number and isinstance(many, (int, float)) and abs(many) <= _MOST_PAIRS


def _words(coins: Coins, many: int) -> Numbers:
    import numpy as np

    return np.frombuffer(coins.bytes(8 * many), dtype="<u8")


def _refuse_many(pairs: int, keys: int) -> None:
    if pairs > _MOST_PAIRS or keys > _MOST_KEYS:
        raise InputError(
            f"a guess of more than {_MOST_PAIRS:,} pairs or {_MOST_KEYS:,} keys is not rehearsed.",
            kind="too-large-to-calculate",
            why="it would take minutes; the number that shows grows with the units, and not faster",
            fix=write(units=100_000),
        )


def _forecast(finding: Finding, guess: _Guess) -> Forecast:
    coins = Coins()
    other = replace(finding, max_groups=min(guess.each, MOST_GROUPS))
    expected, suited = _means((finding, other), guess, coins)
    more = suited - expected
    clearly = other != finding and more > _FEW and more * _CLEARLY > expected
    better = (other.max_groups, suited) if clearly else None
    most = {case: rounded(finding.needs(case), 2) for case in sorted({1, finding.max_groups})}
    return Forecast(finding.column, expected, guess.keys, most, better)


def _means(cases: tuple[Finding, ...], guess: _Guess, coins: Coins) -> list[int]:
    """Return how many keys each finding shows on average of a few rehearsals."""
    shown: list[list[int]] = []
    pairs = 0
    while len(shown) < _TIMES and pairs * (len(shown) + 1) <= _ENOUGH * len(shown):
        made_up = guess.pairs(coins)
        shown.append([_shown(case, made_up, coins) for case in cases])
        pairs += made_up[0].size
    return [round(Fraction(sum(some), len(some))) for some in zip(*shown, strict=True)]


def _shown(finding: Finding, pairs: tuple[Numbers, Numbers], coins: Coins) -> int:
    laws, words = finding.laws, _words(coins, pairs[0].size)
    return keys_shown(
        finding, *pairs, words, lambda number, count: laws[number].draws(count, coins)
    )


def _exponent(argument: Number) -> Fraction:
    """Return the exponent of a guess, or raise InputError."""
    exponent = rational(argument, "exponent")
    if 0 <= exponent <= _STEEPEST:
        return exponent
    raise InputError(
        f"exponent = {text_of(exponent)} must be from 0 to {_STEEPEST}.",
        kind="out-of-range",
        why="the i-th most frequent key is chosen in proportion to i^-exponent",
        fix=write(exponent=1),
    )
