"""Both laws in one plan of (epsilon, delta): which questions have Laplace noise, and how much.

Rules of this module:
- what is chosen here is only a proposal: a plan of both laws is priced as a whole, by the account
  of both (`noise.mixture`), which asks that all of it is fixed before any answer is seen;
- proposals are compared in a coarse table, which is as safe as a fine one, and decided by exact
  rationals, so that a plan that is made again is the same.

Questions without a wanted error have the law that is narrower for each, and as large a share of
what the spend buys in that law as the whole allows. For wanted errors: what one more mu^2 costs in
epsilon where the plan ends is the slope of the normal curve, and Laplace noise adds at most its
epsilon. So a question is proposed for Laplace noise where its epsilon is below its mu^2 times that
slope. In the order of epsilon / mu^2 this is a beginning; from its end one or two questions at a
time are moved over, as long as the whole gets cheaper.

Decision 44.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..exact.number import few_down
from ..noise import mixture
from ..privacy import gdp
from ..privacy.loss import Kind, Loss
from .line import Line, acts_in, cost_in, kind_of
from .price import at_delta, candidates, noise_of

if TYPE_CHECKING:
    from .shares import Goals

_LESS = Fraction(9, 10)  # of a mu^2, to see how steep epsilon is there
_TRIED, _CLOSE = 8, Fraction(99_999, 100_000)  # how a share is looked for, and when it is close
_STEPS = (1, -1, 2, -2)  # from a border to the next ones
_ROOM = Fraction(9_995, 10_000)
_ONE = Fraction(1)

_Noise = tuple[Fraction, list[mixture.Laplace]]  # in the account of both laws: mu^2, and the rest


@dataclass(frozen=True, slots=True)
class _One:
    """One question in one law: its line, and what it adds to the account."""

    line: Line
    noise: _Noise

    @property
    def is_free(self) -> bool:
        """Whether its wanted error can be kept by either law: what chooses has one alone."""
        return _is_wanted(self.line) and not self.line.shared and self.noise[0] > 0


def of_both_laws(
    asked: "Goals", spend: Loss, shares: Sequence[Loss] = ()
) -> tuple[Line, ...] | None:
    """Return questions in noise of both laws that keeps a spend.

    None where each has the same law, or where that is not enough.

    Args:
        asked: the questions.
        spend: the loss of all of them.
        shares: what it buys in each kind, where that is known.
    """
    if len(asked.goals) < 2 or spend.kind != "approx":
        return None
    spend = spend.few_down()
    shared = {loss.kind: loss for loss in (shares or candidates(spend))}
    if not {"gdp", "pure"} <= shared.keys():
        return None
    pure, gaussian = (_apart(asked, shared[kind]) for kind in ("pure", "gdp"))
    if pure is None or gaussian is None:
        return None
    laplace = _narrower(asked, pure, gaussian) | _cheaper(pure, gaussian, spend.delta)
    questions = [(pure if n in laplace else gaussian)[n] for n in range(len(asked.goals))]
    if len(laplace) in (0, len(questions)):
        return None
    whole = tuple(question.line for question in questions)
    if not asked.all_wanted:
        return _shared(asked, questions, spend, shared)
    return whole if _keeps(whole, spend) else None


def _apart(asked: "Goals", spend: Loss) -> list[_One] | None:
    """Return each question alone at a loss: at its wanted error, or its share of the whole.

    A vector that several have together stands at the first of them.
    """
    every = asked.lines(spend.kind) | asked.shared(asked.unmet, spend)
    questions = []
    for n in range(len(asked.goals)):
        line = every[n]
        act = line.shared
        noise = noise_of(line.acts if act is None else [act] * (act.questions[0] == n))
        if noise is None:
            return None
        questions.append(_One(line, noise))
    return questions


def _narrower(asked: "Goals", pure: Sequence[_One], gaussian: Sequence[_One]) -> set[int]:
    """Return the questions without a wanted error that Laplace noise answers better."""
    numbers = set()
    for n, goal in enumerate(asked.goals):
        if goal.statistic.ask.within:
            continue
        laws = [questions[n].line.laws for questions in (pure, gaussian)]
        widths = [goal.statistic.expected(goal.table, each, goal.alpha).half_width for each in laws]
        numbers |= {n} if widths[0] < widths[1] else set()
    return numbers


def _cheaper(pure: Sequence[_One], gaussian: Sequence[_One], delta: Fraction) -> set[int]:
    """Return the questions with wanted errors for which Laplace noise makes the whole cheapest."""
    free = [n for n, question in enumerate(gaussian) if question.is_free]
    order = sorted(free, key=lambda n: (Fraction(_added(pure[n].noise), gaussian[n].noise[0]), n))
    known: dict[int, Fraction] = {}

    def price(border: int) -> Fraction:
        if border not in known:
            moved = {*order[:border]}
            noise = [(pure if n in moved else gaussian)[n].noise for n in range(len(gaussian))]
            known[border] = mixture.epsilon_up(*_all_of(noise), delta, points=mixture.COARSE)
        return known[border]

    if not order:
        return set()
    least = min(price(0), sum((_added(question.noise) for question in pure), Fraction(0)))
    slope = _slope(least, delta)
    border = sum(_added(pure[n].noise) <= slope * gaussian[n].noise[0] for n in order)
    while (best := min(_near(border, len(order)), key=price)) != border:
        border = best
    return {*order[:border]}


def _near(border: int, last: int) -> list[int]:
    """Return a border, and those to try beside it: two of the same price may stand in the way."""
    return [border, *(n for step in _STEPS if 0 <= (n := border + step) <= last)]


def _is_wanted(line: Line) -> bool:
    return line.asked.ask.within is not None


def _shared(
    asked: "Goals", questions: Sequence[_One], spend: Loss, shares: Mapping[Kind, Loss]
) -> tuple[Line, ...] | None:
    """Return the questions with as large a share of the rest as keeps the spend."""
    kept = _all_of(question.noise for question in questions if _is_wanted(question.line))
    rest = _all_of(question.noise for question in questions if not _is_wanted(question.line))
    share = _share(kept, rest, spend)
    every = {n: question.line for n, question in enumerate(questions)}
    while share:
        for kind in {every[n].share.kind for n in asked.unmet}:
            places = [n for n in asked.unmet if every[n].share.kind == kind]
            every |= asked.shared(places, shares[kind].times(share))
        lines = tuple(every.values())
        if _keeps(lines, spend):
            return lines
        share = few_down(share * _ROOM)
    return None


def _share(kept: _Noise, rest: _Noise, spend: Loss) -> Fraction:
    """Return about the largest share of the rest that keeps a spend; 0 where none does.

    A coarse table tells slopes well, and levels by some thousandths too high, alike nearby.
    """

    def price(share: Fraction, points: int = mixture.COARSE) -> Fraction:
        noise = _all_of([kept, _scaled(rest, share)])
        return mixture.epsilon_up(*noise, spend.delta, points=points)

    first = share_within(spend.epsilon, price)
    if not first:
        return first
    above = Fraction(price(first), price(first, mixture.FINE))
    return share_within(spend.epsilon * above * _CLOSE, price, start=first) or first


def share_within(
    epsilon: Fraction, price: Callable[[Fraction], Fraction], start: Fraction = _ONE
) -> Fraction:
    """Return about the largest share whose price is at most an epsilon; 0 where none is.

    Args:
        epsilon: what may be spent.
        price: of a share: it grows and is nearly concave, so that a line through two points beyond
            the end meets the epsilon before the price does.
        start: where to look first.
    """
    best, before, here = Fraction(0), (Fraction(0), Fraction(0)), start
    for _ in range(_TRIED):
        now = price(here)
        best = max(best, here) if now <= epsilon else best
        if epsilon * _CLOSE <= now <= epsilon or now == before[1]:
            break
        rise = Fraction(now - before[1], here - before[0])
        before, here = (here, now), few_down(here + (epsilon - now) / rise)  # exact: rationals
        if here <= 0:  # what is kept leaves nothing
            break
    return best


def parts_of(lines: Sequence[Line], delta: Fraction | None) -> list[Fraction]:
    """Return the part of their price that each of some questions takes.

    With noise of both laws: of what the epsilon of both adds up to at a delta.
    """
    sizes = [size_of(line) for line in lines]
    if kind_of(lines) is None and delta:
        gaussian = [line.share.kind == "gdp" for line in lines]
        mu2 = sum(size for size, is_mu2 in zip(sizes, gaussian, strict=True) if is_mu2)
        each = gdp.epsilon_up(mu2, delta) / mu2  # exact: rationals
        sizes = [s * each if is_mu2 else s for s, is_mu2 in zip(sizes, gaussian, strict=True)]
    whole = sum(sizes, Fraction(0))
    return [size / whole for size in sizes]  # exact: rationals


def size_of(line: Line) -> Fraction:
    """Return what a question costs, in the kind of loss that it shares; its part of a vector."""
    if line.shared:
        return line.share.numbers[0]
    (size,) = cost_in(line.share.kind, line.laws, line.aggregates).numbers
    return size


def _all_of(noise: Iterable[_Noise]) -> _Noise:
    """Return all noise of several questions."""
    every = [*noise]
    mu2 = sum((mu2 for mu2, _ in every), Fraction(0))
    return mu2, [pair for _, laplace in every for pair in laplace]


def _scaled(noise: _Noise, share: Fraction) -> _Noise:
    """Return noise of so many times the losses."""
    mu2, laplace = noise
    return mu2 * share, [(scale / share, l1) for scale, l1 in laplace]  # exact: rationals


def _added(noise: _Noise) -> Fraction:
    """Return the epsilon of the Laplace noise, added up."""
    return sum((l1 / scale for scale, l1 in noise[1]), Fraction(0))  # exact: rationals


def _slope(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return how much epsilon one more mu^2 costs, where all of it is Gaussian."""
    mu2 = gdp.mu2_down(epsilon, delta)
    less = mu2 * _LESS
    risen = gdp.epsilon_up(mu2, delta) - gdp.epsilon_up(less, delta)
    return Fraction(risen, mu2 - less) if mu2 else Fraction(0)


def _keeps(lines: Sequence[Line], spend: Loss) -> bool:
    cost = at_delta(acts_in(lines), spend.delta)
    return cost is not None and cost.epsilon <= spend.epsilon
