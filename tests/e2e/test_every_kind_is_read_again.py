"""What is paid for and saved can be read again: every statistic, each kind of spend, keys to find.

All pairs are tried: each statistic of the register beside a count of listed keys, beside one of keys
that nobody knows, and alone.
"""

import inspect

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.statistic.catalog import LISTED, STATISTICS, statistic_of

ROWS = [
    {
        "who": f"p{n // 2}",
        "ward": "AB"[n % 2],
        "age": n % 9,
        "cost": n % 50 / 2,
        "film": f"film {n % 4}",
    }
    for n in range(80)
]
SPENDS = {
    "pure": dp.pure(2),
    "zcdp": dp.zcdp("0.7"),
    "mu2 of 1": dp.gdp(mu2=1),
    "mu2 of 4": dp.gdp(mu2=4),
    "mu2 of a third": dp.gdp(mu2="1/3"),
    "approx": dp.approx(2, "1e-6"),
}
WITH_CHANCE = {
    "zcdp": dp.zcdp("0.7", delta="1e-6"),
    "mu2 of 1": dp.gdp(mu2=1, delta="1e-6"),
    "approx": dp.approx(2, "1e-6"),
}


def declared(*, unknown):
    return dp.table(
        ROWS,
        name="visits",
        unit=dp.unit("who", max_rows=2),
        keys={"ward": ["A", "B"], **({"film": dp.unknown(max_groups=2)} if unknown else {})},
        columns={"age": dp.bounds(0, 8, step=1), "cost": dp.bounds(0, 25, step="0.5")},
    )


def asked(name, table):
    """Some questions of one statistic: its examples, and the plainest where it has none."""
    taken = inspect.signature(STATISTICS[name]).parameters
    plain = [
        {"statistic": name, **({"column": "age"} if "column" in taken else {}), "by": by}
        for by in ([], ["ward"])
    ]
    plain += [{"statistic": name, **own, "by": []} for own in LISTED[name].examples(table)]
    for one in plain:
        try:
            question = statistic_of(one)
            question.aggregates(table)
        except (InputError, TypeError):
            continue
        yield question


def read_again(table, questions, spend, folder):
    """Release, save, load, verify with the ledger; a plan that is refused is none."""
    try:
        plan = dp.plan(table, *questions, spend=spend)
    except InputError:
        return False
    ledger = dp.ledger(folder / "visits.ledger", budget=spend)
    release = dp.run(plan, ledger=ledger)
    place = release.save(folder / "visits.release")

    assert dp.load(place).document == release.document
    assert dp.verify(place, ledger=ledger).checks
    return True


@pytest.mark.claim("C15")
@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("spend", SPENDS)
@pytest.mark.parametrize("name", LISTED)
def test_a_release_is_read_again(name, spend, tmp_path):
    """Alone, and beside a count."""
    table, tried = declared(unknown=False), []
    for number, question in enumerate(asked(name, table)):
        for beside in ((), (dp.count(by="ward"),)):
            folder = tmp_path / f"{number} {len(beside)}"
            folder.mkdir()
            tried.append(read_again(table, (question, *beside), SPENDS[spend], folder))

    assert any(tried) or LISTED[name].chooses or name == "group_sizes"


@pytest.mark.claim("C15")
@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("spend", WITH_CHANCE)
@pytest.mark.parametrize("name", LISTED)
def test_a_release_beside_keys_that_nobody_knew_is_read_again(name, spend, tmp_path):
    table = declared(unknown=True)
    for number, question in enumerate(asked(name, table)):
        folder = tmp_path / str(number)
        folder.mkdir()
        read_again(table, (question, dp.count(by="film")), WITH_CHANCE[spend], folder)
