"""The best of keys that nobody knows: found, then chosen from; all others are no choice."""

import json
from collections import Counter

import pandas as pd
import pytest

import discreet as dp
from discreet.aggregate import Choice, Exact
from discreet.entropy import Coins
from discreet.errors import DiscreetError
from discreet.noise.selection import ExponentialMechanism, PermuteAndFlip
from discreet.releases.door import chosen
from discreet.releases.draws import Picks

pytestmark = pytest.mark.claim("C170")

SPENDS = [dp.approx(60, "1e-6"), dp.zcdp(20, delta="1e-6")]


def declared(films, **how):
    """Who has seen which film, and how long."""
    rows = [{"who": f"p{n}", "film": film, "hours": 1 + n % 3} for n, film in enumerate(films)]
    return dp.table(
        pd.DataFrame(rows),
        unit=dp.unit("who", max_rows=1),
        columns={"hours": dp.bounds(0, 4, step=1)},
        keys={"film": dp.unknown(max_groups=1, **how)},
        name="films",
    )


MANY = ["a"] * 300 + ["b"] * 200 + ["c"] * 100 + [f"rare {n}" for n in range(900)]


def told(table, question, spend, path):
    """The keys that a release tells, in order, and the release."""
    book = dp.ledger(path, budget=spend)
    release = dp.run(dp.plan(table, question, spend=spend), ledger=book)
    assert dp.verify(release, ledger=book).checks
    (name,) = [one.label for one in release.document.statistics]
    return [row["film"] for row in release[name].rows], release


@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_the_most_frequent_are_told_and_all_others_are_no_choice(spend, tmp_path):
    """Though they have more rows together than any key."""
    found, release = told(declared(MANY), dp.top_k("film", 2), spend, tmp_path / "k.ledger")
    place = release.save(tmp_path / "k.release")

    assert found == ["a", "b"]
    assert release["top_k 2 by film"].rows[0]["high"] < 100
    assert "top_k 2 by film" in (place / "report.html").read_text("utf-8")
    assert dp.verify(place).checks


@pytest.mark.parametrize(
    ("films", "expected"),
    [
        (["a"] * 300 + ["b"] * 200, ["a", "b"]),  # two, where five were asked for
        ([f"rare {n}" for n in range(300)], ["others"]),  # none
    ],
)
def test_where_fewer_are_found_all_are_told_and_where_none_is_that_all_are_others(
    films, expected, tmp_path
):
    """An answer is never empty; both can be saved, drawn and checked."""
    found, release = told(
        declared(films, other="others"), dp.top_k("film", 5), SPENDS[0], tmp_path / "k.ledger"
    )

    assert found == expected
    assert release.save(tmp_path / "k.release")
    assert dp.load(tmp_path / "k.release").plot() is not None


def test_the_largest_sum_is_told_too(tmp_path):
    """By a column with bounds."""
    found, _ = told(
        declared(MANY), dp.choose("film", most="hours"), SPENDS[0], tmp_path / "k.ledger"
    )

    assert found == ["a"]


@pytest.mark.parametrize("law", [PermuteAndFlip.of(1), ExponentialMechanism.of(1)], ids=str)
def test_a_number_that_is_no_choice_does_not_change_which_is_chosen(law):
    """1,000 choices among 3 and 4 that are near, with a spare one far above: about as often each.

    The less likely one is taken with a chance of exp(-1) / 2 = 0.18, or 0.27: a false alarm is 1e-12.
    """
    picks = [
        chosen(Exact((3, 4, 10**9)), Picks(law, 1, Coins(), of=Choice(1, 1, spare=1))).values[0]
        for _ in range(1_000)
    ]
    times = Counter(picks)

    assert set(times) == {0, 1}
    assert 100 < times[0] < 450
    assert chosen(Exact((7,)), Picks(law, 1, Coins(), of=Choice(1, 1, spare=1))).values == (0,)


@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_the_price_is_that_of_as_many_picks_as_were_asked_for(spend):
    """Whatever is found."""
    plan = dp.plan(declared(MANY), dp.top_k("film", 5), spend=spend)

    for keys in ([], ["a"], [f"k{n}" for n in range(50)]):
        over = plan.found({"film": keys})
        assert over.price(spend.kind) == plan.price(spend.kind)
        assert over.aggregates[0].size(over.table) == min(5, max(1, len(keys)))
    assert "if 1,000 keys are found" in " ".join(str(plan).split())


def test_a_release_that_tells_the_others_beside_keys_does_not_check(tmp_path):
    """Its place is no place of the list."""
    _, release = told(declared(MANY), dp.choose("film"), SPENDS[0], tmp_path / "k.ledger")
    place = release.save(tmp_path / "k.release")
    plain = json.loads((place / "release.json").read_text("utf-8"))
    (one,) = plain["statistics"]
    keys = plain["plan"]["table"]["keys"]["film"]
    one["vectors"][0]["noisy"] = [len(keys) - 1]
    one["answer"]["rows"][0][1] = "other"
    (place / "release.json").write_text(json.dumps(plain), "utf-8")

    with pytest.raises(DiscreetError):
        dp.load(place)
    one["vectors"][0]["noisy"], one["answer"]["rows"][0][1] = [1], keys[1]
    (place / "release.json").write_text(json.dumps(plain), "utf-8")
    assert dp.load(place)["choose by film"].rows[0]["film"] == keys[1]
