"""Histograms of one column share a scan that is cut at all their edges, and one query sums them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from discreet.engine.sql.query import counting
from discreet.schema import ROW
from discreet.statistic.count import count
from discreet.statistic.histogram import histogram
from discreet.statistic.quantile import median, quantile
from discreet.statistic.share_below import share_below
from engine.sources import by_memory, quickly
from engine.test_engines_agree import HOSTILE
from engine.test_query import KINDS
from property.strategies import declared
from shares import in_parts

INNER = st.lists(st.sampled_from([-2.5, -1, 0, 0.5, 1, 2.5, 3.5, 8.5]), unique=True).map(sorted)
BYS = st.sampled_from([None, "ward", ["floor", "ward"]])


def of(edges, by=None):
    return histogram("cost", by, bins=edges)


def aggregates(asked):
    return tuple(a for one in asked for a in one.aggregates(declared([], unit=ROW)))


@pytest.mark.claim("C07")
@in_parts(4)
@settings(max_examples=10)
@given(st.lists(st.tuples(INNER, BYS), min_size=2, max_size=5))
def test_histograms_that_share_a_scan_count_as_if_each_were_alone(asked):
    """Any edges, any groupings, hostile cells: the integers of the reference."""
    found = aggregates([of([-3, *inner, 9], by) for inner, by in asked])

    assert quickly(HOSTILE, found, 5, unit=ROW) == by_memory(HOSTILE, found, 5, unit=ROW)


def test_other_questions_may_share_the_scan_too():
    """Even bins, bins as fine as the steps, a count and bins of another column beside."""
    asked = [histogram("cost", bins=5), histogram("cost", "ward", bins=24), count("ward")]
    found = aggregates([*asked, of([-3, 0, 9]), histogram("age", bins=[0, 1, 4])])

    assert quickly(HOSTILE, found, 5, unit=ROW) == by_memory(HOSTILE, found, 5, unit=ROW)


@pytest.mark.claim("C07")
@pytest.mark.parametrize("by", [None, "ward"])
def test_a_curve_beside_a_histogram_takes_no_row_from_it(by):
    """A curve has a bin of its own for the upper bound, which is in a histogram's last bin."""
    curves = [median("cost", by, bins=7), share_below("cost", 1, by), quantile("age", "0.1", by)]
    asked = [of([-3, 0, 9], by), histogram("cost", by, bins=3), *curves, histogram("age", bins=4)]
    found = aggregates(asked)
    expected = by_memory(HOSTILE, found, 5, unit=ROW)

    assert quickly(HOSTILE, found, 5, unit=ROW) == expected
    assert expected[0][-1] > 0


def test_many_histograms_of_a_column_are_one_scan_and_one_sum():
    """So the cost of a release grows with its edges, not with scans."""
    found = aggregates([of([-3, -3 + at / 2, 9]) for at in range(1, 24)])
    made = counting(declared([], unit=ROW), found, kinds=KINDS, source=exp.to_table("visits"))

    assert len(made.parts) == 23
    assert not list(made.query.find_all(exp.Union))
    assert len(list(made.query.find_all(exp.Group))) == 2  # the scan, and the sums of all parts
