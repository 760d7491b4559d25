"""Make laws.json: known answers computed with mpmath, which shares no code with discreet.

Each number is found by a slower and plainer way than the library's: sums over the law term by
term, quantiles by walking, roots by halving. Run it to make the file again; a frozen answer is
never changed, only added to.

    python tests/vectors/make_laws.py > tests/vectors/laws.json
"""

import itertools
import json
import sys
from collections.abc import Callable
from typing import Any

from mpmath import asinh, erf, erfc, exp, expm1, log, mp, mpf, nstr, pi, sqrt

mp.dps = 60
Case = dict[str, Any]
TERMS = 4000


def case(fn: str, inputs: dict[str, Any], value: Any, **more: Any) -> Case:
    return {"fn": fn, "inputs": inputs, "value": _plain(value), **more}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value if isinstance(value, int | str) else nstr(value, 40)


def geometric_tail(rate: mpf, least: int) -> mpf:
    """Return Pr[|X| >= least] by adding up the law outside and taking what is left."""
    q = exp(-rate)
    inside = sum((q ** abs(k) for k in range(1 - least, least)), mpf(0))
    return 1 - inside * (1 - q) / (1 + q)


def geometric() -> list[Case]:
    found = []
    for epsilon, s, alpha in itertools.product(("0.25", "0.9", "4"), ("1", "2.5"), ("0.1", "3e-4")):
        inputs = {"epsilon": epsilon, "sensitivity": s, "alpha": alpha}
        rate, share = mpf(epsilon) / mpf(s), mpf(alpha)
        a = next(a for a in range(10**4) if geometric_tail(rate, a + 1) <= share)
        found.append(case("geometric_accuracy_gt", inputs, a))
        found.append(case("geometric_accuracy_ge", inputs, a + 1))
    for accuracy, alpha in ((0, "0.2"), (3, "0.05"), (25, "1e-3")):
        rate = halve(lambda r, a=accuracy, p=alpha: geometric_tail(r, a + 1) - mpf(p))
        inputs = {"accuracy": accuracy, "sensitivity": 2, "alpha": alpha}
        found.append(case("geometric_epsilon_from_accuracy_gt", inputs, 2 * rate))
    for lower, upper in ((0, 12), (-4, 3), (7, 8)):
        q, at = exp(-mpf("0.4")), upper - 1
        law = {y: mpf(0) for y in range(lower, upper + 1)}
        for k in range(-TERMS, TERMS + 1):
            law[max(lower, min(upper, at + k))] += (1 - q) / (1 + q) * q ** abs(k)
        inputs = {"epsilon": "0.4", "sensitivity": 1, "lower": lower, "upper": upper, "value": at}
        found.append(case("clamped_geometric_pmf", inputs, list(law.values())))
        bias = sum((y * p for y, p in law.items()), mpf(0)) - at
        found.append(case("clamped_geometric_bias", inputs, bias))
    return found


def rejection() -> list[Case]:
    found = []
    for epsilon, n in itertools.product(("0.02", "0.7", "2.5"), (1, 3, 12)):
        inputs = {"epsilon": epsilon, "n": n}
        found.append(case("rejection_true_epsilon", inputs, enumerated_loss(mpf(epsilon), n)))
        made = halve(lambda e, n=n, t=epsilon: mpf(t) - enumerated_loss(e, n))
        found.append(case("rejection_calibrated_epsilon", inputs, made))
    safe = asinh(expm1(mpf("0.3")) / 2)
    found.append(case("rejection_calibrated_epsilon_any_n", {"epsilon": "0.3"}, safe))
    return found


def enumerated_loss(epsilon: mpf, n: int) -> mpf:
    """Return the largest log-ratio over all neighboring counts and outcomes."""
    q = exp(-epsilon)
    laws = []
    for t in range(n + 1):
        weights = [q ** abs(y - t) for y in range(n + 1)]
        laws.append([w / sum(weights) for w in weights])
    ratios = [
        abs(log(a / b)) for p, r in itertools.pairwise(laws) for a, b in zip(p, r, strict=True)
    ]
    return max(ratios)


def delta_gaussian(epsilon: mpf, sigma: mpf) -> mpf:
    def phi(x: mpf) -> mpf:
        return erfc(-x / sqrt(mpf(2))) / 2

    low, shift = 1 / (2 * sigma), epsilon * sigma
    return phi(low - shift) - exp(epsilon) * phi(-low - shift)


def gaussians() -> list[Case]:
    found = []
    targets = (
        ("0.003", "1e-7"),
        ("0.8", "1e-40"),
        ("2.2", "0.05"),
        ("33", "1e-9"),
        ("1500", "0.9"),
    )
    for epsilon, delta in targets:
        sigma = halve(lambda s, e=epsilon, d=delta: log(delta_gaussian(mpf(e), s)) - log(mpf(d)))
        inputs = {"epsilon": epsilon, "delta": delta, "sensitivity": "3"}
        found.append(case("analytic_gaussian_sigma", inputs, 3 * sigma))
    zero = halve(lambda s: erf(1 / (2 * sqrt(mpf(2)) * s)) - mpf("0.01"))
    inputs = {"epsilon": "0", "delta": "0.01", "sensitivity": "1"}
    found.append(case("analytic_gaussian_sigma", inputs, zero))
    for epsilon, sigma in (("0.5", "2"), ("7", "0.6"), ("20", "5")):
        inputs = {"epsilon": epsilon, "sigma": sigma, "sensitivity": "1"}
        found.append(case("gaussian_delta", inputs, delta_gaussian(mpf(epsilon), mpf(sigma))))
    for delta, sigma in (("1e-3", "4"), ("1e-12", "0.3")):
        target = log(mpf(delta))
        e = halve(lambda e, s=sigma, t=target: log(delta_gaussian(e, mpf(s))) - t)
        inputs = {"delta": delta, "sigma": sigma, "sensitivity": "1"}
        found.append(case("gaussian_epsilon", inputs, e))
    for epsilon, sigma2, s in (("1", "9", 1), ("0.2", "350.5", 4), ("6", "0.3", 1), ("0", "5", 3)):
        inputs = {"epsilon": epsilon, "sigma_squared": sigma2, "sensitivity": s}
        found.append(case("discrete_gaussian_delta", inputs, summed_delta(epsilon, sigma2, s)))
    for sigma2 in ("0.15", "2.25"):
        law = discrete_gaussian(mpf(sigma2))
        variance = sum((k * k * p for k, p in law.items()), mpf(0))
        found.append(case("discrete_gaussian_variance", {"sigma_squared": sigma2}, variance))
    return found


def discrete_gaussian(sigma2: mpf) -> dict[int, mpf]:
    law = {k: exp(-(k * k) / (2 * sigma2)) for k in range(-TERMS, TERMS + 1)}
    total = sum(law.values())
    return {k: p / total for k, p in law.items()}


def summed_delta(epsilon: str, sigma2: str, shift: int) -> mpf:
    law, e = discrete_gaussian(mpf(sigma2)), exp(mpf(epsilon))
    gaps = (p - e * law[k + shift] for k, p in law.items() if k + shift in law)
    return sum((gap for gap in gaps if gap > 0), mpf(0))


def shrinkage() -> list[Case]:
    y = ["2", "-3.5", "0.25", "1"]
    square = sum((mpf(v) ** 2 for v in y), mpf(0))
    factor = 1 - 2 * mpf("0.5") ** 2 / square
    shrunk = [factor * mpf(v) for v in y]
    found = [case("james_stein", {"y": y, "sigma": "0.5"}, shrunk)]
    for theta, threshold in (("0", "2"), ("1.5", "1"), ("-4", "2.5")):
        inputs = {"theta": theta, "sigma": "1", "threshold": threshold}
        found.append(
            case("soft_threshold_risk", inputs, integrated_risk(mpf(theta), mpf(threshold)))
        )
    mean = mpf(6) / 2  # of Poisson, for |theta|^2 = 6
    terms = (exp(-mean) * mean**k / mp.factorial(k) / (3 + 2 * k) for k in range(200))
    inputs = {"d": 5, "theta_norm_squared": "6", "sigma": "1"}
    found.append(case("james_stein_risk", inputs, 5 - 9 * sum(terms, mpf(0))))
    return found


def integrated_risk(theta: mpf, threshold: mpf) -> mpf:
    def error(y: mpf) -> mpf:
        kept = max(mpf(0), abs(y) - threshold) * (1 if y > 0 else -1)
        return (kept - theta) ** 2 * exp(-((y - theta) ** 2) / 2) / sqrt(2 * pi)

    return mp.quad(error, [theta - 30, -threshold, threshold, theta + 30])


def halve(function: Callable[[mpf], mpf]) -> mpf:
    """Return the root above 0 of a falling function."""
    low = high = mpf(1)
    while function(low) < 0:
        low /= 2
    while function(high) > 0:
        high *= 2
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high


def main() -> None:
    cases = [*geometric(), *rejection(), *gaussians(), *shrinkage()]
    meta = {
        "made_by": "tests/vectors/make_laws.py, with mpmath at 60 digits",
        "how": "laws added up term by term, quantiles by walking, roots by halving",
        "cases": len(cases),
    }
    json.dump({"meta": meta, "cases": cases}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
