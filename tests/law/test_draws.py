"""Real draws: against an oracle that walks the same coins, and against the law by chi-square.

Each check of real draws raises a false alarm with probability 1e-9; there are 18 of them. The
others use labelled tapes: they pass or fail for ever.
"""

from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pytest
from suite import DRAWS
from suite import follows as check_law
from textbook import textbook_gaussian, textbook_laplace

from coins import Script, Tape, half, word
from discreet.entropy import Coins, Keyed
from discreet.exact.enclosure import ball, floor_of
from discreet.noise import discrete_gaussian, discrete_laplace
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.threshold import Lifted, below

LAWS = [DiscreteLaplace(Fraction(scale)) for scale in ("1/2", "10/3", "32", "1000", "1e6")]
LAWS += [DiscreteGaussian(Fraction(s2)) for s2 in ("1/2", "10", "10000", "40000", "1e10", "1e14")]
FROZEN = {
    "discrete_laplace 10/3": [-1, -1, -5, -11, 2, 1, -3, -1, 2],
    "discrete_laplace 1000000": [
        696543,
        1280544,
        850502,
        -590767,
        2747,
        -693342,
        -904045,
        121183,
        -27661,
    ],
    "discrete_laplace 1267650600228229401496703205376": [
        -56551957728112362743755106328,
        768850709119065018338317298512,
        -1557820559871802548765474326496,
        -428836075325676373791045971129,
        -56551957728112362743755106328,
        768850709119065018338317298512,
        -1557820559871802548765474326496,
        -428836075325676373791045971129,
        -576355572325956921696867121190,
    ],
    "discrete_gaussian 10": [4, 2, 3, 2, 0, 0, 4, 4, -2],
    "discrete_gaussian 10000000000": [
        -49405,
        -8914,
        -52090,
        -47488,
        -75103,
        57456,
        -127619,
        -49795,
        30262,
    ],
}


@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_real_draws_follow_the_law(law):
    """200,000 draws with fresh coins, in bulk and in a second batch; false alarm 1e-9 each."""
    check_law(law, law.draws(DRAWS, Coins()))


@pytest.mark.exhaustive
@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.slow
@pytest.mark.parametrize("law", [LAWS[1], LAWS[3], LAWS[6], LAWS[8]], ids=str)
def test_single_draws_follow_the_law(law):
    """The one-by-one path, 60,000 draws; false alarm 1e-9 each."""
    coins = Coins()
    one = (
        discrete_gaussian._strips(law.sigma2).one
        if isinstance(law, DiscreteGaussian)
        else lambda coins: discrete_laplace.one_draw(discrete_laplace.tables_of(law.scale), coins)
    )

    check_law(law, np.array([one(coins) for _ in range(60_000)]))


def stretched(law, factor):
    """The same kind of law, its standard deviation times the factor."""
    if isinstance(law, DiscreteGaussian):
        return DiscreteGaussian(law.sigma2 * factor**2)
    return DiscreteLaplace(law.scale * factor)


@pytest.mark.slow
@pytest.mark.parametrize("factor", ["1.3", "0.7", "0.5", "1.05"])
@pytest.mark.parametrize("law", LAWS[1:5] + LAWS[6:], ids=str)
def test_noise_of_another_size_is_caught(law, factor):
    """The check has power: 1.3, 0.7, half, and for 200,000 draws even 1.05 times the noise."""
    wrong = stretched(law, Fraction(factor)).draws(DRAWS, Tape(f"{law} {factor}"))

    with pytest.raises(AssertionError):
        check_law(law, wrong)


def zero_twice(draws):
    return np.where(np.arange(draws.size) % 12 == 0, 0, draws)


FAULTS = {
    "sign skipped": np.abs,
    "negative zero kept": lambda draws: np.where(draws == -1, 0, draws),
    "zero drawn too often": zero_twice,
    "moved by one": lambda draws: draws + 1,
    "tail cut": lambda draws: np.clip(draws, -25, 25),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_caught(fault):
    """The check has power: it refuses five classic mistakes of samplers."""
    law = DiscreteLaplace(Fraction(10, 3))
    draws = law.draws(DRAWS, Tape("honest"))

    check_law(law, draws)
    with pytest.raises(AssertionError):
        check_law(law, FAULTS[fault](draws))


@pytest.mark.slow
@pytest.mark.parametrize("law", [LAWS[1], LAWS[6]], ids=str)
def test_the_textbook_sampler_passes_the_same_check(law):
    """20,000 draws of the slow sampler of Canonne, Kamath and Steinke 2020 fit our masses."""
    draw = np.random.default_rng(2020).integers
    if isinstance(law, DiscreteGaussian):
        slow = [textbook_gaussian(law.sigma2, draw) for _ in range(20_000)]
    else:
        slow = [textbook_laplace(law.scale, draw) for _ in range(20_000)]

    check_law(law, np.array(slow))


def walked(tables, count, tape):
    """What `count` bulk draws from these digits must be, coin by coin, from the tables' floors."""
    total = [0] * count
    for table in tables:
        first = [int.from_bytes(tape.bytes(2), "little") for _ in range(count)]
        split = {floor >> 48 for floor in table.floors}
        rest = {i: tape.bytes(8) for i, u in enumerate(first) if u in split}
        for i, u in enumerate(first):
            low = int.from_bytes(rest.get(i, bytes(8)), "little") >> 16
            place = bisect_left(table.floors, u << 48 | low)
            total[i] ^= table.law.label(place)
    return total


@pytest.mark.claim("C04")
@pytest.mark.parametrize("scale", ["1/2", "10/3", "32", "1000", "1e6"])
def test_bulk_draws_are_what_a_walk_along_the_coins_finds(scale):
    """Same tape, read coin by coin in plain Python: the same 3,000 integers."""
    law = DiscreteLaplace(Fraction(scale))
    expected = walked(discrete_laplace.tables_of(law.scale), 3000, Tape(scale))

    assert law.draws(3000, Tape(scale)).tolist() == expected


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_draws_do_not_depend_on_the_size_of_the_container(law):
    """sample gives the draws as Python ints; none and few draws work too."""
    for count in (0, 1, 23, 24, 1000):
        draws = law.draws(count, Tape("sizes"))
        sample = law.sample(count, Tape("sizes"))

        assert draws.dtype == np.int64
        assert sample == draws.tolist()
        assert len(sample) == count
        assert all(type(x) is int for x in sample)


@pytest.mark.parametrize("name", FROZEN)
def test_the_same_coins_give_the_same_values_forever(name):
    """Frozen values from a labelled tape: a change of the sampler's use of coins is seen."""
    kind, parameter = name.split()
    make = DiscreteLaplace if kind == "discrete_laplace" else DiscreteGaussian
    law = make(Fraction(parameter))

    few, many = law.sample(4, Tape(name)), law.sample(100, Tape(name))

    assert [*few, *many[:4], many[99]] == FROZEN[name]


@pytest.mark.parametrize("law", [law for law in LAWS if law.variance() < 20_001], ids=str)
def test_one_draw_takes_the_same_number_of_bytes_whatever_its_value(law):
    """Without strips: one count of random bytes over 4,000 single draws."""
    tape, taken = Tape("work"), set()
    for _ in range(4000):
        before = tape.taken
        law.sample(1, tape)
        taken.add(tape.taken - before)

    assert len(taken) == 1


@pytest.mark.parametrize("parameter", [Fraction(1, 4096), Fraction(1, 1000), Fraction(2**100)])
@pytest.mark.parametrize("make", [DiscreteLaplace, DiscreteGaussian])
def test_extreme_parameters_draw(make, parameter):
    """The ends of the range draw, few or many, and stay within 60 deviations."""
    law = make(parameter)
    for count in (3, 100):
        draws = law.sample(count, Tape("extreme"))

        assert max(abs(x) for x in draws) <= 60 * (law.variance() ** 0.5 + 1)
    assert all(type(x) is int for x in make(Fraction(2**150)).sample(30, Tape("wide")))


@pytest.mark.claim("C05")
def test_a_rejected_draw_is_drawn_again():
    """Strips: a height above the acceptance is thrown away with its strip and place."""
    strips = discrete_gaussian._strips(Fraction(40_000))
    top = word((1 << 64) - 1)
    place = bytes([1])
    coins = Script(word(0), place, top, word(0), place, word(0))

    assert strips.bits == 1
    assert strips.one(coins) == 1
    assert coins.left == 0


@pytest.mark.claim("C05")
def test_a_rejected_bulk_draw_is_drawn_again():
    """The same among arrays: the second try fills the place of the first."""
    many = discrete_gaussian._many(Fraction(40_000))
    out = np.zeros(1, dtype=np.int64)
    first = half(0) + half(1) + half((1 << 16) - 1) + word((1 << 64) - 1)
    coins = Script(first, half(0), half(0), half(0))

    many.into(out, coins)

    assert out.tolist() == [0]
    assert coins.left == 0


def heights(strips):
    """Bases, places, and the 64 bits whose acceptance only the bits after them decide.

    Of each strip the near end and the far one: there doubles err least and most.
    """
    for i in range(strips.table.law.reach):
        for place in {1, (1 << strips.bits) - 1}:
            base = strips.table.law.label(i)
            exponent = -Fraction((2 * abs(base) + place) * place) / (2 * strips.sigma2)
            yield base, place, floor_of(lambda x=exponent: ball(x).exp() * 2**64)


SIGMA2S = [Fraction(40_000), Fraction(10**6, 3), Fraction(10**14)]


@pytest.mark.claim("C05")
@pytest.mark.parametrize("sigma2", SIGMA2S, ids=str)
def test_one_acceptance_is_decided_to_the_last_bit(sigma2):
    """Heights that are 2^-64 below the acceptance are kept, those above it are not."""
    strips = discrete_gaussian._strips(sigma2)
    for base, place, tie in heights(strips):
        d = (2 * abs(base) + place) * place

        assert strips.keeps(d, tie - 1, Script())
        assert not strips.keeps(d, tie + 1, Script())
        assert strips.keeps(d, tie, Script(word(0)))
        assert not strips.keeps(d, tie, Script(word((1 << 64) - 1)))


@pytest.mark.claim("C05")
@pytest.mark.parametrize("sigma2", SIGMA2S, ids=str)
def test_many_acceptances_are_decided_to_the_last_bit(sigma2):
    """No double can tell these heights from the acceptance: the float filter leaves them open."""
    many, strips = discrete_gaussian._many(sigma2), discrete_gaussian._strips(sigma2)
    found = list(heights(strips))
    bases, places = (np.array([one[i] for one in found], dtype=np.int64) for i in (0, 1))
    for off in (-1, 1):
        first = np.array([(tie + off) >> 48 for *_, tie in found], dtype=np.uint16)
        rest = [((tie + off) & ((1 << 48) - 1)) << 16 for *_, tie in found]

        kept = many._filtered(bases, places, first, Script(*map(word, rest)))

        assert kept.tolist() == [off < 0] * len(found)


@pytest.mark.claim("C05")
@pytest.mark.parametrize("sigma2", SIGMA2S, ids=str)
def test_heights_kept_at_a_glance_are_below_every_acceptance(sigma2):
    """Strip by strip: 16 bits below the quick height, whatever follows, at the strip's far end."""
    many, strips = discrete_gaussian._many(sigma2), discrete_gaussian._strips(sigma2)
    far = (1 << strips.bits) - 1
    quick = dict(zip(many._look.entries.tolist(), many._quick.tolist(), strict=True))
    quick.pop(many._look.unknown)
    assert max(quick.values()) > 0
    for base, height in quick.items():
        exponent = -(2 * abs(base) + far) * far / (2 * sigma2)
        assert height <= floor_of(lambda x=exponent: ball(x).exp() * 2**16)


class Said:
    """Streams by name whose first bytes are given; what comes behind them repeats."""

    def __init__(self, *blocks):
        self._blocks = {b"%d" % number: block for number, block in enumerate(blocks)}
        self.names = list(self._blocks)

    def stream(self, name):
        return Script(self._blocks[name[1:]], Tape("behind").bytes(2_000))

    def blocks(self, prefix, names):
        assert prefix == b"p"
        return b"".join(self._blocks[name] for name in names)


def edges(strips):
    """Blocks whose strip, place and height lie on every edge, one to each side, and between."""
    size = (strips.bits + 7) // 8
    floors = strips.table.floors
    some = floors[:-1:99]
    firsts = [0, *(n + off for n in some for off in (-1, 1))]
    for first in firsts:
        base = strips.table.law.label(min(bisect_left(floors, first), len(floors) - 1))
        for place in (0, 1, (1 << strips.bits) - 1):
            d = (2 * abs(base) + place) * place
            rate = Fraction(-d) / (2 * strips.sigma2)
            edge = floor_of(lambda rate=rate: ball(rate).exp() * 2**64) if d else 2**64 - 1
            near = (0, 1, -1, 2**20, -(2**20), 2**34, -(2**34))
            for height in {0, 2**64 - 1, *(min(2**64 - 1, max(0, edge + off)) for off in near)}:
                yield (word(first) + place.to_bytes(size, "little") + word(height)).ljust(64, b"x")


@pytest.mark.claim("C67")
@pytest.mark.parametrize("sigma2", [10**6, Fraction(10**14, 7), 2**80])
def test_draws_by_name_are_those_of_one_stream_each(sigma2):
    """Many at once, on every edge and at random: whatever floats leave open is drawn exactly."""
    law = DiscreteGaussian(Fraction(sigma2))
    said = Said(*edges(discrete_gaussian._strips(law.sigma2)))
    expected = [law.one(said.stream(b"p" + name)) for name in said.names]

    assert law.named(said, b"p", said.names) == expected
    strips = discrete_gaussian._strips(law.sigma2)
    late = [2**64 - 1, *strips.table.floors[::99]]  # each takes a scalar draw a second
    open_ = b"".join(word(first).ljust(64, b"\0") for first in late)
    assert discrete_gaussian._many(law.sigma2).begun(open_)[1] == [*range(len(late))]
    keyed, names = Keyed(), [b"%d" % number for number in range(5_000)]
    assert law.named(keyed, b"p", names) == [law.one(keyed.stream(b"p" + n)) for n in names]


TABLES = {
    "discrete_gaussian": lambda law: [discrete_gaussian._strips(law.sigma2).table],
    "discrete_laplace": lambda law: discrete_laplace.tables_of(law.scale),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C466")
@pytest.mark.parametrize(
    "law",
    [
        *(
            DiscreteLaplace(Fraction(scale))
            for scale in ("1/2", "10/3", "32", "1000", "1e6", "2e12")
        ),
        *(DiscreteGaussian(Fraction(s2)) for s2 in ("1/1000", "1/2", "10", "10000", "32768")),
    ],
    ids=str,
)
def test_draws_by_name_from_tables_are_those_of_one_stream_each(law):
    """On every edge of each table, beyond its end, and at random; what is open is drawn by one."""
    tables = TABLES[law.name](law)
    sides = [
        [
            0,
            2**64 - 1,
            *(n + off for n in t.floors[:: len(t.floors) // 4 + 1] for off in (-1, 0, 1)),
        ]
        for t in tables
    ]
    rest = [t.floors[len(t.floors) // 2] + 1 for t in tables]
    firsts = [
        (*rest[:at], first, *rest[at + 1 :])
        for at, side in enumerate(sides)
        for first in side
        if 0 <= first < 2**64
    ]
    said = Said(*(b"".join(map(word, first)).ljust(64, b"x") for first in firsts))
    keyed, names = Keyed(), [b"%d" % number for number in range(3_000)]

    for streams, asked in ((said, said.names), (keyed, names)):
        expected = [law.sample(1, streams.stream(b"p" + name))[0] for name in asked]
        assert law.named(streams, b"p", asked) == expected


@pytest.mark.exhaustive
@pytest.mark.claim("C466")
@pytest.mark.parametrize(
    ("law", "threshold"),
    [
        (DiscreteLaplace(Fraction("10/3")), 4),
        (DiscreteLaplace(Fraction(1000)), 2_000),
        (DiscreteGaussian(Fraction(40_000)), 250),
    ],
    ids=str,
)
def test_noise_that_is_drawn_in_two_steps_has_the_law(law, threshold):
    """Of all cells: those that it lifts over a threshold, and all others below it."""
    noise = np.zeros(DRAWS, dtype=np.int64)
    lifted = Lifted(law, threshold).drawn(DRAWS, Coins())
    rest = [cell for cell in range(DRAWS) if cell not in lifted]
    noise[[*lifted]] = [*lifted.values()]
    noise[rest] = below(law, threshold, Keyed(), rest)

    check_law(law, noise)
