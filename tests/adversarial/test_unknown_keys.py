"""Each sentence of the proof in docs/laws/unknown_keys.md, attacked; and faults that must be seen."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from adversarial.worlds import UNITS, apart, histories, pool_of, tables
from discreet.engine.memory_pool import MemoryPool
from discreet.entropy import Keyed
from discreet.finding import finding as room
from discreet.finding.finding import Finding, weight
from discreet.privacy.conversion import delta_up
from discreet.releases.door import reached
from discreet.releases.find import find, keyed_noise
from discreet.releases.sealed import Aside

RHO, DELTA = Fraction(1, 4), Fraction(1, 50)
EPSILONS = (0, Fraction(1, 2), 1, 2, 3)
SLACK = 1e-9  # of sums of floats


def small(max_groups=2, *, moved=1, precisions=(1, 2), resolution=6, rho=RHO):
    """A finding of two rounds, whose noise can be listed."""
    sigma2 = Fraction(moved * resolution**2 * sum(precisions)) / (2 * rho)
    return Finding("film", max_groups, sigma2, DELTA, moved, precisions, resolution)


def allowed(epsilon, rho=RHO):
    """What delta-approximate zCDP leaves at most."""
    return float(DELTA + (1 - DELTA) * delta_up(rho, Fraction(epsilon))) + SLACK


def check_apart(one, other, rho=RHO):
    """Two tables that differ by one unit are told apart no better than the price says."""
    for epsilon in EPSILONS:
        assert apart(one, other, float(epsilon)) <= allowed(epsilon, rho)
        assert apart(other, one, float(epsilon)) <= allowed(epsilon, rho)


class Near:
    """Checks each pair of laws once, whatever number of tables has it."""

    def __init__(self):
        self.seen = {}

    def check(self, one, other):
        pair = frozenset((id(one), id(other)))
        if pair not in self.seen:
            self.seen[pair] = (one, other)  # held, so that no other law takes its place
            check_apart(one, other)


def check_alone(finding, pool=pool_of):
    """A table of one unit, against nobody: what is shown at all is rarer than delta."""
    for keys in UNITS:
        told = histories(pool([(0, keys)], finding), finding)
        shown = 1 - sum(chance for story, chance in told.items() if not any(story))
        assert shown <= float(finding.delta) + SLACK


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C68")
@pytest.mark.parametrize("max_groups", [1, 2, 3])
def test_all_tables_of_three_units_and_one_less_are_as_near_as_the_price_says(max_groups):
    """120 tables of up to 3 units and 3 keys, each against the same without any one of its units."""
    finding, near = small(max_groups), Near()

    for units in tables(3):
        told = histories(pool_of(units, finding), finding)
        assert sum(told.values()) == pytest.approx(1)
        for left in range(len(units)):
            fewer = units[:left] + units[left + 1 :]
            near.check(told, histories(pool_of(fewer, finding), finding))
    assert len(near.seen) >= 30


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C68")
@pytest.mark.parametrize("max_groups", [1, 2, 3])
def test_all_tables_of_three_units_and_one_exchanged_are_as_near_as_the_price_says(max_groups):
    """With neighbors = replace the noise is twice as large, and delta is paid once."""
    finding, near = small(max_groups, moved=2), Near()

    for units in tables(3):
        if units:
            told = histories(pool_of(units, finding), finding)
            for kind in UNITS:
                other = [*units[:-1], (9, kind)]
                near.check(told, histories(pool_of(other, finding), finding))
    assert len(near.seen) >= 30


@pytest.mark.claim("C68")
@pytest.mark.parametrize("max_groups", [1, 2, 3])
def test_a_key_of_one_unit_alone_is_rarer_than_delta(max_groups):
    """All rounds together, and over all its keys; the bound is not much above the truth."""
    finding = small(max_groups, precisions=(1, 2, 4))
    check_alone(finding)

    told = histories(pool_of([(0, {"a", "b", "c"})], finding), finding)
    shown = 1 - sum(chance for story, chance in told.items() if not any(story))
    assert shown > float(DELTA) / 3


@pytest.mark.claim("C68")
@pytest.mark.parametrize("share", [Fraction(9, 10), Fraction(95, 100)])
def test_a_threshold_that_is_lower_is_caught(share, monkeypatch):
    """The check has power: a tenth off the threshold shows a lone key too often."""
    finding = small(2)
    lower = tuple(int(share * one) for one in finding.thresholds)
    monkeypatch.setattr(room, "thresholds", lambda *_: lower)

    if share == Fraction(9, 10):
        with pytest.raises(AssertionError):
            check_alone(finding)
    assert finding.thresholds == lower


@pytest.mark.claim("C68")
@pytest.mark.parametrize("level", [-40, 0, 25, 60])
def test_whatever_is_set_aside_a_key_of_one_unit_alone_is_rarer_than_delta(level, monkeypatch):
    """The proof asks nothing of the levels: a low one, and one that nearly no total reaches."""
    monkeypatch.setattr(room, "levels", lambda *_: (level,))
    for max_groups in (1, 2, 3):
        check_alone(small(max_groups))


@pytest.mark.claim("C68")
def test_a_threshold_as_if_all_keys_of_a_unit_stayed_is_caught(monkeypatch):
    """The check has power: a key whose neighbors are set aside gets all of its unit's weight.

    Thresholds for keys that share it to the end are too low then.
    """
    finding = small(3, precisions=(1, 8), rho=Fraction(8))
    shared = tuple(
        threshold - so_far * (finding.resolution - weight(finding.resolution, 3))
        for threshold, so_far in zip(finding.thresholds, (1, 9), strict=True)
    )
    check_alone(finding)
    monkeypatch.setattr(room, "thresholds", lambda *_: shared)

    with pytest.raises(AssertionError):
        check_alone(finding)


def test_weights_that_do_not_shrink_are_caught():
    """The check has power: a unit that adds all of W to each of three keys is told apart."""
    finding = small(3, rho=Fraction(1))
    wrong = (finding.resolution,) * 3
    crowd = [(number, {"a", "b", "c"}) for number in range(4)]

    def near(weights):
        one, other = (
            histories(MemoryPool(pool_of(units, finding)._units, weights), finding)
            for units in (crowd, crowd[1:])
        )
        check_apart(one, other, Fraction(1))

    near(finding.pairs.weights)
    with pytest.raises(AssertionError):
        near(wrong)


def test_rows_that_are_counted_for_units_are_caught():
    """The check has power: a unit whose every row counts adds twice as much."""

    class Rows(MemoryPool):
        def sums(self, found):
            values = super().sums(found).opened_by_the_door()
            return type(super().sums(found))(tuple(2 * value for value in values))

    def pool(units, finding):
        honest = pool_of(units, finding)
        return Rows(honest._units, honest._weights)

    with pytest.raises(AssertionError):
        check_alone(small(2), pool)


def reaches(pool, keys):
    """To how many keys a table of one unit adds something, whatever was found before."""
    places = range(len(keys))
    founds = [frozenset(some) for size in places for some in combinations(places, size)]
    sums = [pool.sums(found).opened_by_the_door() for found in founds]
    return sum(any(one[place] for one in sums) for place in places)


@pytest.mark.claim("C69")
@pytest.mark.parametrize("max_groups", [1, 2, 3])
@pytest.mark.parametrize("salt", range(6))
def test_a_pool_is_fixed_before_the_first_round(max_groups, salt):
    """Whatever is found, one unit adds to max_groups keys in all: the proof stands on it."""
    finding = small(max_groups)

    assert reaches(pool_of([(0, {"a", "b", "c"})], finding, salt), range(max_groups)) == max_groups


def test_a_pool_that_is_refilled_is_caught():
    """The check has power: a key that takes the place of a found one is a key too many."""

    class Refilled(MemoryPool):
        def sums(self, found):
            gone = {self._keys[place] for place in found}
            kept = [frozenset(sorted(keys - gone)[:2]) for keys in self._units]
            again = MemoryPool(kept, self._weights)
            values = dict(
                zip(again._keys, again.sums(frozenset()).opened_by_the_door(), strict=True)
            )
            total = tuple(values.get(key, 0) for key in self._keys)
            return type(again.sums(frozenset()))(total)

    finding = small(2)
    pool = Refilled([frozenset("abc")], finding.pairs.weights)

    assert reaches(pool, range(3)) > finding.max_groups


@pytest.mark.claim("C68")
def test_a_total_that_is_just_the_threshold_is_found_and_one_less_is_not():
    """`>=`, as the proof has it, in each round."""
    finding = small(1, precisions=(1,), resolution=6)
    pool = pool_of([(0, {"a"}), (1, {"b"})], finding)
    (threshold,) = finding.thresholds
    script = {b"a": threshold - 6, b"b": threshold - 7}

    assert find(finding, pool, lambda _, keys: [script[key] for key in keys]) == ["a"]


@pytest.mark.claim("C68")
def test_the_walk_of_the_worlds_is_the_walk_of_the_code():
    """Scripted noise in every round: the real finder shows what the rules above say, key by key."""
    finding = small(2, precisions=(1, 2, 4))
    units = [(0, {"a", "b"}), (1, {"a", "c"}), (2, {"a"}), (3, {"b", "c"})]
    pool, keys = pool_of(units, finding), (b"a", b"b", b"c")
    seen, lost = set(), 0

    for number in range(3_000):
        shift = [(number * step) % 61 - 15 for step in (7, 11, 13, 17, 19, 23, 29, 31, 37)]
        script = {(i, key): shift[3 * i + j] for i in range(3) for j, key in enumerate(keys)}
        found, aside, totals = set(), set(), [0, 0, 0]
        rules = finding.precisions, finding.thresholds, (*finding.levels, None)
        for i, (factor, threshold, level) in enumerate(zip(*rules, strict=True)):
            sums = pool.sums(frozenset(found | aside)).opened_by_the_door()
            for j, key in enumerate(keys):
                totals[j] += factor * (sums[j] + script[i, key])
                if j in aside:
                    lost += totals[j] >= threshold
                elif totals[j] >= threshold:
                    found.add(j)
                elif level is not None and j not in found and totals[j] < level:
                    aside.add(j)
        expected = ["abc"[j] for j in sorted(found)]
        noise = lambda i, names, known=script: [known[i, key] for key in names]  # noqa: E731
        assert find(finding, pool, noise) == expected
        seen.add(tuple(expected))

    assert len(seen) >= 5
    assert lost  # keys that noise would bring back; they stay aside


@pytest.mark.claim("C67")
def test_two_columns_two_rounds_and_two_keys_have_noise_of_their_own():
    """A stream is named by all three; 40 bits wide, so that equal draws would be no accident."""
    finding = replace(small(2, precisions=(1, 1)), sigma2=Fraction(2**80))
    secret = Keyed()
    first, second = keyed_noise(finding, secret, 0), keyed_noise(finding, secret, 1)
    keys = [b"a", b"\0a", b"", *[b"%d" % number for number in range(40)]]
    drawn = [one for draw in (first, second) for i in (0, 1) for one in draw(i, keys)]
    again = [draw(i, [key])[0] for draw in (first, second) for i in (0, 1) for key in keys]

    assert len(set(drawn)) == len(drawn)
    assert drawn == again
    assert drawn[0] != keyed_noise(finding, Keyed(), 0)(0, [b"a"])[0]


@pytest.mark.claim("C67")
def test_keyed_noise_follows_its_law():
    """40,000 keys: variance and tail of the noise; false once in 1e7, and a tenth more is seen."""
    finding = small(2, resolution=600)
    draw = keyed_noise(finding, Keyed())
    sigma2 = float(finding.sigma2)
    drawn = draw(0, [b"%d" % number for number in range(40_000)])

    ratio = sum(value**2 for value in drawn) / len(drawn) / sigma2
    assert abs(ratio - 1) < 5.3 * (2 / len(drawn)) ** 0.5
    far = sum(abs(value) > 2 * sigma2**0.5 for value in drawn) / len(drawn)
    assert abs(far - 0.0455) < 5.3 * (0.0455 / len(drawn)) ** 0.5


def test_what_leaves_the_door_is_places_and_nothing_else():
    """Sums, totals and keys that are not found stay sealed."""
    finding = small(2)
    pool = pool_of([(0, {"a"})], finding)

    assert repr(pool.sums(frozenset())) == "Exact(sealed)"
    assert repr(pool.noise(lambda keys: [len(key) for key in keys])) == "Exact(sealed)"
    assert reached(pool.sums(frozenset()), 10**6, Aside()) == frozenset()
