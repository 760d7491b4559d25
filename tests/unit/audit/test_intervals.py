"""How often intervals miss, by the chances of the noise."""

import pytest

import discreet as dp
from discreet.audit.intervals import asked, missing


def planned(*questions):
    declared = dp.table(
        "people.csv",
        unit="row",
        columns={"cost": dp.bounds(0, 50, step=1)},
        keys={"ward": ["A", "B", "C"]},
    )
    return dp.plan(declared, *questions, spend=dp.pure("0.2"))


@pytest.mark.slow
@pytest.mark.claim("C534")
def test_intervals_of_plain_and_bounded_numbers_miss_no_more_often_than_they_say():
    """Alone and all at once; a question whose numbers share noise is not looked at."""
    plan = planned(dp.count(by="ward", between=(0, 30)), dp.sum("cost"))

    assert [words for place in (0, 1) for words in missing(plan, place)] == []
    assert asked(plan) == [0, 1]
    assert asked(planned(dp.mean("cost"), dp.count())) == [1]


@pytest.mark.claim("C534")
def test_an_interval_that_is_one_too_short_is_seen(monkeypatch):
    """The check has power: intervals of twice the chance, alone and all at once."""
    count = type(dp.count())
    honest = count.answer

    def answer(self, table, noisy, laws, alpha):
        return honest(self, table, noisy, laws, alpha * 2)

    monkeypatch.setattr(count, "answer", answer)

    alone, together = missing(planned(dp.count()), 0)
    assert alone.startswith("count: an interval misses with a chance of 0.0")
    assert together.startswith("count: all 1 intervals at once miss with a chance of 0.0")
