"""A release says which of its questions have intervals that hold at once."""

import pytest

import discreet as dp
from discreet.report import words

pytestmark = pytest.mark.claim("C505")

TABLE = dp.table([], unit="row", name="t", keys={"ward": [1, 2, 3], "age": range(1_000)})
SAID = "All intervals of count by ward, together hold at once"


def released(*asked, **how):
    return dp.rehearse(dp.plan(TABLE, *asked, spend=dp.zcdp(1), **how))


@pytest.mark.slow
def test_a_release_says_which_of_its_questions_hold_together():
    """Beside others; not of what is derived at another alpha, and once where all of them do."""
    asked = [dp.count(by="ward", together=True), dp.count()]
    release, whole = released(*asked), released(*asked, together=True)
    derived = release.intervals("count by ward, together", alpha="0.2")

    assert f"{SAID} with probability at least 0.95." in " ".join(str(release).split())
    assert words.misses(4, release.document) == f"{SAID} that often."
    assert SAID not in str(whole) + words.misses(4, whole.document)
    assert "hold at once" not in str(derived)


def test_what_holds_together_is_not_among_those_that_may_miss():
    """Of 3 and 1,000 numbers, about 50 of the 1,000."""
    document = released(dp.count(by="ward", together=True), dp.count(by="age")).document

    assert words.misses(1_003, document) == (
        f"{SAID} that often. Each other interval is right by itself; of the 1,000 others, about "
        "50 can be expected to miss."
    )
