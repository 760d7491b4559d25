"""Rules of publication: what is hidden stands nowhere, and what is shown keeps its guarantee."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.cli.cli import main
from discreet.document.document import document_of
from discreet.errors import InputError, VerifyError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.registry import law_of
from discreet.plan_file.plan_file import read_plan_file
from discreet.post.selected import total_half_width
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.statistic.catalog import LISTED, statistic_of
from discreet.statistic.publish import (
    RuledQuestion,
    answer_shown,
    places_shown,
    publish,
    rule_words,
)

KEYS = range(12)
FRAME = pd.DataFrame(
    {
        "page": np.repeat(KEYS, [400, 300, 200, 150, 120, 60, 30, 20, 10, 5, 2, 0]),
        "size": np.arange(1297) % 10,
    }
)
TABLE = dp.table(
    FRAME, unit="row", keys={"page": KEYS}, columns={"size": dp.bounds(0, 9)}, name="views"
)


def released(*questions, path, spend="0.02", **how):
    plan = dp.plan(TABLE, *questions, spend=dp.zcdp(spend), **how)
    return dp.run(plan, ledger=dp.ledger(path / "views.ledger", budget=dp.zcdp(9)))


def shown_pages(release, name):
    return [row["page"] for row in release[name]]


@pytest.mark.claim("C455")
def test_what_is_not_shown_stands_nowhere(tmp_path):
    """Not among the integers, nor in table, report or ledger; a page of 400 views is there."""
    rule = dp.publish(at_least=100)
    release = released(dp.count(by="page", publish=rule), path=tmp_path)
    folder = release.save(tmp_path / "views.release")
    pages = shown_pages(release, "count by page")
    (statistic,) = json.loads((folder / "release.json").read_text("utf-8"))["statistics"]

    assert set(range(4)) <= set(pages)
    assert not set(pages) & set(range(6, 12))
    assert statistic["shown"] == {"of": 12, "places": pages}
    assert len(statistic["vectors"][0]["noisy"]) == len(pages) == len(statistic["answer"]["rows"])
    assert min(statistic["vectors"][0]["noisy"]) >= 100
    stored = dp.ledger(tmp_path / "views.ledger").book().settled(release.document.request)
    assert stored.result == release.document.text()
    assert len((folder / "table.csv").read_text("utf-8").splitlines()) == 1 + len(pages)
    checked = dp.verify(folder, ledger=tmp_path / "views.ledger")
    assert "each number of count by page that is shown keeps its rule" in checked.checks
    assert f"{12 - len(pages)} numbers of count by page that its rule does not show" in (
        checked.unchecked
    )


@pytest.mark.claim("C455")
@pytest.mark.parametrize("fault", ["below", "moved", "more", "all", "none"])
def test_a_shown_number_that_does_not_keep_the_rule_is_found(tmp_path, fault):
    """Whoever changes what is shown is caught by the file alone."""
    release = released(dp.count(by="page", publish=dp.publish(at_least=100)), path=tmp_path)
    plain = json.loads(release.document.text())
    (statistic,) = plain["statistics"]
    rows, places = statistic["answer"]["rows"], statistic["shown"]["places"]
    if fault == "below":
        statistic["vectors"][0]["noisy"][0] = 99
        rows[0][1:] = [99, 63, 135]
    elif fault == "moved":
        places[-1] = 11
        rows[-1][0] = 11
    elif fault == "more":
        statistic["shown"]["of"] = 13
    elif fault == "all":
        del statistic["shown"]
    else:
        places.clear()
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))

    with pytest.raises((VerifyError, InputError)):
        dp.verify(Release(document_of(text)), ledger=tmp_path / "views.ledger")


@pytest.mark.claim("C455")
def test_a_rule_is_free_and_part_of_the_plan():
    """The price is the same, the digest is not; a question's own rule stays."""
    plain = dp.plan(TABLE, dp.count(by="page"), spend=dp.zcdp("0.02"))
    ruled = dp.plan(
        TABLE, dp.count(by="page"), spend=dp.zcdp("0.02"), publish=dp.publish(at_least=9)
    )
    own = dp.plan(
        TABLE,
        dp.count(by="page", publish={"at_least": 90}),
        spend=dp.zcdp("0.02"),
        publish=dp.publish(at_least=9),
    )

    assert plain.cost == ruled.cost
    assert len({plain.digest, ruled.digest, own.digest}) == 3
    assert own.lines[0].statistic.ask.publish == publish(at_least=90)
    assert "publish" not in plain.plain()["statistics"][0]


def test_rounding_is_outward_and_of_values_alone(tmp_path):
    """The integers stay as they are; each rounded interval holds the one it was made of."""
    rule = dp.publish(round_to=25)
    release = released(dp.count(by="page", publish=rule), path=tmp_path)
    (statistic,) = release.document.statistics

    assert statistic.shown.places == [*KEYS]
    noisy = statistic.vectors[0].noisy
    for number, row in zip(noisy, release["count by page"], strict=True):
        assert row["value"] % 25 == row["low"] % 25 == row["high"] % 25 == 0
        assert abs(row["value"] - number) <= 12.5
        assert row["low"] <= max(0, number - 10)
        assert row["high"] >= number + 10
    assert dp.verify(release).checks


def test_a_mean_is_shown_from_so_many_noisy_rows_on(tmp_path):
    """The threshold is of its rows, and each shown mean says how many."""
    release = released(
        dp.mean("size", by="page"), path=tmp_path, publish=dp.publish(at_least=100), spend=1
    )

    assert shown_pages(release, "mean size by page") == [0, 1, 2, 3, 4]
    assert all(row["rows"] >= 100 for row in release["mean size by page"])
    assert dp.verify(release).checks


def test_a_width_is_of_the_interval_of_its_own(tmp_path):
    """Of counts alike, 36 is a quarter of 144: smaller ones are not shown."""
    release = released(
        dp.count(by="page", publish=dp.publish(within="25%")), path=tmp_path, spend="0.0015"
    )
    values = [row["value"] for row in release["count by page"]]

    assert min(values) >= 144
    assert len(values) < 12


def test_a_rule_that_shows_nothing_leaves_an_empty_answer(tmp_path):
    """It is saved, loaded, drawn, told and verified as others are."""
    rule = dp.publish(at_least=10**6)
    release = released(dp.count(by="page", publish=rule), path=tmp_path)
    folder = release.save(tmp_path / "none.release")
    loaded = dp.load(folder)

    assert list(loaded["count by page"]) == []
    assert "0 of 12 numbers of count by page are shown." in str(loaded)
    assert loaded.plot().axes
    assert dp.verify(folder).checks
    assert list(loaded.intervals("count by page", alpha="0.2")) == []


@pytest.mark.claim("C455")
@pytest.mark.parametrize(("least", "hides_all"), [(200, False), (10**6, True)])
def test_of_keys_that_nobody_knew_the_others_can_be_hidden_too(tmp_path, least, hides_all):
    """The report never takes a key that is shown for all others together."""
    rows = [{"who": n, "film": "big"} for n in range(900)]
    rows += [{"who": 2_000 + n, "film": f"rare {n}"} for n in range(40)]
    table = dp.table(
        rows, unit=dp.unit("who"), keys={"film": dp.unknown(max_groups=1)}, name="films"
    )
    asked = dp.count_units(by="film", publish=dp.publish(at_least=least))
    plan = dp.plan(table, asked, spend=dp.approx(3, "1e-6"))
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "a", budget=dp.approx(9, "1e-5")))
    folder = release.save(tmp_path / "films.release")
    report = (folder / "report.html").read_text("utf-8")

    shown = [row["film"] for row in release["count_units by film"]]
    assert shown == ([] if hides_all else ["big"])
    assert "All other keys together, other, are not shown" in report
    assert "but together as other" not in report
    assert dp.verify(folder, ledger=tmp_path / "a").checks


@pytest.mark.claim("C455")
def test_a_select_keeps_the_rule_of_the_plan_file(tmp_path, monkeypatch):
    """Whoever asks in SQL, of a plan file with [publish], publishes by it."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("views.csv", index=False)
    Path("views.toml").write_text(
        '[data]\nsource = "views.csv"\nunit = "row"\n[keys]\npage = { from = 0, to = 11 }\n'
        '[publish]\nat_least = 100\n[spend]\nrho = 0.02\nledger = "views.ledger"\n'
        '[[ask]]\nstatistic = "count"\n'
    )
    assert main(["ledger", "init", "views.ledger", "--rho", "1"]) == 0
    text = "SELECT page, COUNT(*) FROM views GROUP BY page"
    assert main(["sql", "views.toml", text, "--release", "--out", "a.release"]) == 0

    (statistic,) = dp.load("a.release").document.statistics
    assert statistic.question["publish"] == {"at_least": "100"}
    assert statistic.shown.of == 12
    assert min(statistic.vectors[0].noisy) >= 100


RULED = ("count", "count_units", "sum", "histogram", "variance", "std")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LISTED))
def test_each_statistic_takes_a_rule_or_refuses_it_with_what_to_ask(name):
    """Whatever is added to the register is tried; with a rule it keeps its options."""
    refused = []
    for options in LISTED[name].examples(TABLE):
        question = LISTED[name].ask
        grouped = {} if name in ("cube", "tables", "choose", "top_k") else {"by": "page"}
        try:
            asked = question(**options, **grouped, publish=dp.publish(at_least=9))
            plan = dp.plan(TABLE, asked, spend=dp.zcdp(1))
        except (InputError, TypeError) as error:
            refused.append(error)
            continue
        assert "shown from 9" in str(plan)
        assert dp.verify(dp.rehearse(plan)).checks
    assert name not in RULED or not refused
    assert all(isinstance(e, TypeError) or str(e).count("\n") == 2 for e in refused)


@pytest.mark.parametrize("made", ["difference", "ratio", "share"])
def test_nothing_is_made_of_selected_numbers(tmp_path, made):
    """What is made of selected numbers carries their luck; the way out is named."""
    release = released(dp.count(by="page", publish=dp.publish(at_least=100)), path=tmp_path)
    name = "count by page"
    calls = {
        "difference": lambda: release.difference(name, {"page": 0}, {"page": 1}),
        "ratio": lambda: release.ratio(name, name),
        "share": lambda: release.share(name),
    }

    with pytest.raises(InputError, match=r"a rule of publication|cannot") as caught:
        calls[made]()
    assert str(caught.value).count("\n") == 2


@pytest.mark.claim("C423")
def test_a_total_is_of_what_is_shown_and_checked_again(tmp_path):
    """From integers, by an axis and of some keys, saved and verified; a sum in its measure."""
    rule = {"at_least": 100}
    plain = released(dp.count(by="page", publish=dp.publish(**rule)), path=tmp_path)
    (name,) = (part.label for part in plain.document.statistics)
    (vector,) = plain.document.statistics[0].vectors
    total = plain.total(name)
    (row,) = total
    half = total_half_width(law_of(vector.noise), len(vector.noisy), 12, Fraction(1, 20))

    assert row["value"] == sum(vector.noisy)
    assert row["high"] - row["value"] == half
    assert "of what is shown" in str(total)
    assert "not 0" in str(total)
    assert [r["value"] for r in plain.total(name, by="page")] == vector.noisy
    folder = plain.save(tmp_path / "a.release", also=[total, plain.total(name, by="page")])
    assert dp.verify(folder).checks


def test_a_total_of_some_keys_where_nothing_is_shown_says_so(tmp_path):
    """Which keys there are is public; which of them are shown is none at all here."""
    rule = dp.publish(at_least=10**9)
    release = released(dp.count(by="page", publish=rule), path=tmp_path)

    assert [*release.total("count by page")] == []
    with pytest.raises(InputError, match="selects nothing of") as told:
        release.total("count by page", only={"page": 1})
    assert "none of its numbers is shown" in str(told.value)


@pytest.mark.claim("C423")
def test_a_total_of_rounded_numbers_is_of_the_integers(tmp_path):
    """What was rounded is not added up."""
    rule = dp.publish(at_least=100, round_to=1000)
    release = released(dp.count(by="page", publish=rule), path=tmp_path)
    (vector,) = release.document.statistics[0].vectors

    assert [r["value"] for r in release.total("count by page")] == [sum(vector.noisy)]


@pytest.mark.parametrize("coverage", ["rate", "marginal", "conditional"])
def test_joint_intervals_hold_whatever_is_shown(tmp_path, coverage):
    """They are those of all numbers, hidden ones among them, whichever coverage was asked."""
    rule = dp.publish(at_least=100, coverage=coverage)
    release = released(dp.count(by="page", publish=rule), path=tmp_path, spend="0.0015")
    law = DiscreteGaussian(Fraction(1000, 3))
    joint = release.intervals("count by page", together=True)

    widths = {row["high"] - row["value"] for row in joint}
    assert len(widths) == 1
    assert widths.pop() > law.half_width(Fraction(1, 20 * 10))
    assert "hold at once" in str(joint)
    assert "in expectation" not in str(joint)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "shows every number"),
        ({"at_least": 0}, "above 0"),
        ({"at_least": -3}, "above 0"),
        ({"round_to": 0}, "above 0"),
        ({"within": "0%"}, "above 0"),
        ({"at_least": 5, "coverage": "both"}, "no guarantee"),
        ({"within": "5%", "coverage": "conditional"}, "threshold"),
        ({"round_to": 5, "coverage": "conditional"}, "threshold"),
    ],
)
def test_a_rule_that_is_none_is_refused(options, why):
    with pytest.raises(InputError, match=why) as caught:
        dp.publish(**options)
    assert str(caught.value).count("\n") == 2


@pytest.mark.claim("C503")
@pytest.mark.parametrize("how", [{"alpha": "0.001"}, {"together": True}], ids=str)
@pytest.mark.parametrize("rounded", [{}, {"round_to": "0.5"}, {"round_to": 2}], ids=str)
def test_a_shown_mean_of_which_a_smaller_alpha_says_nothing_is_told_no_more(how, rounded):
    """It stays in its place, with the column's bounds: neither an exception nor a 0."""
    ages, keys = {"age": dp.bounds(0, 4, step="0.5")}, {"k": range(10)}
    table = dp.table([], unit="row", name="t", columns=ages, keys=keys)
    asked = dp.mean("age", by="k", publish=dp.publish(at_least=3, **rounded))
    plan = dp.plan(table, asked, spend=dp.pure("16/3"), alpha="0.2")
    noisy = [Noisy((6, 18, *[0] * 18))]
    release = Release(compose(plan, noisy, request="r", created="2026-11-28", ledger=None))
    (row,) = release["mean age by k"]
    (derived,) = release.intervals("mean age by k", **how)

    assert row["value"] is not None
    assert (derived["k"], derived["value"]) == (0, None)
    assert (derived["low"], derived["high"]) == (0, 4)
    assert "too few to say" in str(release.intervals("mean age by k", **how))


ALPHA, RUNS, CELLS = Fraction(1, 10), 3_000, 40
TRUTHS = np.array([0] * 10 + [20] * 10 + [50, 60, 70, 80, 90] * 3 + [100, 150, 200, 300, 400])
LAW = DiscreteGaussian(Fraction("334.89"))
BIG = dp.table([{"page": 0}], unit="row", keys={"page": range(CELLS)}, name="views")


def simulated(coverage):
    """For each of many releases: how many are shown, how many of these miss, and which."""
    coins = np.random.default_rng()
    values = np.arange(-160, 161)
    chances = np.array([float(LAW.mass(int(k))) for k in values])
    asked = dp.count(by="page", publish=dp.publish(at_least=90, coverage=coverage))
    hits, shows = np.zeros(CELLS), np.zeros(CELLS)
    rates = []
    for noise in coins.choice(values, p=chances / chances.sum(), size=(RUNS, CELLS)):
        question = RuledQuestion(
            asked, BIG, [Noisy(tuple((TRUTHS + noise).tolist()))], [LAW], ALPHA
        )
        plain = question.answer(ALPHA)
        places = places_shown(asked, plain)
        answer = answer_shown(question, plain, places)
        true = TRUTHS[places]
        missed = (np.array(answer.low) > true) | (np.array(answer.high) < true)
        shows[places] += 1
        hits[places] += missed
        rates.append(missed.mean() if places else 0.0)
    return np.array(rates), hits, shows


@pytest.mark.claim("C456")
@pytest.mark.slow
@pytest.mark.parametrize("coverage", ["rate", "marginal", "conditional"])
def test_each_coverage_is_kept_by_3000_releases(coverage):
    """And each is seen not to be the others; a false alarm of |z| < 5 is below 1e-6 in each."""
    rates, hits, shows = simulated(coverage)
    often = shows >= 50
    z = (hits - float(ALPHA) * shows) / np.sqrt(shows * 0.09 + 1e-9)

    if coverage == "rate":
        assert (rates.mean() - float(ALPHA)) / (rates.std() / RUNS**0.5) < 5
    if coverage == "marginal":
        assert ((hits / RUNS - float(ALPHA)) / (0.3 / RUNS**0.5)).max() < 5
        assert (rates.mean() - float(ALPHA)) / (rates.std() / RUNS**0.5) > 5
        assert (hits[often] / shows[often]).max() > 0.7  # of what is seldom shown .85 is missed
    if coverage == "conditional":
        assert z[often].max() < 5


PLAN_RULES = [{"at_least": 100, "most": 3}, {"at_least": 100, "coverage": "conditional"}, {"within": "9%"}]  # fmt: skip


@pytest.mark.claim("C582")
def test_most_of_a_plan_is_for_the_counts_beside_a_mean():
    """The mean has the threshold alone; so has a count by keys that nobody knows."""
    asked = dp.mean("size", by="page"), dp.count(by="page"), dp.count(by="page", distinct="page")
    plan = dp.plan(TABLE, *asked, spend=dp.zcdp(1), publish=PLAN_RULES[0])
    rules = [line.statistic.ask.publish.plain() for line in plan.lines]

    assert rules == [{"at_least": "100"}, {"at_least": "100", "most": 3}, {"at_least": "100"}]
    with pytest.raises(InputError, match="has most = 3") as caught:
        dp.plan(TABLE, asked[0], spend=dp.zcdp(1), publish=PLAN_RULES[0])
    assert "leave most out" in str(caught.value)


@pytest.mark.claim("C582")
@pytest.mark.parametrize("rule", PLAN_RULES, ids=str)
@pytest.mark.parametrize("name", sorted(LISTED))
def test_a_plan_with_a_rule_keeps_it_for_all_or_says_which_question_takes_none(name, rule):
    """In three lines, with what to take in its place; beside it a count would keep the rule."""
    for options in LISTED[name].examples(TABLE):
        by = {"tables": [["page"]], "cube": ["page"]}.get(name, "page")
        asked = LISTED[name].ask(**options, by=by)
        try:
            plan = dp.plan(TABLE, asked, dp.count_units(), spend=dp.zcdp(1), publish=rule)
        except InputError as error:
            what, why, fix = str(error).split("\n")
            assert asked.label in what
            assert "rule from the plan" in fix or "coverage" in fix
            assert why.strip() != "why: each rule looks at one number alone;"
            continue
        assert all(line.statistic.ask.publish for line in plan.lines)


@pytest.mark.claim("C582")
def test_a_rule_of_a_plan_file_is_for_cells_that_are_too_many_to_list(tmp_path):
    """And what takes none is refused at the rule, with what to take out there."""
    text = (
        '[data]\nsource = "views.csv"\nunit = "row"\n[columns.size]\nlower = 0\nupper = 9\nstep = 1\n'
        "[keys]\npage = { from = 1, to = 100000 }\nhour = { from = 1, to = 10000 }\n"
        '[publish]\nat_least = 100\nmost = 10\n[spend]\nrho = 0.02\nledger = "views.ledger"\n'
    )
    count = '[[ask]]\nstatistic = "count"\nby = ["page", "hour"]\n'
    mean = '[[ask]]\nstatistic = "{}"\ncolumn = "size"\n'
    path = tmp_path / "a.toml"
    path.write_text(text + count + mean.format("mean"))
    rules = [line.statistic.ask.publish.plain() for line in read_plan_file(path).plan.lines]
    assert rules == [{"at_least": "100", "most": 10}, {"at_least": "100"}]

    for asked, at, fix in (
        (count + mean.format("median"), ", publish: ", "take the rule from the plan"),
        (mean.format("mean"), ", publish, most: ", "remove most"),
        (count.replace("by =", "publish = { at_least = 1, most = 2 }\nby ="), "", "at_least = 3"),
    ):
        path.write_text(text + asked)
        with pytest.raises(InputError, match=r"a\.toml") as caught:
            read_plan_file(path)
        assert at in str(caught.value)
        assert fix in str(caught.value)


PEOPLE = dp.table(
    [],
    unit="row",
    name="t",
    columns={"wage": dp.bounds(0, 100, step=1), "age": dp.bounds(0, 100, step=1)},
    keys={"ward": ["A", "B"]},
)
TRIED = [
    (name, at)
    for name, listed in sorted(LISTED.items())
    for at, _ in enumerate(listed.examples(PEOPLE))
]


def tried(name, at):
    """A listed statistic's own example, with a rule; or why it takes none."""
    options = dict([*LISTED[name].examples(PEOPLE)][at])
    by = [["ward"]] if name == "tables" else ["ward"]
    try:
        asked = statistic_of(
            {"statistic": name, **options, "by": by, "publish": {"at_least": "10"}}
        )
        return dp.plan(PEOPLE, asked, spend=dp.zcdp(1), alpha="0.05"), None
    except InputError as refused:
        return None, refused


@pytest.mark.claim("C655")
@pytest.mark.parametrize(("name", "at"), TRIED)
def test_a_statistic_says_what_a_rule_looks_at_or_is_refused_with_a_reason(name, at):
    """Words speak of noisy rows exactly where the answer has them beside its numbers, since a rule
    looks at these and else at the number. Who says nothing of rules is tried, too."""
    plan, refused = tried(name, at)
    if plan is None:
        is_option = refused.kind == "publication-rule"  # tables of a list have no such option
        assert is_option or refused.kind == "wrong-call"
        assert ("looks at one number alone; " in refused.why) == is_option
        return
    (line,) = plan.lines
    noisy = [Noisy((50,) * vector.size(PEOPLE)) for vector in line.aggregates]
    answer = line.statistic.answer(PEOPLE, noisy, line.laws, Fraction(1, 20))
    words = rule_words(line.statistic, Fraction(1, 20), together=False)

    assert ("shown from 10 noisy rows on" in words) == (answer.rows is not None)
    assert (line.statistic.telling().rule == "rows") == (answer.rows is not None)


def test_of_the_listed_statistics_some_take_a_rule_and_some_do_not():
    """So that the test above looks at both."""
    taken = {name for name, at in TRIED if tried(name, at)[0] is not None}

    assert {"count", "sum", "mean", "variance", "histogram"} <= taken
    assert not taken & {"cube", "tables", "median", "choose", "regression"}


@pytest.mark.claim("C655")
def test_of_numbers_between_bounds_no_law_is_known_from_a_threshold_on():
    """What is moved to a bound has its noise no longer; a plain count has it."""
    rule = {"at_least": "10", "coverage": "conditional"}

    assert dp.plan(PEOPLE, dp.count(by="ward", publish=rule), spend=dp.zcdp(1))
    with pytest.raises(InputError, match="conditional"):
        dp.plan(PEOPLE, dp.count(by="ward", between=(0, 99), publish=rule), spend=dp.zcdp(1))
