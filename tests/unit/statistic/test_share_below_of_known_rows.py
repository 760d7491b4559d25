"""Shares of a public number of rows under replace: nothing is divided by noise."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.noise.discrete_gaussian import DiscreteGaussian

MARK = "typed, not checked"


def declared(source=(), *, rows=12, neighbors="replace", missing=0, keys=None, **how):
    column = {} if missing is None else {"missing": missing}
    return dp.table(
        list(source),
        unit=how.pop("unit", "row"),
        name="t",
        columns={"x": dp.bounds(0, 5, step=1, **column)},
        keys={"k": keys or dp.keys("a", "b", other="rest")},
        neighbors=neighbors,
        rows=rows,
        **how,
    )


@pytest.mark.claim("C431")
@pytest.mark.parametrize("bins", [None, 6])
def test_without_noise_a_share_is_the_count_below_over_the_rows(bins):
    """Whatever the table; the interval is as wide as the noise of one edge, over the rows."""
    source = [{"x": x, "k": "a"} for x in (0, 0, 1, 2, 2, 2, 3, 4, 5, 5, None, 9)]
    table = declared(source)
    question = dp.share_below("x", [1, 3, 5], bins=bins)
    (curve,) = question.aggregates(table)
    (exact,) = MemoryEngine().prepare(table, (curve,)).count(1)
    noisy = Noisy(exact.transformed(curve.transform).opened_by_the_door())
    law = DiscreteGaussian(Fraction(10**6))
    answer = question.answer(table, [noisy], [law], Fraction(1, 20))
    half = question.expected(table, [law], Fraction(1, 20)).half_width

    assert answer.values == pytest.approx([3 / 12, 7 / 12, 9 / 12])
    assert answer.rows == (12.0,) * 3
    assert answer.rows_within == 0
    for low, value, high in zip(answer.low, answer.values, answer.high, strict=True):
        assert low <= value <= high
        assert high - low <= 2.02 * float(half) + 0.01


@pytest.mark.claim("C431")
@pytest.mark.parametrize(
    ("how", "ask"),
    [
        ({"neighbors": "add_remove"}, {}),
        ({"missing": None}, {}),
        ({"rows": None}, {}),
        ({"unit": dp.unit("who", max_rows=2)}, {}),
        ({}, {"by": "k"}),
        ({}, {"where": "x > 1"}),
    ],
    ids=str,
)
def test_where_rows_may_drop_out_a_share_is_over_a_noisy_number(how, ask):
    """The plan divides by the rows only then; else it knows the half-width."""
    for question in (dp.share_below("x", 2, **ask),):
        table = declared(**how)
        plan = dp.plan(table, question, spend=dp.zcdp("1/8"))
        assert plan.lines[0].statistic.expected(table, plan.laws, plan.alpha).per_row
    known = dp.plan(declared(), dp.share_below("x", 2), spend=dp.zcdp("1/8"))
    assert not known.lines[0].statistic.expected(declared(), known.laws, known.alpha).per_row
    assert MARK in str(known)


@pytest.mark.claim("C431")
@pytest.mark.parametrize(
    ("how", "ask", "is_known"),
    [
        ({}, {"by": "k"}, True),
        ({"keys": ["a", "b"]}, {"by": "k"}, False),
        ({"keys": dp.keys("a", "b", missing="none")}, {"by": "k"}, False),
        ({"neighbors": "add_remove"}, {"by": "k"}, False),
        ({"rows": None}, {"by": "k"}, False),
        ({"unit": dp.unit("who", max_rows=2)}, {"by": "k"}, False),
        ({}, {"by": "k", "where": "x > 1"}, False),
    ],
    ids=str,
)
def test_a_share_of_counts_is_of_the_public_number_where_each_row_has_a_group(how, ask, is_known):
    """Where a row may be in none, the noisy total divides, as it is in none of the cases beside."""
    release = dp.rehearse(dp.plan(declared(**how), dp.count(**ask), spend=dp.zcdp("1/8")))
    name = dp.count(**ask).label
    share = release.share(name)
    assert (MARK in str(share).splitlines()[-2]) is is_known
    if is_known:
        noisy = [row["value"] for row in release[name]]
        assert [row["value"] for row in share] == pytest.approx([n / 12 for n in noisy])


@pytest.mark.claim("C431")
@pytest.mark.slow
def test_a_share_of_bins_is_of_the_public_number_where_no_cell_is_missing(tmp_path):
    """And it is kept with the release, where `verify` makes it again."""
    source = [{"x": i % 6, "k": "a"} for i in range(12)]
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(20))
    for missing in (0, None):
        table = declared(source, missing=missing)
        release = dp.run(
            dp.plan(table, dp.histogram("x", bins=3), spend=dp.zcdp("1/8")), ledger=ledger
        )
        share = release.share("histogram x")
        assert (MARK in str(share).splitlines()[-2]) is (missing == 0)
        release.save(tmp_path / f"r{missing}", also=[share])
        assert dp.verify(tmp_path / f"r{missing}", ledger=ledger).checks
