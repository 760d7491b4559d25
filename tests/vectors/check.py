"""Check a file of known answers against the public functions: `python check.py FILE`.

A file holds {"cases": [{"fn", "inputs", "value" | "raises", ...}]} with decimal strings; FILE may
be given several times. Whole numbers and rationals must be equal, reals within 1e-12, and a case
that raises must raise InputError. Every further field of a case whose meaning is known here is
checked too. Prints `passed N of M` and each miss; the exit code is 0 only if all pass.
"""

import json
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet import calculator as calc
from discreet.calculator.formulas import discrete_gaussian_calibration as discrete_gaussian
from discreet.calculator.formulas import (
    gaussian,
    gaussian_closed_forms,
    laplace,
    proportions,
    shrinkage,
)
from discreet.calculator.formulas import truncated_factor as factor
from discreet.calculator.formulas.clamped_geometric import ClampedGeometric
from discreet.calculator.formulas.truncated_geometric import TruncatedGeometric
from discreet.calculator.inputs import above_zero, delta_in, loss, noise_in
from discreet.errors import DiscreetError, InputError
from discreet.exact.number import rational, whole
from discreet.noise.reals import real_near

WITHIN = Fraction(1, 10**12)
Inputs = dict[str, Any]
Checks = dict[str, Any]  # field of a case to what we answer


def law_inputs(i: Inputs) -> dict[str, Any]:
    """Return the inputs that are spelled alike here and there."""
    return {name: i[name] for name in ("epsilon", "delta", "sensitivity", "alpha") if name in i}


def geometric_accuracy(convention: str) -> Callable[[Inputs], Checks]:
    def answer(i: Inputs) -> Checks:
        found = calc.accuracy("geometric", convention=convention, **law_inputs(i))
        known = {"epsilon": i["epsilon"], "sensitivity": i["sensitivity"]}
        tail = calc.tail_of("geometric", error=int(found), convention=convention, **known)
        return {"value": found, "tail": tail}

    return answer


def geometric_tail(convention: str) -> Callable[[Inputs], Checks]:
    return lambda i: {
        "value": calc.tail_of(
            "geometric",
            error=i["a"],
            convention=convention,
            epsilon=i["epsilon"],
            sensitivity=i["sensitivity"],
        )
    }


def epsilon_from(law: str, convention: str = "gt") -> Callable[[Inputs], Checks]:
    return lambda i: {
        "value": calc.epsilon_for(
            law, convention=convention, accuracy=i["accuracy"], **law_inputs(i)
        )
    }


def clamped_accuracy(convention: str) -> Callable[[Inputs], Checks]:
    return lambda i: {
        "value": calc.accuracy(
            "clamped_geometric",
            bounds=(i["lower"], i["upper"]),
            convention=convention,
            **law_inputs(i),
        )
    }


def classical_sigma(constant: str) -> Callable[[Inputs], Checks]:
    def answer(i: Inputs) -> Checks:
        """Return the printed formula; a case that must be refused asks the rule that refuses."""
        if i.pop("refused"):
            return {"value": calc.sigma_for(rule=constant, **law_inputs(i))}
        found = calc.note_sigma(constant=constant, **law_inputs(i))
        true = gaussian.delta_up(
            epsilon=rational(i["epsilon"], "epsilon"),
            sigma=Fraction(found),
            sensitivity=rational(i["sensitivity"], "sensitivity"),
        )
        return {"value": found, "true_delta": true, "is_dp": true <= rational(i["delta"], "delta")}

    return answer


def analytic_sigma(i: Inputs) -> Checks:
    found: Checks = {"value": calc.sigma_for("gaussian", **law_inputs(i))}
    epsilon, delta = loss(i["epsilon"]), delta_in(i["delta"])
    if epsilon > 0:
        found["branch"] = gaussian.branch(epsilon=epsilon, delta=delta)
        found["delta_0"] = gaussian.branch_delta_up(epsilon)
    return found


def gaussian_delta(i: Inputs) -> Checks:
    known = {"sigma": i["sigma"], "sensitivity": i["sensitivity"]}
    return {"value": calc.delta_of("gaussian", at_epsilon=i["epsilon"], **known)}


def gaussian_epsilon(i: Inputs) -> Checks:
    known = {"sigma": i["sigma"], "sensitivity": i["sensitivity"]}
    return {"value": calc.epsilon_of("gaussian", at_delta=i["delta"], **known)}


def discrete_gaussian_delta(i: Inputs) -> Checks:
    known = {"sigma2": i["sigma_squared"], "sensitivity": i["sensitivity"]}
    return {"value": calc.delta_of("discrete_gaussian", at_epsilon=i["epsilon"], **known)}


def discrete_gaussian_pmf(i: Inputs) -> Checks:
    sigma2 = noise_in(i["sigma_squared"], "sigma_squared")
    return {"value": real_near(discrete_gaussian.probability(sigma2=sigma2, k=count(i, "k")))}


def discrete_gaussian_variance(i: Inputs) -> Checks:
    return {"value": discrete_gaussian.variance_up(noise_in(i["sigma_squared"], "sigma_squared"))}


def count(i: Inputs, name: str) -> int:
    return whole(i[name], name, least=-(1 << 63))


def clamped(i: Inputs) -> ClampedGeometric:
    sensitivity = whole(i["sensitivity"], "sensitivity", least=1)
    return ClampedGeometric(loss(i["epsilon"]), sensitivity, count(i, "lower"), count(i, "upper"))


def epsilon_and_width(i: Inputs) -> dict[str, Any]:
    epsilon = above_zero(loss(i["epsilon"]), "epsilon")
    return {"epsilon": epsilon, "width": whole(i["n"], "n", least=1)}


def exact_factor(i: Inputs) -> Checks:
    known = epsilon_and_width(i)
    true = factor.true_epsilon_up(**known)
    promised = known["epsilon"] + _ln(factor.note_factor_up(**known))
    return {"value": factor.factor_up(**known), "note_is_safe": true <= promised}


def rejection_pmf(i: Inputs) -> Checks:
    known, at = epsilon_and_width(i), whole(i["value"], "value", least=0)
    bounds = (0, known["width"])
    return {
        "value": calc.chances_of(
            "truncated_geometric", truth=at, bounds=bounds, made_at=i["epsilon"]
        )
    }


def reject_chance(i: Inputs) -> Checks:
    known, at = epsilon_and_width(i), whole(i["value"], "value", least=0)
    chance = factor.reject_chance_up(rate=known["epsilon"], below=at, above=known["width"] - at)
    return {"value": chance}


def loss_ratio(i: Inputs) -> Checks:
    exact, note = calc.redrawing_ratio(i["alpha"], width=whole(i["n"], "n", least=1))
    return {"value": exact, "M_note_times_e_eps": note}


def vector(i: Inputs) -> list[Fraction]:
    return [rational(y, "y") for y in i["y"]]


def sigma(i: Inputs) -> Fraction:
    return noise_in(i["sigma"], "sigma")


def james_stein(i: Inputs) -> Checks:
    found = calc.shrunk("james_stein_plain", i["y"], sigma=i["sigma"])
    return {"value": found, "factor": shrinkage.james_stein_factor(vector(i), sigma(i))}


def soft_universal(i: Inputs) -> Checks:
    threshold = shrinkage.universal_threshold(len(i["y"]), sigma(i))
    found = calc.shrunk("soft_threshold", i["y"], sigma=i["sigma"])
    return {"value": found, "threshold": threshold}


def variances(i: Inputs) -> dict[str, Any]:
    prior, noisy = (rational(i[k], k) for k in ("prior_variance", "noise_variance"))
    return {"dimensions": int(i["d"]), "prior_variance": prior, "noise_variance": noisy}


def proportion_moves(i: Inputs) -> Checks:
    size = whole(i["n"], "n", least=1)
    if i["neighbours"].startswith("substitute"):
        moves = calc.proportion_moves(size=size)
    elif "larger set" in i["neighbours"]:
        moves = calc.proportion_moves(least=size - 1)
    elif "fixed public n" in i["neighbours"] or "n public" in i["neighbours"]:
        moves = calc.proportion_moves(size=size, neighbors="add_remove")
    else:
        raise InputError("unknown neighbors.", why="not in the table", fix="see proportions.py")
    norms = {"Linf": moves.linf, "L1": moves.l1, "L2": _root(moves.l2_squared)}
    return {"value": list(norms.values()), "norms": list(norms)}


def halfwidth(i: Inputs) -> Checks:
    alpha = Fraction(1, 100)
    return {"value": laplace.accuracy_up(rate=Fraction(1), alpha=alpha, sides=i["side"])}


def composed_delta(i: Inputs) -> Checks:
    known = {"epsilon": i["epsilon_each"], "releases": int(i["k"])}
    return {"value": calc.delta_of("geometric", at_epsilon=i["epsilon"], **known)}


ANSWERS: dict[str, Callable[[Inputs], Checks]] = {
    "geometric_accuracy_note_real": lambda i: {
        "value": calc.note_accuracy("geometric", ceiling=False, **law_inputs(i))
    },
    "geometric_accuracy_note": lambda i: {
        "value": calc.note_accuracy("geometric", **law_inputs(i))
    },
    "geometric_accuracy_gt": geometric_accuracy("gt"),
    "geometric_accuracy_ge": geometric_accuracy("ge"),
    "geometric_tail_gt": geometric_tail("gt"),
    "geometric_tail_ge": geometric_tail("ge"),
    "clamped_geometric_accuracy_gt": clamped_accuracy("gt"),
    "clamped_geometric_accuracy_ge": clamped_accuracy("ge"),
    "geometric_epsilon_from_accuracy_gt": epsilon_from("geometric", "gt"),
    "geometric_epsilon_from_accuracy_ge": epsilon_from("geometric", "ge"),
    "geometric_epsilon_from_accuracy_note": lambda i: {
        "value": calc.note_epsilon("geometric", accuracy=i["accuracy"], **law_inputs(i))
    },
    "laplace_accuracy": lambda i: {"value": calc.accuracy("laplace", **law_inputs(i))},
    "laplace_epsilon_from_accuracy": epsilon_from("laplace"),
    "gaussian_tight_constant": lambda _: {"value": gaussian_closed_forms.tight_constant_up()},
    "gaussian_sigma_classic": classical_sigma("classical"),
    "gaussian_sigma_tight": classical_sigma("tight"),
    "gaussian_accuracy_classic": lambda i: {
        "value": calc.note_accuracy("gaussian", **law_inputs(i))
    },
    "gaussian_accuracy_tight": lambda i: {
        "value": calc.note_accuracy("gaussian", constant="tight", **law_inputs(i))
    },
    "analytic_gaussian_sigma": analytic_sigma,
    "analytic_gaussian_accuracy": lambda i: {"value": calc.accuracy("gaussian", **law_inputs(i))},
    "analytic_gaussian_epsilon_from_accuracy": epsilon_from("gaussian"),
    "gaussian_delta": gaussian_delta,
    "gaussian_epsilon": gaussian_epsilon,
    "discrete_gaussian_delta": discrete_gaussian_delta,
    "discrete_gaussian_pmf": discrete_gaussian_pmf,
    "discrete_gaussian_variance": discrete_gaussian_variance,
    "clamped_geometric_pmf": lambda i: {"value": clamped(i).masses(truth=count(i, "value"))},
    "clamped_geometric_bias": lambda i: {"value": clamped(i).bias(truth=count(i, "value"))},
    "rejection_M_note": lambda i: {"value": factor.note_factor_up(**epsilon_and_width(i))},
    "rejection_M_exact": exact_factor,
    "rejection_true_epsilon": lambda i: {"value": factor.true_epsilon_up(**epsilon_and_width(i))},
    "rejection_calibrated_epsilon": lambda i: {
        "value": TruncatedGeometric(
            loss(i["epsilon"]), 1, 0, whole(i["n"], "n", least=1)
        ).epsilon_made_at
    },
    "rejection_calibrated_epsilon_note": lambda i: {
        "value": factor.note_epsilon_not_private(**epsilon_and_width(i))
    },
    "rejection_calibrated_epsilon_any_n": lambda i: {"value": calc.safe_at_any_width(i["epsilon"])},
    "rejection_geometric_pmf": rejection_pmf,
    "rejection_reject_probability": reject_chance,
    "rejection_loss_ratio_rational": loss_ratio,
    "james_stein": james_stein,
    "james_stein_positive": lambda i: {
        "value": calc.shrunk("james_stein", i["y"], sigma=i["sigma"])
    },
    "soft_threshold_universal": soft_universal,
    "soft_threshold": lambda i: {
        "value": calc.shrunk("soft_threshold", i["y"], sigma=1, threshold=i["threshold"])
    },
    "sure_soft_threshold": lambda i: {
        "value": calc.risk_of(
            "soft_threshold", sigma=i["sigma"], values=i["y"], threshold=i["threshold"]
        )
    },
    "soft_threshold_risk": lambda i: {
        "value": calc.risk_of(
            "soft_threshold", sigma=i["sigma"], truth=i["theta"], threshold=i["threshold"]
        )
    },
    "james_stein_risk": lambda i: {
        "value": calc.risk_of(
            "james_stein_plain",
            sigma=i["sigma"],
            coordinates=int(i["d"]),
            square=i["theta_norm_squared"],
        )
    },
    "bayes_gaussian_risk": lambda i: {"value": shrinkage.bayes_risk(**variances(i))},
    "james_stein_bayes_risk": lambda i: {"value": shrinkage.james_stein_bayes_risk(**variances(i))},
    "proportion_sensitivity": proportion_moves,
    "proportion_sensitivity_note_LOCAL_UNSAFE": lambda i: {
        "value": proportions.note_local_sensitivity_not_private(
            size=whole(i["n"], "n", least=0), rarest=whole(i["k_min"], "k_min", least=0)
        )
    },
    "laplace_99_percent_halfwidth_over_scale": halfwidth,
    "laplace_coverage_of_note": lambda i: {
        "value": laplace.coverage_up(widths=rational(i["t"], "t"))
    },
    "geometric_composition_delta": composed_delta,
}


def main(arguments: list[str]) -> int:
    """Check every file that is named and return 1 unless all cases pass."""
    if not arguments:
        say("usage: python tests/vectors/check.py FILE ...")
        return 2
    cases = [case for name in arguments for case in json.loads(Path(name).read_text())["cases"]]
    misses = [miss for case in cases if (miss := missed(case))]
    say(f"passed {len(cases) - len(misses)} of {len(cases)}")
    for miss in misses:
        say(miss)
    return 1 if misses or not cases else 0


def say(line: str) -> None:
    """Print one line."""
    sys.stdout.write(line + "\n")


def missed(case: dict[str, Any]) -> str | None:
    """Return what is wrong with our answer to a case, or None."""
    name, inputs = case["fn"], dict(case["inputs"])
    label = f"{name}({', '.join(f'{k}={v}' for k, v in inputs.items())})"
    if name not in ANSWERS:
        return f"{label}: no such function here"
    if name in ("gaussian_sigma_classic", "gaussian_sigma_tight"):
        inputs["refused"] = bool(case.get("raises"))
    try:
        found = ANSWERS[name](inputs)
    except InputError as error:
        return None if case.get("raises") else f"{label}: refused, {error.what}"
    except (DiscreetError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"{label}: failed, {error}"
    if case.get("raises"):
        return f"{label}: answered {found['value']}, but must be refused"
    for field, ours in found.items():
        if field in case and not same(ours, case[field]):
            return f"{label}: {field} is {_shown(ours)}, but must be {_shown(case[field])}"
    return None


def same(ours: Any, theirs: Any) -> bool:
    """Tell whether our answer is theirs: equal, or for decimals within 1e-12."""
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, bool | int) or not _is_number(theirs):
        return bool(ours == theirs)
    wanted = _number(theirs)
    if "/" in theirs:
        return Fraction(ours) == wanted
    return abs(Fraction(ours) - wanted) <= WITHIN * abs(wanted)


def _is_number(text: Any) -> bool:
    try:
        _number(text)
    except (ValueError, ArithmeticError):
        return False
    return True


def _number(text: str) -> Fraction:
    return Fraction(text) if "/" in text else Fraction(Decimal(text))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return str([_shown(v) for v in value])
    return f"{float(value):.17g}" if isinstance(value, Fraction) else str(value)


def _root(square: Fraction) -> Fraction:
    from discreet.exact.enclosure import ball

    return real_near(lambda: ball(square).sqrt())


def _ln(number: Fraction) -> Fraction:
    from discreet.exact.enclosure import ln_up

    return ln_up(number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
