"""A choice is asked for its chances by chosen words: nothing is drawn, no test here is by chance."""

from fractions import Fraction

import pytest

from discreet.audit import choosing, laws
from discreet.noise import selection
from discreet.noise.selection import ExponentialMechanism, PermuteAndFlip

LAWS = [law for kind in (PermuteAndFlip, ExponentialMechanism) for law in kind.examples()]


@pytest.mark.claim("C545")
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_words_of_each_choice_lead_to_its_chances(law):
    """From the narrowest scale to the widest; the first pick, and the one behind it."""
    assert choosing.exactly(law) is None


@pytest.mark.claim("C545")
@pytest.mark.parametrize("kind", [PermuteAndFlip, ExponentialMechanism])
def test_a_number_that_is_kept_too_often_is_seen(kind, monkeypatch):
    """The check has power: a part in a million of the scale is enough."""
    honest = selection.Choosing.keeps

    def keeps(self, below, coins):
        return honest(self.of(self.scale * (1 + Fraction(1, 10**6))), below, coins)

    monkeypatch.setattr(selection.Choosing, "keeps", keeps)

    assert "times as often" in choosing.exactly(kind.of(Fraction(30)))


@pytest.mark.claim("C545")
@pytest.mark.parametrize("kind", [PermuteAndFlip, ExponentialMechanism])
def test_places_that_are_drawn_again_or_not_are_seen(kind, monkeypatch):
    """Each of the two is told from the other."""
    honest = selection.Choosing._one

    def other(self, numbers, left, coins):
        (swapped,) = {PermuteAndFlip, ExponentialMechanism} - {kind}
        return honest(swapped.of(self.scale), numbers, left, coins)

    monkeypatch.setattr(selection.Choosing, "_one", other)

    assert "times as often" in choosing.exactly(kind.of(Fraction(3)))


@pytest.mark.claim("C545")
def test_places_that_are_drawn_unevenly_at_the_end_are_seen(monkeypatch):
    """Of the upper half of all words one place is drawn alone, which the first words do not show."""
    honest = selection._below

    def below(limit, coins):
        seen = selection.word(coins)
        return 0 if seen >> 63 else seen % limit

    assert honest(3, laws.Words(5)) == below(3, laws.Words(5))
    monkeypatch.setattr(selection, "_below", below)

    assert choosing.exactly(PermuteAndFlip.of(Fraction(3))).endswith("places are not drawn evenly")


def test_a_scale_at_which_nothing_else_is_picked_has_no_exact_layer():
    """Of numbers apart by 1, the largest is all that comes."""
    with pytest.raises(NotImplementedError):
        choosing.exactly(PermuteAndFlip.of(Fraction(1, 32)))
