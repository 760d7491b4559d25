"""The samplers of Canonne, Kamath and Steinke 2020 as printed, slow and from whole numbers only.

`below(n)` returns a uniform integer from 0 to n - 1.
"""

from fractions import Fraction
from math import isqrt


def textbook_bernoulli(exponent, below):
    """CKS 2020, Algorithm 1: true with probability e^-exponent, from whole numbers."""
    if exponent > 1:
        whole = int(exponent)
        return all(textbook_bernoulli(Fraction(1), below) for _ in range(whole)) and (
            textbook_bernoulli(exponent - whole, below)
        )
    k = 1
    while below(exponent.denominator * k) < exponent.numerator:
        k += 1
    return k % 2 == 1


def textbook_laplace(scale, below):
    """CKS 2020, Algorithm 2."""
    s, t = scale.denominator, scale.numerator
    while True:
        u = below(t)
        if not textbook_bernoulli(Fraction(u, t), below):
            continue
        v = 0
        while textbook_bernoulli(Fraction(1), below):
            v += 1
        magnitude, negative = (u + t * v) // s, below(2)
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def textbook_gaussian(sigma2, below):
    """CKS 2020, Algorithm 3."""
    t = isqrt(int(sigma2)) + 1
    while True:
        y = textbook_laplace(Fraction(t), below)
        if textbook_bernoulli((abs(y) - sigma2 / t) ** 2 / (2 * sigma2), below):
            return y
