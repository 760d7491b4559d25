"""The tables: every threshold by a second method, every entry, and the exact path by script."""

from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest
from tables import LAWS, NARROW, check_look_up, check_thresholds, rebuilt, tables

from coins import Script, half, word
from discreet.exact.enclosure import floor_of
from discreet.noise.inversion import InversionTable, Outcomes, Uniform
from discreet.noise.inversion_batch import Look

GAUSSIAN = ("gaussian", Fraction(25))


@pytest.mark.exhaustive
@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_threshold_is_what_a_second_method_finds(law):
    """floor(2^64 t_i), for each t_i summed from formulas at 120 or 1,000 digits."""
    for table, shares, digits in tables(*law):
        check_thresholds(table, shares, digits)


@pytest.mark.parametrize("off", [-1, 1])
@pytest.mark.parametrize("place", [0, 1, 7])
def test_a_threshold_that_is_off_by_one_is_caught(place, off):
    """The check has power: one unit of 2^-64 in one threshold does not pass."""
    [(table, shares, digits)] = tables(*GAUSSIAN)
    floors = list(table.floors)
    floors[place] += off

    with pytest.raises(AssertionError):
        check_thresholds(rebuilt(table.law, floors), shares, digits)


def test_a_table_rounded_to_64_bits_is_caught():
    """Rounding to nearest in place of a floor moves about half of the thresholds."""
    [(table, shares, digits)] = tables(*GAUSSIAN)
    law = table.law
    nearest = [
        floor_of(lambda i=i: law.cumulative(i + 1)[i] * 2**64 + 0.5) for i in range(law.reach)
    ]

    with pytest.raises(AssertionError):
        check_thresholds(rebuilt(table.law, nearest), shares, digits)


@pytest.mark.exhaustive
@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.slow
@pytest.mark.parametrize("law", NARROW, ids=str)
def test_all_65536_entries_say_what_the_thresholds_say(law):
    """An entry names the only outcome that its 16 bits leave possible, or is open."""
    for table, *_ in tables(*law):
        look = Look(table)
        check_look_up(table, look.entries, look.unknown)


def test_an_entry_rounded_to_the_nearest_outcome_is_caught():
    """The check has power: it refuses an open entry that was settled, and a neighbor's label."""
    [(table, *_)] = tables(*GAUSSIAN)
    look = Look(table)
    settled, shifted = look.entries.copy(), look.entries.copy()
    settled[np.flatnonzero(settled == look.unknown)[0]] = 0
    shifted[0] = -1

    for entries in (settled, shifted):
        with pytest.raises(AssertionError):
            check_look_up(table, entries, look.unknown)


def next_bits(table, place, bits=64):
    """The bits after the first 64 of threshold `place`."""
    long = floor_of(lambda: table.law.cumulative(place + 1)[place] * 2 ** (64 + bits))
    return long & ((1 << bits) - 1)


def with_room(law):
    """The law's tables whose fourth outcome (or last but one) is not rarer than 2^-64."""
    for table, *_ in tables(*law):
        place = min(3, table.law.reach - 2)
        if place >= 0 and table.floors[place] < table.floors[place + 1]:
            yield table, place, table.floors[place], next_bits(table, place)


@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.parametrize("law", NARROW, ids=str)
def test_a_tie_in_64_bits_is_decided_by_the_next_64(law):
    """Below the threshold's own next bits: this outcome. Above: the next. Equal: still open."""
    end = (1 << 64) - 1
    for table, place, floor, more in with_room(law):
        tie, here, after = word(floor), table.law.label(place), table.law.label(place + 1)

        assert table.one(Script(tie, word(more - 1))) == here
        assert table.one(Script(tie, word(more + 1))) == after
        assert table.one(Script(tie, word(more), word(0))) == here
        assert table.one(Script(tie, word(more), word(end))) == after
        assert table.one(Script(word(floor - 1))) == here
        assert table.one(Script(word(floor + 1))) == after


@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.parametrize("law", NARROW, ids=str)
def test_many_draws_at_once_take_the_same_exact_path(law):
    """A tie among array draws goes to the same decision as a single one, mixed or not."""
    for table, place, floor, more in with_room(law):
        start = half(floor >> 48) * 2 + word((floor & ((1 << 48) - 1)) << 16) * 2
        expected = [table.law.label(place), table.law.label(place + 1)]
        for before in (0, 1234567):
            coins = Script(start, word(more - 1), word(more + 1))
            out = np.full(2, before, dtype=np.int64)

            Look(table).into(out, coins, mix=before > 0)

            assert (out ^ before).tolist() == expected
            assert coins.left == 0


@pytest.mark.claim("C05")
def test_an_outcome_beyond_the_table_is_found_by_its_own_threshold():
    """Gaussian, sigma2 = 1/2, U = 1 - 2^-64 (1 - c): the outcomes' own sums decide."""
    [(table, *_)] = tables("gaussian", Fraction(1, 2))
    end = word((1 << 64) - 1)
    for second in (0, 1 << 63, (1 << 64) - 9):
        prefix = ((1 << 64) - 1) << 64 | second
        floors = [floor_of(lambda n=n: table.law.cumulative(n + 1)[n] * 2**128) for n in range(40)]
        expected = bisect_right(floors, prefix)

        assert prefix not in floors
        assert table.one(Script(end, word(second))) == table.law.label(expected)
        assert expected >= table.law.reach


@pytest.mark.claim("C04")
def test_a_geometric_law_starts_afresh_beyond_its_table():
    """Past the last threshold the same law is drawn again and moved outward."""
    [(table, *_)] = tables("laplace", Fraction(1, 2))
    size = table.law.reach // 2
    zeros = word(0)
    end = word((1 << 64) - 1)
    sign = word(table.floors[0] + 1)  # the first negative outcome, -1

    assert table.one(Script(end, end, zeros)) == size
    assert table.one(Script(end, end, sign)) == -1 - size


def test_a_uniform_real_is_revealed_word_by_word():
    """1/3 has the bits 0101...; a prefix that agrees stays open, for as many words as it takes."""
    from flint import arb

    third = 0x5555555555555555
    script = Script(word(third), word(third), word(third - 1))

    assert Uniform(third, 64, script).is_below(lambda: arb(1) / 3)
    assert script.left == 0


def test_a_finite_table_is_drawn_from_in_full():
    """A fair die of three faces: the thresholds are 1/3 and 2/3, the last face is the rest."""
    from flint import arb

    die = InversionTable(
        Outcomes(lambda n: [arb(i + 1) / 3 for i in range(n)], lambda i: 10 * i, 2, "last")
    )

    assert [die.one(Script(word(x))) for x in (0, 2**63, 2**64 - 1)] == [0, 10, 20]
    look = Look(die)
    check_look_up(die, look.entries, look.unknown)
    assert (look.entries == look.unknown).sum() == 2
