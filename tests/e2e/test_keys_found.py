"""Keys that nobody knows: from a declaration or a plan file to a release that anybody can check."""

import json
import re
from dataclasses import replace
from inspect import signature

import pandas as pd
import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.errors import BudgetError, InputError
from discreet.ledgers.entry import now
from discreet.privacy import gdp
from discreet.releases.document import compose
from discreet.releases.run import prepared_for, released
from discreet.statistic.catalog import LISTED
from e2e.films import PLAN, SPEND, asked, declared, films

pytestmark = pytest.mark.claim("C71")


@pytest.fixture
def ledger(tmp_path):
    """A ledger that pays for three such plans."""
    return dp.ledger(tmp_path / "films.ledger", budget=dp.approx(6, "1e-5"))


def test_a_release_over_keys_that_were_found_is_charged_stored_and_checks(ledger, tmp_path):
    """One charge for finding and answering; a repeat is free; a saved release checks without data."""
    plan = asked()
    release = dp.run(plan, ledger=ledger)
    found = [row["film"] for row in release["count_units by film"].rows]
    truth = films().groupby("film")["who"].nunique()

    assert found[-1] == "other"
    assert {"film 0", "film 1", "film 2"} <= set(found)
    assert found[:-1] == sorted(found[:-1], key=str.encode)
    assert set(found[:-1]) <= set(truth.index)
    assert release.document.digest == plan.digest
    assert dp.run(plan, ledger=ledger).repeated
    release.save(tmp_path / "films.release")
    said = str(dp.verify(tmp_path / "films.release", ledger=ledger))
    assert "thresholds and price of finding film follow from its noise and its chance" in said


def test_the_price_is_that_of_finding_and_answering_and_no_more_than_the_spend():
    """Half of mu^2 for finding, three tenths of delta for its chance."""
    plan = asked()
    (finding,) = plan.findings
    purses = plan.price("purses")
    pure, mu2, chance = purses.numbers

    assert plan.cost == SPEND
    assert (pure, chance) == (0, finding.delta)
    assert finding.delta == SPEND.delta * 3 / 10
    assert 2 * sum(cost.rho for cost in finding.costs) == pytest.approx(mu2 / 2, rel=1e-4)
    assert gdp.keeps(mu2, SPEND.epsilon, SPEND.delta - chance)
    assert plan.price("zcdp") is None
    assert plan.price("pure") is None


def test_the_price_and_the_noise_do_not_depend_on_what_is_found():
    """Sensitivities are those of keys without end; a unit is in max_groups groups at most."""
    plan = asked()

    for keys in ([], ["a"], [f"k{n}" for n in range(50)]):
        over = plan.found({"film": keys})
        assert over.laws == plan.laws
        assert over.price("approx") == plan.price("approx")
        assert over.digest == plan.digest
        assert over.events() == plan.events()
        moved = [one.sensitivity for one in over.aggregates]
        assert moved == [one.sensitivity for one in plan.aggregates]
        assert over.aggregates[0].size(over.table) == len(keys) + 1
    assert plan.aggregates[0].sensitivity.l1 == 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("name", LISTED)
def test_no_statistic_moves_further_the_more_keys_are_found(name, neighbors):
    """Whatever is registered: its sensitivities are those of keys without end."""
    table = replace(declared(), neighbors=neighbors)
    listed = LISTED[name]
    if "max_groups" not in signature(listed.ask).parameters:
        return  # it is refused over unknown keys

    for options in [*listed.examples(table)][:6]:
        try:
            asked = listed.ask(**options, by="film", max_groups=5)
            found = [
                [(a.sensitivity, a.paid) for a in asked.aggregates(table.with_keys("film", keys))]
                for keys in ([], ["a"], [f"k{n}" for n in range(9)])
            ]
        except InputError:  # it has no such limit, or does not fit this table
            continue
        assert found[0] == found[1] == found[2]


def test_all_others_are_one_group_and_rows_stay_bounded_anew():
    """With so much to spend that noise is small: shown and other units add up to the truth."""
    plan = dp.plan(
        declared(max_groups=300, share="1/2"), dp.count(by="film"), spend=dp.approx(2000, "1e-6")
    )
    found, noisy = released(plan, prepared_for(plan), paid=plan.spend)
    values = dict(zip(found.table.keys["film"], noisy[0].values, strict=True))
    truth = films()["film"].value_counts()

    assert len(values) > 100
    assert sum(values.values()) == pytest.approx(len(films()), abs=400)
    shown = sum(truth[key] for key in values if key != "other")
    assert values["other"] == pytest.approx(len(films()) - shown, abs=60)


def test_unknown_keys_cross_with_public_ones():
    """A film by a public list: every pair of a found film and a public key."""
    table = declared()
    plan = dp.plan(table, dp.count(by=["film", "stars"], max_rows_per_group=1), spend=SPEND)
    found, noisy = released(plan, prepared_for(plan), paid=plan.spend)

    assert len(noisy[0].values) == len(found.table.keys["film"]) * 6


def test_two_unknown_columns_cross_over_what_is_found_of_each(ledger):
    """Each pays its share and its part of delta; a pair of found keys is a group, others too."""
    rows = films().assign(shop=lambda frame: "film " + (frame["stars"] * 2 % 3).astype(str))
    table = dp.table(
        rows.astype({"shop": str}),
        unit=dp.unit("who", max_rows=10),
        keys={
            "film": dp.unknown(max_groups=5, share="1/2"),
            "shop": dp.unknown(max_groups=3, share="1/4"),
        },
        name="films",
    )
    plan = dp.plan(table, dp.count(by=["film", "shop"]), spend=SPEND)
    release = dp.run(plan, ledger=ledger)
    found = release["count by film and shop"].rows
    sides = [[*dict.fromkeys(row[side] for row in found)] for side in ("film", "shop")]
    by_film, by_shop = plan.findings

    assert by_film.delta + by_shop.delta == plan.price("purses").named["chance"]
    assert by_shop.sigma2 == pytest.approx(2 * by_film.sigma2, rel=1e-4)
    assert sides[1] == ["film 0.0", "film 1.0", "film 2.0", "other"]
    assert len(found) == len(sides[0]) * len(sides[1])
    assert "film 0" in sides[0]
    assert dp.verify(release, ledger=ledger).checks


def test_a_unit_that_is_a_row_has_one_key():
    """Words of a list: max_groups is one, whatever is declared."""
    rows = [{"word": f"w{n % 4}"} for n in range(2_000)] + [{"word": f"rare {n}"} for n in range(9)]
    table = dp.table(rows, unit="row", keys={"word": dp.unknown(max_groups=9)}, name="words")
    plan = dp.plan(table, dp.count(by="word"), spend=SPEND)
    found, noisy = released(plan, prepared_for(plan), paid=plan.spend)

    assert found.table.keys["word"] == ("w0", "w1", "w2", "w3", "other")
    assert plan.findings[0].max_groups == 1
    assert noisy[0].values[0] == pytest.approx(500, abs=60)


def test_the_chance_of_finding_is_taken_from_the_purse_for_chances(tmp_path):
    """Noise from mu^2, delta from the third purse; one more plan waits for the third alone."""
    budget, plan = dp.approx(6, "1e-5"), asked()
    chance = plan.findings[0].delta
    ledger = dp.ledger(tmp_path / "films.ledger", budget=budget, pure=0, chance=chance * 3 / 2)
    whole = ledger.file.snapshot("again").head.left()
    release = dp.run(plan, ledger=ledger)
    left, cost = ledger.file.snapshot("again").head.left(), plan.price("purses")

    assert [*map(float, whole.minus(left).numbers)] == pytest.approx([*map(float, cost.numbers)])
    assert cost.named["chance"] == chance
    assert dp.verify(release, ledger=ledger).checks
    assert cost.mu2 < left.mu2
    with pytest.raises(BudgetError, match="only"):
        dp.run(plan, ledger=ledger, request="again")
    assert ledger.file.snapshot("again").head.left() == left


def test_sums_means_and_quantiles_by_found_keys_are_near_the_truth():
    """With so much to spend that noise is small: key by key, and of all others together."""
    rows = films().assign(stars=lambda frame: 2 + frame["film"].str[5:].astype(int) % 3)
    by = {"by": "film", "max_groups": 5, "max_rows_per_group": 1}
    plan = dp.plan(
        declared(rows, share="1/9"),
        *(dp.sum("stars", **by), dp.mean("stars", **by), dp.median("stars", **by)),
        spend=dp.approx(3_000, "1e-6"),
    )
    found, noisy = released(plan, prepared_for(plan), paid=plan.spend)
    keys = found.table.keys["film"]
    document = compose(found, noisy, request="near", created=now(), ledger=None)
    columns = [one.answer.rows.columns for one in document.statistics]

    assert {f"film {n}" for n in range(30)} < set(keys)
    for place, key in enumerate(keys[:-1]):
        stars = 2 + int(key[5:]) % 3
        units = rows.loc[rows["film"] == key, "who"].nunique()
        if units > 200:
            total, mean, median = columns[0][1], columns[1][2], columns[2][2]
            assert total[place] == pytest.approx(stars * units, rel=0.1)
            assert mean[place] == pytest.approx(stars, abs=0.2)
            assert median[place] == pytest.approx(stars, abs=0.5)


def test_columns_that_no_question_groups_by_are_not_paid_for():
    """A plan of counts by public keys finds nothing, and needs no delta."""
    plan = dp.plan(declared(), dp.count(by="stars"), spend=dp.zcdp(1))

    assert plan.findings == ()
    assert dp.rehearse(plan).document.kind == "rehearsal"


def test_a_condition_holds_where_keys_are_looked_for_too(ledger):
    """Films of those who gave more than four stars; days as keys change nothing of the condition."""
    rows = films()
    rows["film"] = "2020-01-" + (rows["film"].str[5:].astype(int) % 20 + 1).astype(str).str.zfill(2)
    table = declared(rows).where("stars > 4 AND film <> '2020-01-02'")
    release = dp.run(dp.plan(table, dp.count_units(by="film"), spend=SPEND), ledger=ledger)
    found = [row["film"] for row in release["count_units by film"].rows]

    assert "2020-01-01" in found
    assert "2020-01-02" not in found
    assert dp.verify(release, ledger=ledger).checks
    assert dp.rehearse(dp.plan(table, dp.count(by="film"), spend=SPEND)).document.kind


def test_a_plan_says_what_a_key_needs_before_anything_is_read():
    """From how many units on, and what is shown of the others."""
    said = str(asked())

    assert "as found" in said
    assert re.search(r"A key shows from about \d+, \d+ or \d+ units\s+on", said)
    assert "'other'" in said
    assert str(dp.rehearse(asked())).startswith("REHEARSAL")


def test_a_plan_says_that_delta_is_spent_and_what_a_smaller_error_costs_with_finding():
    """The next step is one: the plan at that price has it, and at a little less has not."""
    plan = dp.plan(declared(), dp.count_units(by="film"), spend=dp.approx(1, "1e-6"))
    said = " ".join(str(plan).split())
    half, price = re.search(
        r"±(\d+) from \(epsilon, delta\) = \(([0-9.]+), 0.000001\)", said
    ).groups()

    def now(epsilon):
        spent = dp.plan(declared(), dp.count_units(by="film"), spend=dp.approx(epsilon, "1e-6"))
        return int(re.search(r"±(\d+)", str(spent))[1])

    assert "No delta is spent" not in said
    assert re.search(
        r"chance of finding the prices add up to .* which keeps \(epsilon, delta\) = \(1,", said
    )
    assert now(price) == int(half) == now(1) - 1
    assert now(str(float(price) - 0.01)) == int(half) + 1


def test_a_page_does_not_move_errors_over_keys_that_nobody_knows(tmp_path):
    """It would say a price without that of finding."""
    with pytest.raises(InputError, match="whose keys nobody knows"):
        asked().explore(tmp_path / "films.html")
    assert not (tmp_path / "films.html").exists()


def test_a_shown_key_is_text_from_the_data_and_stays_text(ledger, tmp_path):
    """Mark-up, formulas and line ends are shown, and run nowhere."""
    evil = ["<script>alert(1)</script>", "=1+1", "a\nb", "\u202eabc"]
    rows = pd.DataFrame([{"who": f"p{n}", "film": evil[n % 4], "stars": 1.0} for n in range(3_000)])
    release = dp.run(asked(declared(rows)), ledger=ledger)
    place = release.save(tmp_path / "evil.release")

    assert {*evil, "other"} == {row["film"] for row in release["count_units by film"].rows}
    page = (place / "report.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "\u202e" not in page
    cells = (place / "table.csv").read_text("utf-8")
    assert not re.search(r"(^|,)\"?=1", cells, flags=re.MULTILINE)
    assert "\u202e" not in str(release)
    assert dp.verify(place, ledger=ledger).checks


def test_a_plan_file_and_the_command_line(tmp_path, capsys):
    """Declared as in Python, planned, rehearsed, released and verified."""
    films().to_csv(tmp_path / "films.csv", index=False)
    (tmp_path / "plan.toml").write_text(PLAN)

    def said(*words):
        assert main([*words]) == 0
        return capsys.readouterr().out

    plan, book = str(tmp_path / "plan.toml"), str(tmp_path / "films.ledger")
    said("ledger", "init", book, "--epsilon", "6", "--delta", "1e-5", "--subject", "films.csv")
    reply = json.loads(said("plan", plan, "--json"))
    assert reply["findings"][0]["column"] == "film"
    assert reply["findings"][0]["share"] == "1/3"
    assert "Finding film takes" in said("plan", plan)
    assert "REHEARSAL" in said("rehearse", plan)
    out = str(tmp_path / "films.release")
    assert "film 0" in said("release", plan, "--ledger", book, "--out", out)
    assert "thresholds and price of finding film" in said("verify", out, "--ledger", book)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("shares", "taken"),
    [
        ([None, None], ["0.25", "0.25"]),
        (["1/5", None], ["0.2", "0.4"]),
        ([None, None, "0.4"], ["0.15", "0.15", "0.4"]),
        ([None], ["0.5"]),
        (["0.5", "0.4"], ["0.5", "0.4"]),
    ],
)
def test_columns_without_a_share_take_half_of_what_the_others_leave(tmp_path, shares, taken):
    """Two of them were always refused; the plan and the report say what each takes."""
    table = dp.table(
        [{"who": one, **{f"c{n}": "x" for n, _ in enumerate(shares)}} for one in range(300)],
        unit=dp.unit("who", max_rows=1),
        keys={f"c{n}": dp.unknown(max_groups=1, share=one) for n, one in enumerate(shares)},
        name="t",
    )
    plan = dp.plan(table, *(dp.count(f"c{n}") for n, _ in enumerate(shares)), spend=SPEND)
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "t.ledger", budget=SPEND))
    release.save(tmp_path / "t")
    report = (tmp_path / "t" / "report.html").read_text()

    assert re.findall(r"takes ([0-9.]+) of the loss", str(plan)) == taken
    assert re.findall(r"takes ([0-9.]+) of the loss", report) == taken
    assert {row["c0"] for row in release["count by c0"].rows} == {"x", "other"}
