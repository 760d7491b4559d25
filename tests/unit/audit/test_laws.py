"""A sampler is asked for its chances by chosen words, and weighed by real draws.

The laws are right where no alarm is wanted: one by draws has a chance of at most 1e-6 each (Ville's
inequality), and each test here looks at two streams at most.
"""

from fractions import Fraction

import pytest

from adversarial.planted import noise_repeats
from discreet.audit import laws
from discreet.entropy import Coins
from discreet.noise import discrete_gaussian, discrete_laplace, rejection
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace

NARROW = [DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(20))]
WIDE = [DiscreteLaplace(Fraction(1000)), DiscreteGaussian(Fraction(10**9))]


@pytest.mark.slow
@pytest.mark.claim("C533")
@pytest.mark.parametrize("law", [*NARROW, *WIDE], ids=repr)
def test_the_first_bits_of_each_sampler_lead_to_its_chances(law):
    """One table, digits, and a try that is kept or not."""
    assert laws.exactly(law) is None


@pytest.mark.claim("C533")
def test_a_table_of_another_size_is_seen_by_its_bits(monkeypatch):
    """The check has power: a part in a million of the scale is enough."""
    tables = discrete_laplace.tables_of
    more = 1 + Fraction(1, 10**6)
    monkeypatch.setattr(discrete_laplace, "tables_of", lambda scale: tables(scale * more))

    assert "times as often" in laws.exactly(DiscreteLaplace(Fraction(3)))
    assert "times as often" in laws.exactly(DiscreteLaplace(Fraction(1000)))


@pytest.mark.slow
@pytest.mark.claim("C533")
def test_a_try_that_is_kept_too_often_is_seen_by_its_bits(monkeypatch):
    """The check has power where draws are rejected."""
    honest = rejection.Strips.keeps
    monkeypatch.setattr(
        rejection.Strips,
        "keeps",
        lambda self, d, height, coins: honest(self, d // 2, height, coins),
    )

    assert "times as often" in laws.exactly(DiscreteGaussian(Fraction(10**9)))


@pytest.mark.claim("C533")
@pytest.mark.parametrize("law", NARROW, ids=repr)
def test_honest_draws_raise_no_alarm(law):
    """On both paths; false alarms: two streams of 1e-6 each."""
    for stream in laws.streams(law):
        for _ in range(40):
            evidence = stream.grown(Coins())

        assert evidence < laws.log(laws.ALARM)


@pytest.mark.claim("C533")
@pytest.mark.parametrize(("path", "batches"), [(0, 800), (1, 8)])
def test_draws_of_nine_tenths_of_the_noise_are_seen(path, batches, monkeypatch):
    """On each path alone; that 6,400 draws do not show it has a chance far below 1e-6."""
    honest = discrete_gaussian._strips
    narrow = Fraction(81, 100)
    law = DiscreteGaussian(Fraction(20))
    discrete_gaussian._many(law.sigma2)  # is kept, as it is made of the honest strips
    if path == 0:
        monkeypatch.setattr(discrete_gaussian, "_strips", lambda s: honest(s * narrow))
    else:
        many = discrete_gaussian._many
        monkeypatch.setattr(discrete_gaussian, "_many", lambda s: many(s * narrow))
    streams = laws.streams(law)
    coins = Coins()
    evidence = [0.0, 0.0]
    for number, stream in enumerate(streams):
        for _ in range(batches if number == path else 4):
            evidence[number] = stream.grown(coins)

    assert evidence[path] > laws.log(laws.ALARM) > evidence[1 - path]


@pytest.mark.claim("C575")
@pytest.mark.parametrize("by_name", [False, True])
def test_draws_that_repeat_are_seen(by_name, monkeypatch):
    """Each draw alone is right; that two batches do not show it has a chance far below 1e-6."""
    noise_repeats(monkeypatch)
    if by_name:
        honest = DiscreteLaplace.named
        monkeypatch.setattr(
            DiscreteLaplace,
            "named",
            lambda self, streams, prefix, names: 5 * honest(self, streams, prefix, names[:900]),
        )
    stream = laws.streams(DiscreteLaplace(Fraction(3)), by_name=by_name)[1]
    evidence = [stream.grown(Coins()) for _ in range(3)]

    assert evidence[-1] > laws.log(laws.ALARM)


@pytest.mark.claim("C575")
@pytest.mark.parametrize("law", NARROW, ids=repr)
def test_draws_by_name_raise_no_alarm(law):
    """False alarms: two streams of 1e-6 each."""
    for stream in laws.streams(law, by_name=True):
        evidence = [stream.grown(Coins()) for _ in range(4)]

        assert max(evidence) < laws.log(laws.ALARM)


@pytest.mark.claim("C575")
def test_draws_that_are_all_even_are_seen(monkeypatch):
    """Even where the noise is so wide that its size tells nothing."""
    honest = DiscreteLaplace.draws
    monkeypatch.setattr(DiscreteLaplace, "draws", lambda *asked: honest(*asked) // 2 * 2)
    stream = laws.streams(DiscreteLaplace(Fraction(10**6)))[1]

    assert stream.grown(Coins()) > laws.log(laws.ALARM)
