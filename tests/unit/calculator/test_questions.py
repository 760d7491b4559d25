"""Noise by one noun: it answers as the functions did when each was written out, and refuses once."""

import gzip
import inspect
import json
import pickle
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import calculator as dc
from discreet.calculator.functions import FUNCTIONS
from discreet.calculator.questions import KnownNoise
from discreet.cli.cli import main
from discreet.errors import CallError, DiscreetError, InputError

# What is said more plainly since the vectors were written; their numbers stand as they are.
PLAIN = {
    "what may be known here is": "this question takes",
    "epsilon, epsilon,": "epsilon,",
    "noise keeps an epsilon only beside a delta, and none is said.": "noise with an epsilon needs a delta too.",
    "whatever its size, more than epsilon is lost with some chance, and delta limits that": (
        "noise of any size loses more than epsilon with some chance, and delta limits it"
    ),
    "noise needs an epsilon, and none is said.": "noise needs an epsilon.",
    "public bounds of the count, and none are said.": "public bounds of the count.",
    "of delta nothing is left for the noise": "this chance leaves no delta for the noise",
    "is not something that is calculated.": "cannot be calculated.",
}


def as_now(text):
    """The text of then, as it is said now."""
    for then, now in PLAIN.items():
        text = text.replace(then, now)
    return text


FROZEN = json.loads(
    as_now(
        gzip.decompress(
            (Path(__file__).parents[2] / "vectors" / "calculator.json.gz").read_bytes()
        ).decode()
    )
)
OF_NOISE = inspect.signature(dc.noise).parameters
METHODS = {
    "accuracy": "accuracy",
    "tail_of": "tail",
    "delta_of": "delta",
    "epsilon_of": "epsilon",
    "rho_of": "rho",
    "mu2_of": "mu2",
    "sigma_for": "sigma",
    "sigma2_for": "sigma2",
    "scale_for": "scale",
}


def frozen(*functions):
    """The questions to some functions, each with its number or its refusal of then."""
    for function, *question, answer in FROZEN["cases"]:
        if function in functions:
            yield function, question, answer if isinstance(answer, str) else refusal(answer)


def refusal(number):
    return InputError, FROZEN["refusals"][number]


def answer(ask, *question, **known):
    try:
        return ask(*question, **known)
    except DiscreetError as error:
        return InputError, str(error)


def by_noun(function, law, known):
    """What the noun answers to a question that was asked of a function."""
    size = {name: value for name, value in known.items() if name in OF_NOISE}
    options = {name: value for name, value in known.items() if name not in OF_NOISE}
    return repr(getattr(dc.noise(law, **size), METHODS[function])(**options))


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C316")
@pytest.mark.parametrize("function", METHODS)
def test_a_function_answers_and_refuses_as_when_it_was_written_out(function):
    """Over a grid of laws, sizes and options, each number to the last digit, each refusal in full."""
    ask = getattr(dc, function)

    wrong = [
        (law, known)
        for _, (law, known), before in frozen(function)
        if answer(lambda law=law, known=known: repr(ask(law, **known))) != before
    ]

    assert wrong == []
    taken = inspect.signature(ask)
    plain = inspect.Signature(
        [*taken.parameters.values()], return_annotation=taken.return_annotation
    )
    assert str(plain) == FROZEN["signatures"][function]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C316")
@pytest.mark.parametrize("function", METHODS)
def test_the_noun_answers_as_the_function(function):
    """Every number is the same; whatever the function refuses, the noun refuses, too."""
    wrong, seen = [], Counter()
    for name, (law, known), before in frozen(function):
        now = answer(by_noun, name, law, known)
        seen[isinstance(before, str)] += 1
        if now != before and (isinstance(before, str) or isinstance(now, str)):
            wrong.append((law, known, before, now))

    assert wrong == []
    assert min(seen[True], seen[False]) > 10


@pytest.mark.slow
@pytest.mark.claim("C316")
def test_what_is_explained_is_told_in_the_same_words():
    """Answers, meanings, sources, next steps and naive formulas, as the command line shows them."""
    wrong, numbers = [], 0
    for _, (wanted, law, known), before in frozen("explain"):
        numbers += isinstance(before, str)
        now = answer(
            lambda wanted=wanted, law=law, known=known: str(dc.explain(wanted, law, known))
        )
        wrong += [(wanted, law, known)] if now != before else []

    assert wrong == []
    assert numbers > 400


@pytest.mark.claim("C316")
def test_each_method_is_a_function_and_each_function_a_method():
    """The register forgets none; help shows the words of the method."""
    methods = {name for name in vars(KnownNoise) if not name.startswith("_")} - {"law"}

    assert methods == {*METHODS.values()}
    assert FUNCTIONS.keys() == METHODS.keys()
    for function, method in METHODS.items():
        words = inspect.getdoc(getattr(dc, function))
        assert words.startswith(inspect.getdoc(getattr(KnownNoise, method)).split("\n")[0])


@pytest.mark.claim("C317")
@pytest.mark.parametrize(
    ("law", "known", "words"),
    [
        ("poisson", {}, "no noise law 'poisson'"),
        ("Gauss", {"sigma": 4}, 'law="gaussian"'),
        (["gaussian"], {"sigma": 4}, "no noise law"),
        (None, {}, "no noise law 'None'"),
        ("gaussian", {}, "is not said"),
        ("gaussian", {"epsilon": 1}, "needs a delta"),
        ("gaussian", {"delta": "1e-6"}, "is not said by delta"),
        ("gaussian", {"epsilon": 1, "delta": 0}, "above 0"),
        ("gaussian", {"epsilon": 1, "delta": 1}, "delta = 1 must be in [0, 1)"),
        ("gaussian", {"mu2": 0}, "mu2 = 0 must be above 0"),
        ("gaussian", {"rho": -1}, "rho = -1 must be above 0"),
        ("gaussian", {"sigma": "1e-101"}, "in 1e-100 to 1e100"),
        ("discrete_gaussian", {"sigma2": "1e101"}, "in 1e-100 to 1e100"),
        ("laplace", {"scale": "1e101"}, "in 1e-100 to 1e100"),
        ("gaussian", {"scale": 3}, "is not said by scale"),
        ("gaussian", {"sigma": 4, "rho": "1/50"}, "is not said by rho and sigma"),
        ("gaussian", {"sigma": 0}, "sigma = 0 must be above 0"),
        ("gaussian", {"sigma": 4, "sensitivity": -1}, "sensitivity = -1"),
        ("geometric", {"epsilon": 0}, "loses nothing"),
        ("geometric", {"epsilon": 1, "scale": 1}, "is not said by epsilon and scale"),
        ("geometric", {"epsilon": 1, "bounds": (0, 9)}, "nothing to do with geometric"),
        ("discrete_gaussian", {"mu2": 1, "sensitivity": "1/2"}, "must be a whole number"),
        ("clamped_geometric", {"epsilon": 1}, "public bounds"),
        ("truncated_geometric", {"epsilon": 1, "bounds": (9, 0)}, "above the upper bound"),
    ],
)
def test_what_does_not_go_together_is_refused_where_the_noun_is_made(law, known, words):
    """Before any question: in three lines, with what to type."""
    with pytest.raises(InputError) as refused:
        dc.noise(law, **known)

    assert words in str(refused.value)
    assert str(refused.value).count("\n") == 2


@pytest.mark.claim("C317")
@pytest.mark.parametrize(
    ("ask", "fix"),
    [
        (lambda noise: noise.accuracy(alpha="0.05", sigma=3), "leave sigma out"),
        (lambda noise: noise.epsilon(delta="1e-6"), "write at_delta in place of delta"),
        (lambda noise: noise.delta(epsilon=1), "write at_epsilon in place of epsilon"),
        (lambda noise: noise.rho(100), "write noise.rho(releases=100)"),
        (lambda noise: noise.tail(), "write noise.tail(error=?)"),
    ],
)
def test_a_question_that_was_asked_wrongly_says_what_to_type(ask, fix):
    """No plan is told of, which has not made this noise."""
    with pytest.raises(CallError) as refused:
        ask(dc.noise("gaussian", sigma=4))

    assert refused.value.fix == fix
    assert "follows from the loss" not in str(refused.value)


@pytest.mark.claim("C317")
def test_a_stated_size_is_its_own_answer_and_is_not_shared():
    """sigma, sigma2 and scale say themselves; a loss is shared among releases, a size is not."""
    stated = dc.noise("gaussian", sigma=4, sensitivity=3)
    assert (stated.sigma(), stated.sigma2()) == (4, 16)
    assert dc.noise("discrete_gaussian", sigma=4).sigma2() == 16
    assert dc.noise("geometric", scale=3, sensitivity=2).scale() == 3
    others = dc.noise("laplace", scale=3).scale, dc.noise("discrete_gaussian", sigma2=3).sigma2
    for ask in (stated.sigma, stated.sigma2, *others):
        with pytest.raises(InputError, match="no loss to share"):
            ask(releases=2)
    with pytest.raises(InputError, match="needs an epsilon"):
        stated.sigma(rule="classical")
    shared = dc.noise("gaussian", rho="1/50")
    assert shared.sigma(releases=4) == 2 * shared.sigma()


@pytest.mark.parametrize("law", ["geometric", "laplace", "gaussian", "discrete_gaussian"])
@pytest.mark.parametrize("releases", [1, 3])
def test_a_chance_is_no_more_than_1(law, releases):
    """An error of 0 or more is certain, however its tail is rounded."""
    size = {"sigma": "7/3"} if "gaussian" in law else {"scale": "7/3"}

    assert dc.noise(law, **size).tail(error=0, convention="ge", releases=releases) == 1


@pytest.mark.claim("C316")
@pytest.mark.parametrize(
    ("method", "line"),
    [
        ("accuracy", "accuracy laplace --scale 2 --alpha 0.05"),
        ("tail", "tail laplace --accuracy 10 --scale 2"),
        ("delta", "delta laplace --scale 2 --epsilon 1"),
        ("epsilon", "epsilon laplace --scale 2 --delta 0.01"),
        ("rho", "rho laplace --scale 2"),
        ("mu2", "mu2 laplace --scale 2"),
        ("sigma", "sigma gaussian --rho 1/50"),
        ("sigma2", "sigma2 discrete_gaussian --rho 1/50"),
        ("scale", "scale laplace --epsilon 2"),
    ],
)
def test_the_command_line_asks_the_noun(method, line, monkeypatch, capsys):
    """A method that answers 7 in place of the truth is what `discreet calc` tells."""
    monkeypatch.setattr(KnownNoise, method, lambda noise, **options: Fraction(7))

    assert main(["calc", *line.split()]) == 0
    assert capsys.readouterr().out.startswith(f"{method} = 7\n")


def test_noise_is_shown_as_it_is_made_and_can_be_sent():
    """Its text makes it again; it can be compared, and handed to another process."""
    four = dc.noise("gaussian", sigma=4)
    assert repr(four) == 'discreet.calculator.noise("gaussian", sigma="4")'
    bounded = dc.noise("clamped_geometric", epsilon="1/3", sensitivity=2, bounds=[0, 9])
    made = 'noise("clamped_geometric", epsilon="1/3", sensitivity="2", bounds=(0, 9))'
    assert repr(bounded) == f"discreet.calculator.{made}"
    for noise in (four, bounded):
        assert repr(
            eval(repr(noise).removeprefix("discreet.calculator."), {"noise": dc.noise})
        ) == (repr(noise))
        assert pickle.loads(pickle.dumps(noise)) == noise
    assert four.law == "gaussian"
    again = dc.noise("clamped_geometric", epsilon="2/6", sensitivity=2, bounds=(0, 9))
    assert len({four, bounded, again, dc.noise("gaussian", sigma=4.0)}) == 2


LOSSES = st.sampled_from(["0.01", "1/50", "0.3", "1", "7/3", "8"]).map(Fraction)
ROUNDED = 1 + Fraction(1, 10**15)  # a decimal of 17 digits is rounded up
DELTAS = st.sampled_from(["1e-9", "1e-6", "0.01"]).map(Fraction)


@pytest.mark.slow
@pytest.mark.claim("C318")
@given(law=st.sampled_from(["gaussian", "discrete_gaussian"]), epsilon=LOSSES, delta=DELTAS)
def test_gaussian_noise_for_a_delta_keeps_it_in_each_direction(law, epsilon, delta):
    """Its own curve, asked of the same noun, is at or below both numbers, and hardly below."""
    noise = dc.noise(law, epsilon=epsilon, delta=delta)

    assert noise.delta(at_epsilon=epsilon) <= delta
    assert Fraction(noise.epsilon(at_delta=delta)) <= epsilon * ROUNDED
    if law == "gaussian":
        assert noise.delta(at_epsilon=epsilon) > delta * Fraction(999_999, 1_000_000)


@pytest.mark.slow
@pytest.mark.claim("C318")
@given(
    law=st.sampled_from(["gaussian", "discrete_gaussian"]),
    loss=LOSSES,
    sensitivity=st.integers(1, 3),
    releases=st.integers(1, 4),
)
def test_gaussian_noise_for_a_rho_or_a_mu2_keeps_it(law, loss, sensitivity, releases):
    """And hardly less than it; several releases cost as often as much."""
    by_rho = dc.noise(law, rho=loss, sensitivity=sensitivity)
    by_mu2 = dc.noise(law, mu2=loss, sensitivity=sensitivity)
    hair = Fraction(9_999, 10_000)  # the discrete Gaussian's sigma2 for a mu2 has some six digits

    assert loss * hair < by_rho.rho() <= loss
    assert loss * hair < Fraction(by_mu2.mu2()) <= loss * ROUNDED
    assert by_rho.rho(releases=releases) == releases * by_rho.rho()


@pytest.mark.slow
@pytest.mark.claim("C318")
@given(
    law=st.sampled_from(["geometric", "laplace", "clamped_geometric", "truncated_geometric"]),
    epsilon=LOSSES,
    sensitivity=st.integers(1, 3),
)
def test_pure_noise_for_an_epsilon_keeps_it(law, epsilon, sensitivity):
    """With no delta at all; and its rho is epsilon^2 / 2."""
    bounds = {"bounds": (0, 9)} if "_" in law else {}
    noise = dc.noise(law, epsilon=epsilon, sensitivity=sensitivity, **bounds)

    assert Fraction(noise.epsilon(at_delta=0)) <= epsilon * ROUNDED
    assert noise.delta(at_epsilon=epsilon) == 0
    assert noise.rho() == epsilon**2 / 2


@pytest.mark.slow
@pytest.mark.claim("C317")
@given(
    law=st.sampled_from(["geometric", "laplace", "gaussian", "discrete_gaussian"]),
    accuracy=st.integers(1, 60),
    alpha=st.sampled_from(["0.001", "0.05", "0.3"]),
    coordinates=st.integers(1, 20),
)
def test_the_way_back_makes_the_most_noise_that_keeps_an_accuracy(
    law, accuracy, alpha, coordinates
):
    """Noise of the size that `noise_for` says keeps the promise; a hair more breaks it."""
    name = {"gaussian": "sigma", "discrete_gaussian": "sigma2"}.get(law, "scale")
    promise = {"alpha": alpha, "coordinates": coordinates}
    most = Fraction(dc.noise_for(law, accuracy=accuracy, **promise))

    assert dc.noise(law, **{name: most}).accuracy(**promise) <= accuracy
    more = dc.noise(law, **{name: most * Fraction(10**9 + 1, 10**9)})
    assert more.accuracy(**promise) > accuracy
