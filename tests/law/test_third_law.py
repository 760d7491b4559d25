"""A third law is one file and one line: it passes plan, door, words, means, cleaning and verify.

And a faulty one, for which nobody wrote a test, fails the suite that the register drives.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from suite import broken, cases, check_the_examples_are_enough
from third import TwiceLaplace

import discreet as dp
from discreet.errors import InputError
from discreet.noise import registry
from discreet.noise.continuous import Laplace
from discreet.report.page import page

ROWS = [{"ward": "ABC"[i % 3], "age": i % 60} for i in range(4000)]


@pytest.fixture
def listed(monkeypatch):
    """The one line of laws.py, in a test's own register: before the others of its kind."""

    def put(made, *, first=True):
        others = {name: law for name, law in registry.LAWS.items() if name != made.name}
        mine = {made.name: made}
        monkeypatch.setattr(registry, "LAWS", {**mine, **others} if first else {**others, **mine})

    return put


def asked():
    people = dp.table(
        ROWS,
        unit="row",
        name="people",
        keys={"ward": list("ABC"), "age": range(60)},
        columns={"age": dp.bounds(0, 100)},
    )
    questions = [dp.count(by="age"), dp.sum("age", by="ward"), dp.mean("age", by="ward")]
    return people, questions


@pytest.mark.slow
@pytest.mark.parametrize("spend", [dp.pure(2), dp.approx(2, "1e-9")], ids=str)
def test_a_third_law_goes_all_the_way(spend, listed, tmp_path):
    """Planned, told, charged, drawn, answered, stored, cleaned, reported and verified."""
    listed(TwiceLaplace)
    people, questions = asked()
    plan = dp.plan(people, *questions, spend=spend)
    told = str(plan)

    assert {type(law) for law in plan.laws} == {TwiceLaplace}
    assert plan.cost.epsilon == 2
    assert "Noise: twice Laplace." in told
    assert " width " in told

    book = dp.ledger(tmp_path / "people.ledger", budget=dp.approx(3, "1e-6"), subject="people")
    release = dp.run(plan, ledger=book)
    release.save(tmp_path / "people.release")
    sizes = {row["high"] - row["low"] for row in release["count by age"].rows}
    assert sizes == {2 * plan.laws[0].half_width(plan.alpha)}
    assert all(
        row["low"] <= row["value"] <= row["high"] for row in release["mean age by ward"].rows
    )
    words = page(release.document)
    assert "for the twice Laplace, Pr[k] is proportional to (|k| + c) exp(−|k| / scale)" in words
    assert "scale = " in words
    assert dp.verify(tmp_path / "people.release", ledger=tmp_path / "people.ledger")
    cleaned = dp.denoise(release)
    assert "count by age" in str(cleaned)


def test_a_law_behind_the_others_is_known_and_not_chosen(listed):
    """A new line of the register leaves every plan as it was."""
    people, questions = asked()
    before = dp.plan(people, *questions, spend=dp.pure(2))
    listed(TwiceLaplace, first=False)

    assert dp.plan(people, *questions, spend=dp.pure(2)).lines == before.lines
    law = TwiceLaplace(Fraction(3))
    assert registry.law_of(law.plain()) == law


@pytest.mark.slow
def test_an_honest_third_law_keeps_every_promise(listed):
    """The suite refuses no law for being new."""
    listed(TwiceLaplace)

    check_the_examples_are_enough(TwiceLaplace)
    assert broken(TwiceLaplace) == set()


@dataclass(frozen=True, slots=True)
class StatesLess(TwiceLaplace):
    """It states half of what it costs."""

    def loss(self, *, l1, l2_squared):
        return TwiceLaplace(2 * self.scale).loss(l1=l1, l2_squared=l2_squared)


@dataclass(frozen=True, slots=True)
class CalibratedTwice(TwiceLaplace):
    """At a loss it adds half the noise."""

    @classmethod
    def calibrated(cls, loss, *, l1, l2_squared):
        return cls(TwiceLaplace.calibrated(loss, l1=l1, l2_squared=l2_squared).scale / 2)


@dataclass(frozen=True, slots=True)
class DrawsOnce(TwiceLaplace):
    """It draws narrower noise than it says."""

    def draws(self, count, coins):
        return TwiceLaplace(self.scale * Fraction(19, 20)).draws(count, coins)


@dataclass(frozen=True, slots=True)
class DrawsPositive(TwiceLaplace):
    """It loses the sign."""

    def draws(self, count, coins):
        return np.abs(TwiceLaplace(self.scale).draws(count, coins))


@dataclass(frozen=True, slots=True)
class Narrow(TwiceLaplace):
    """Its intervals are one step too narrow."""

    def half_width(self, alpha):
        return max(0, TwiceLaplace(self.scale).half_width(alpha) - 1)


@dataclass(frozen=True, slots=True)
class OneSided(TwiceLaplace):
    """It forgets the other side of the tail."""

    def tail_up(self, a):
        return TwiceLaplace(self.scale).tail_up(a) / 2


@dataclass(frozen=True, slots=True)
class Forgets(TwiceLaplace):
    """It writes down a rounded parameter."""

    def plain(self):
        return {"law": self.name, "scale": str(self.scale.limit_denominator(1))}


@dataclass(frozen=True, slots=True)
class BoundsToo(TwiceLaplace):
    """The continuous noise that shall bound it is narrower."""

    def continuous(self):
        return Laplace(float(self.scale))


@dataclass(frozen=True, slots=True)
class OtherForm(TwiceLaplace):
    """It calls itself a closed form that it is not."""

    def closed_form(self):
        return "discrete_laplace", float(self.scale)


@dataclass(frozen=True, slots=True)
class Display(TwiceLaplace):
    """It displays the variance of one draw."""

    def variance(self):
        return TwiceLaplace(self.scale).variance() / 2


@dataclass(frozen=True, slots=True)
class NoName(TwiceLaplace):
    """People are told of another law."""

    words = "discrete Laplace"


class Half:
    """Continuous noise with half of what one promise asks for."""

    def __init__(self, whole, name):
        self._whole, self._name = whole, name

    def __getattr__(self, name):
        asked = getattr(self._whole, name)
        return getattr(self, f"_{name}", asked) if name == self._name else asked

    def _normal_deviation(self):
        return (self._whole.normal_deviation() or self._whole.scale) / 2

    def _beyond(self, levels):
        exceeds = self._whole.beyond(levels)
        return lambda weights, x: exceeds(weights, 2 * x)

    def _widths(self, weights, levels):
        return self._whole.widths(weights, levels) / 2


@dataclass(frozen=True, slots=True)
class SaysNormal(TwiceLaplace):
    """It calls its draws normal, and narrower than they are."""

    def continuous(self):
        return Half(TwiceLaplace(self.scale).continuous(), "normal_deviation")


@dataclass(frozen=True, slots=True)
class HalfBeyond(TwiceLaplace):
    """Three weighted draws are called rare at half the distance."""

    def continuous(self):
        return Half(TwiceLaplace(self.scale).continuous(), "beyond")


@dataclass(frozen=True, slots=True)
class HalfWidths(TwiceLaplace):
    """Sums of draws are half as wide as they are."""

    def continuous(self):
        return Half(TwiceLaplace(self.scale).continuous(), "widths")


@dataclass(frozen=True, slots=True)
class HalfSize(TwiceLaplace):
    """Plans name half of its size."""

    def size_up(self):
        return TwiceLaplace(self.scale).size_up() / 2


FAULTS = {
    SaysNormal: "orthogonal_sums_are_independent_where_draws_are_said_to_be_normal",
    HalfBeyond: "weighted_sums_of_three_draws_are_bounded",
    HalfWidths: "weighted_sums_of_three_draws_are_bounded",
    HalfSize: "its_size_is_its_parameter_rounded_up",
    StatesLess: "neighbors_are_told_apart_by_no_more_than_the_loss",
    CalibratedTwice: "a_calibrated_law_costs_no_more_than_its_loss",
    DrawsOnce: "draws_follow_the_law",
    DrawsPositive: "draws_follow_the_law",
    Narrow: "half_width_is_exact",
    OneSided: "half_width_is_exact",
    Forgets: "it_is_listed",
    BoundsToo: "the_continuous_law_bounds_each_tail_from_both_sides",
    OtherForm: "denoisers_know_it",
    Display: "variance_is_the_sum_of_squares",
    NoName: "it_has_words",
}


@pytest.mark.slow
@pytest.mark.claim("C06")
@pytest.mark.parametrize("made", FAULTS, ids=lambda made: made.__name__)
def test_a_faulty_law_fails_unasked(made, listed):
    """One line in the register is enough for its own examples to be tried, and to fail."""
    listed(made)
    promise = f"check_{FAULTS[made]}"
    tried = [(check, law) for check, law in cases(made) if check.__name__ == promise]

    assert tried
    with pytest.raises((AssertionError, InputError)):
        for check, law in tried:
            check(law)


HALVES = {  # what is halved in a law that is listed, and the promise that its own examples then break
    "normal_deviation": "check_orthogonal_sums_are_independent_where_draws_are_said_to_be_normal",
    "beyond": "check_weighted_sums_of_three_draws_are_bounded",
    "widths": "check_weighted_sums_of_three_draws_are_bounded",
    "size_up": "check_its_size_is_its_parameter_rounded_up",
}


@pytest.mark.slow
@pytest.mark.claim("C06")
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("made", registry.LAWS.values(), ids=registry.LAWS)
def test_half_of_what_a_listed_law_says_fails_unasked(made, half, monkeypatch):
    """In the laws that every release has, as in the third."""
    size, continuous = made.size_up, made.continuous
    if half == "size_up":
        monkeypatch.setattr(made, "size_up", lambda law: size(law) / 2)
    else:
        monkeypatch.setattr(made, "continuous", lambda law: Half(continuous(law), half))
    tried = [(check, law) for check, law in cases(made) if check.__name__ == HALVES[half]]

    assert tried
    with pytest.raises(AssertionError):
        for check, law in tried:
            check(law)
