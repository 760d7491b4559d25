"""What a loss is, and how losses add: pure, zCDP, Gaussian, (epsilon, delta), and three purses.

Three purses: how a ledger keeps (epsilon, delta) for pure acts, Gaussian acts and chances.

Rules of this module:
- a loss is made of exact rationals; adding, splitting and comparing never round; `few_down` does,
  and what is printed has at most eight digits;
- losses add only with their own kind; `conversion` turns one kind into another, on the safe side;
- for each kind, adding losses is proved for adaptive composition (pure and approx: Dwork and Roth
  2014, Theorem 3.16 and Appendix B; zCDP: Bun and Steinke 2016, Lemma 2.3; gdp: Dong, Roth and Su
  2022, Corollary 3.3; as a filter over adaptively chosen losses: Rogers et al. 2016 for pure and
  approx, Whitehouse et al. 2023 for zCDP, Smith and Thakurta 2022 for gdp; purses, and zCDP or gdp
  but for a chance: docs/laws/gdp);
- the borders between the purses are set when a ledger is started. One that moves, so that what
  was saved in one purse may be spent from another, breaks the promise: whoever watches the noise
  chooses when to change, and gets many times delta (docs/laws/gdp.md).

Decision 11.

Decision 30.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeGuard

from ..errors import InputError, InternalError
from ..exact.number import Number, brief, few_down, few_up, rational, text_of
from ..fix import BLANK, Call, Set, call
from ..text import pasted, prompt
from .gdp import keeps, mu2_down

Kind = Literal["pure", "zcdp", "gdp", "approx", "approx_zcdp", "approx_gdp", "purses"]

# What the numbers of each kind are called, in the order in which a loss holds and prints them.
NAMES: dict[Kind, tuple[str, ...]] = {
    "pure": ("epsilon",),  # epsilon-differential privacy
    "zcdp": ("rho",),  # zero-concentrated differential privacy (Bun and Steinke 2016)
    "gdp": ("mu2",),  # mu-Gaussian differential privacy, by mu^2 (Dong, Roth and Su 2022)
    "approx": ("epsilon", "delta"),  # (epsilon, delta)-differential privacy
    "approx_zcdp": ("rho", "delta"),  # zCDP but for a chance of delta (Bun and Steinke 2016)
    "approx_gdp": ("mu2", "delta"),  # mu-GDP but for a chance of delta
    "purses": ("pure", "mu2", "chance"),  # acts of the three sorts, each added to its own sort
}

# What is kept but for a chance, which finding keys takes, and the noise of questions does not.
IDEAL: dict[str, Kind] = {"approx_zcdp": "zcdp", "approx_gdp": "gdp"}


@dataclass(frozen=True, slots=True)
class Loss:
    """A privacy loss: the cost of a release, the budget of a ledger, or the spend of a plan.
    `pure`, `zcdp`, `gdp` and `approx` make a loss.

    Args:
        kind: the definition of privacy. A ledger of kind "purses" adds pure losses, mu^2 and
            chances to fail separately.
        numbers: the exact numbers, in the order of the kind's `NAMES`.

    Example:
        >>> from discreet import zcdp
        >>> print(dp.zcdp("1/50").plus(dp.zcdp("1/50")))
        rho = 0.04
    """

    kind: Kind
    numbers: tuple[Fraction, ...]

    @property
    def named(self) -> dict[str, Fraction]:
        """The numbers by their names, in order."""
        return dict(zip(NAMES[self.kind], self.numbers, strict=True))

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of a pure loss or of (epsilon, delta)."""
        return self._number("epsilon")

    @property
    def delta(self) -> Fraction:
        """The delta of (epsilon, delta), or the chance beside rho or mu^2."""
        return self._number("delta")

    @property
    def rho(self) -> Fraction:
        """The rho of a zCDP loss."""
        return self._number("rho")

    @property
    def mu2(self) -> Fraction:
        """The mu^2 of a Gaussian loss, or of the purse that holds it."""
        return self._number("mu2")

    @property
    def ideal(self) -> "Loss":
        """What is kept but for a chance: zCDP or Gaussian loss; others are it themselves."""
        return Loss(IDEAL[self.kind], self.numbers[:1]) if self.kind in IDEAL else self

    def plus(self, other: "Loss") -> "Loss":
        """Return the loss of doing both (basic composition; each number adds)."""
        return self._with(other, lambda mine, others: mine + others)

    def minus(self, other: "Loss") -> "Loss":
        """Return what is left of this loss after `other`, never below zero."""
        return self._with(other, lambda mine, others: max(Fraction(0), mine - others))

    def times(self, share: Fraction) -> "Loss":
        """Return this share of the loss."""
        return Loss(self.kind, tuple([number * share for number in self.numbers]))

    def few_down(self) -> "Loss":
        """Return this loss, or a smaller one of six digits where it has more than eight."""
        return Loss(self.kind, tuple([few_down(number) for number in self.numbers]))

    def few_up(self) -> "Loss":
        """Return this loss, or a larger one of six digits where it has more than eight."""
        return Loss(self.kind, tuple([few_up(number) for number in self.numbers]))

    def fits(self, other: "Loss") -> bool:
        """Tell whether this loss is of the kind of `other`, and within it in each number."""
        pairs = zip(self.numbers, other.numbers, strict=False)
        return self.kind == other.kind and all(mine <= others for mine, others in pairs)

    def is_zero(self) -> bool:
        """Tell whether nothing is lost."""
        return not any(self.numbers)

    def plain(self) -> dict[str, str]:
        """Return the loss as plain data: its kind and its exact numbers as text."""
        return {"kind": self.kind, **{name: str(number) for name, number in self.named.items()}}

    def __str__(self) -> str:
        names, numbers = NAMES[self.kind], [brief(number) for number in self.numbers]
        if len(names) == 1:
            return f"{names[0]} = {numbers[0]}"
        return f"({', '.join(names)}) = ({', '.join(numbers)})"

    def __repr__(self) -> str:
        if self.kind == "purses":  # of a ledger, which no one call makes
            return prompt("Loss", str(self))
        made = call_of(self.kind, *map(str, self.numbers))
        return pasted(prompt("Loss", str(self)), made.name, *made.args, **made.options)

    def _number(self, name: str) -> Fraction:
        if name not in NAMES[self.kind]:
            raise AttributeError(f"a loss of kind {self.kind} has no {name}")
        return self.numbers[NAMES[self.kind].index(name)]

    def _with(self, other: "Loss", merged: Callable[[Fraction, Fraction], Fraction]) -> "Loss":
        if self.kind != other.kind:
            raise _of_two_kinds(self.kind, other.kind)
        return Loss(self.kind, tuple(map(merged, self.numbers, other.numbers)))


_MOST_WRITTEN = 10**400  # what is written as a fraction is read with at most so many digits
EXAMPLES = {"epsilon": "1", "delta": "1e-6", "rho": "1/50", "mu2": "1/25"} | {  # of its numbers
    "pure": "1/2",
    "chance": "1e-7",
}


def pure(epsilon: Number) -> Loss:
    """Return a loss of pure differential privacy.

    Args:
        epsilon: in nats, at least 0; exact: write "1/3", or 0.1 for 1/10.

    Returns: a loss, for a ledger or a plan: epsilon in nats.

    Raises:
        InputError: epsilon is not a finite number of at least 0.

    Source: Dwork, McSherry, Nissim and Smith 2006.

    Example:
        >>> print(dp.pure("1/2"))
        epsilon = 0.5
    """
    return Loss("pure", (_at_least_zero(epsilon, "epsilon"),))


def zcdp(rho: Number, *, delta: Number | None = None) -> Loss:
    """Return a loss of zero-concentrated differential privacy.

    Args:
        rho: at least 0; exact: write "1/50" or 0.02.
        delta: the probability that the promise fails, in [0, 1), or None. Only finding unknown keys
            needs a delta (delta-approximate zCDP).

    Returns: a loss, for a ledger or a plan: rho, and a delta if you gave one.

    Raises:
        InputError: rho is not a finite number of at least 0, or delta is not a probability below 1.

    Source: Bun and Steinke 2016 (arXiv 1605.02065).

    Example:
        >>> print(dp.zcdp("1/50"))
        rho = 0.02
        >>> print(dp.zcdp("1/50", delta="1e-6"))
        (rho, delta) = (0.02, 0.000001)
    """
    return _but_for("zcdp", _at_least_zero(rho, "rho"), delta)


def gdp(*, mu2: Number, delta: Number | None = None) -> Loss:
    """Return a loss of mu-Gaussian differential privacy; the square of mu adds up over releases.

    The promise: telling two neighboring tables apart is at least as hard as telling apart two
    normal laws of variance 1 whose means differ by mu. Gaussian noise has this loss: mu2 is the
    square of the sensitivity, divided by the variance, and a little less for noise on whole
    numbers.

    Args:
        mu2: at least 0; exact: write "1/25" or 0.04, for mu = 0.2.
        delta: the probability that the promise fails, in [0, 1), or None. Only finding unknown keys
            needs a delta.

    Returns: a loss, for a ledger or a plan: the square of mu, and a delta if you gave one.

    Raises:
        InputError: mu2 is not a finite number of at least 0, or delta is not a probability below 1.

    Source: Dong, Roth and Su 2022 (arXiv 1905.02383).

    Example:
        >>> print(dp.gdp(mu2="1/25"))
        mu2 = 0.04
    """
    return _but_for("gdp", _at_least_zero(mu2, "mu2"), delta)


def approx(epsilon: Number, delta: Number) -> Loss:
    """Return a loss of approximate differential privacy.

    Args:
        epsilon: in nats, at least 0.
        delta: a probability in [0, 1); choose a delta far below one divided by the number of units.

    Returns: a loss, for a ledger or a plan: epsilon in nats, and delta, a probability.

    Raises:
        InputError: epsilon is negative, delta is outside [0, 1), or one of them is not a number.

    Source: Dwork, Kenthapadi, McSherry, Mironov and Naor 2006.

    Example:
        >>> print(dp.approx(1, "1e-6"))
        (epsilon, delta) = (1, 0.000001)
    """
    return Loss("approx", (_at_least_zero(epsilon, "epsilon"), _below_one(delta, "delta")))


def purses(*, pure: Number, mu2: Number, chance: Number) -> Loss:
    """Return what a ledger of three purses holds, or an act takes from them.

    Args:
        pure: in epsilon, of acts that keep pure differential privacy.
        mu2: of acts that keep mu-Gaussian differential privacy.
        chance: the chance that an act fails to be one of the two; see docs/laws/gdp.md.
    """
    numbers = _at_least_zero(pure, "pure"), _at_least_zero(mu2, "mu2"), _below_one(chance, "chance")
    return Loss("purses", numbers)


def loss_of(plain: dict[str, str]) -> Loss:
    """Return the loss that `plain()` wrote."""
    makers: dict[str, Callable[..., Loss]] = {
        "pure": pure,
        "zcdp": zcdp,
        "gdp": gdp,
        "approx": approx,
        "approx_zcdp": zcdp,
        "approx_gdp": gdp,
        "purses": purses,
    }
    numbers = {name: number for name, number in plain.items() if name != "kind"}
    return makers[plain["kind"]](**numbers)


def call_of(kind: Kind, *numbers: object) -> Call:
    """Return the call that makes a loss of a kind, as a person types it."""
    of = IDEAL.get(kind, kind)
    more = {"delta": numbers[1]} if kind in IDEAL else {}
    if of == "gdp":
        return call("discreet.gdp", mu2=numbers[0], **more)
    return call(f"discreet.{of}", *numbers[: len(numbers) - len(more)], **more)


def is_loss(value: object) -> TypeGuard[Loss]:
    """Tell whether a value that a person handed over is a loss."""
    return isinstance(value, Loss)


def total(losses: Sequence[Loss]) -> Loss:
    """Return the loss of doing all of a non-empty sequence, which must be of one kind."""
    first, *others = losses
    if any(loss.kind != first.kind for loss in others):
        raise _of_two_kinds(first.kind, next(x.kind for x in others if x.kind != first.kind))
    parts = zip(*(loss.numbers for loss in losses), strict=True)
    return Loss(first.kind, tuple([sum(each, Fraction(0)) for each in parts]))


def _of_two_kinds(one: str, other: str) -> InternalError:
    return InternalError(
        f"a loss of kind {other} met one of kind {one}.",
        kind="internal-fault",
        why="losses of two kinds are not numbers of one thing",
        fix="please report it, with what was being done",
    )


def _but_for(kind: Literal["zcdp", "gdp"], number: Fraction, delta: Number | None) -> Loss:
    if delta is None:
        return Loss(kind, (number,))
    return Loss(
        "approx_zcdp" if kind == "zcdp" else "approx_gdp", (number, _below_one(delta, "delta"))
    )


def _at_least_zero(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if max(abs(number.numerator), number.denominator) >= _MOST_WRITTEN:
        raise InputError(
            f"{name} has more than 400 digits.",
            kind="not-a-number",
            why="a release and a ledger write it as a fraction, and read it again",
            fix=Set({name: BLANK}, note=f", such as {EXAMPLES[name]}"),
        )
    if number < 0:
        raise InputError(
            f"{name} = {text_of(number)} must be at least 0.",
            kind="out-of-range",
            why="a loss of privacy cannot be negative",
            fix=Set({name: BLANK}, note=f", such as {EXAMPLES[name]}"),
        )
    return number


def _below_one(value: Number, name: str) -> Fraction:
    number = _at_least_zero(value, name)
    if number >= 1:
        raise InputError(
            f"{name} = {text_of(number)} must be below 1.",
            kind="out-of-range",
            why=f"{name} is the chance that the protection fails; at 1 nothing is promised",
            fix=Set({name: BLANK}, note=", such as 1e-6 or less"),
        )
    return number


def purses_of(promise: Loss, *, pure: Fraction, chance: Fraction) -> Loss:
    """Return three purses that together keep (epsilon, delta), the Gaussian one as large as it can.

    Args:
        promise: (epsilon, delta).
        pure: of the first purse, in epsilon, at most that of the promise.
        chance: of the third, at most delta.

    Raises:
        InputError: a purse is larger than the promise, or nothing could be spent.

    Source: Theorem 4 of docs/laws/gdp.md.
    """
    for name, purse, whole in (
        ("pure", pure, promise.epsilon),
        ("chance", chance, promise.delta),
    ):
        if not 0 <= purse <= whole:
            raise InputError(
                f"{name} = {text_of(purse)} must lie between 0 and {text_of(whole)}.",
                kind="out-of-range",
                why=f"it is the part of {'epsilon' if name == 'pure' else 'delta'} that is set "
                "aside for its purse, once and for ever",
                fix=Set({name: BLANK}, note=", a part of the budget"),
            )
    rest = promise.epsilon - pure
    delta = promise.delta - chance
    buys = rest or (not promise.epsilon and delta)  # a delta alone buys Gaussian noise, too
    mu2 = few_down(mu2_down(rest, delta)) if buys else Fraction(0)
    return Loss("purses", (pure, mu2, chance))


@lru_cache(maxsize=64)
def kept(purses: Loss, promise: Loss) -> bool:
    """Tell whether three purses certainly keep (epsilon, delta), however they are spent."""
    pure, mu2, chance = purses.numbers
    epsilon, delta = promise.epsilon - pure, promise.delta - chance
    return epsilon >= 0 and delta >= 0 and (mu2 == 0 or keeps(mu2, epsilon, delta))
