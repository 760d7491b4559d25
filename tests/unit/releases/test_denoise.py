"""Cleaning a release: what it takes, shows, keeps and writes, and that it reads nothing else."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import discreet as dp
from discreet.document.regular import csv_rows
from discreet.document.rows import rows_of
from discreet.errors import InputError
from discreet.noise.registry import law_of
from discreet.releases.release import Release
from unit.report_documents import hostile, made, small

COINS = np.random.default_rng(41)
STATES = [f"S{i:02}" for i in range(60)]
TABLE = dp.table(
    [], unit="row", keys={"state": STATES}, columns={"x": dp.bounds(0, 64, step=1)}, name="t"
)
PLAN = dp.plan(
    TABLE,
    dp.count(by="state"),
    dp.histogram("x", bins=64),
    dp.mean("x"),
    spend=dp.zcdp("1/100"),
)


def alike():
    """Return a release of 60 equal counts and a histogram with two levels, and a mean."""
    document = made(PLAN, rehearsal=True)
    truths = [np.full(60, 100), np.repeat([10, 300], 32)]
    found = list(document.statistics)
    for at, truth in enumerate(truths):
        sigma = float(Fraction(found[at].vectors[0].noise["sigma2"])) ** 0.5
        noisy = [int(n) for n in np.round(truth + sigma * COINS.standard_normal(truth.size))]
        vector = found[at].vectors[0].model_copy(update={"noisy": noisy})
        size = law_of(vector.noise).half_width(Fraction(document.alpha))
        rows = [
            [*row[:-3], n, max(0, n - size), max(0, n + size)]
            for row, n in zip(found[at].answer.rows, noisy, strict=True)
        ]
        answer = found[at].answer.model_copy(update={"rows": rows_of(rows)})
        found[at] = found[at].model_copy(update={"vectors": [vector], "answer": answer})
    return Release(document.model_copy(update={"statistics": found}))


RELEASE = alike()


def check_raw_stands(release, cleaned):
    """Refuse a cleaned table in which a released number or its interval is another."""
    table, columns = cleaned.table(), ("statistic", "value", "low", "high")
    raw = zip(*(release.table().column(name) for name in columns), strict=True)
    kept = [row for row in raw if row[0] in table.column("statistic")]
    assert list(zip(*(table.column(name) for name in columns), strict=True)) == kept


def test_progress_hears_of_each_statistic_and_denoiser():
    """The hook hears the statistic and the candidate, its place from 1 on and the number."""
    heard = []
    dp.denoise(RELEASE, progress=lambda *one: heard.append(one))
    labels = dict.fromkeys(name.split(": ")[0] for name, _, _ in heard)

    assert list(labels) == ["count by state", "histogram x"]
    assert heard[0] == ("count by state: raw", 1, 6)
    for label in labels:
        places = [(place, count) for name, place, count in heard if name.startswith(label)]
        assert places == [(place, len(places)) for place in range(1, len(places) + 1)]


def test_counts_are_cleaned_and_a_mean_stays_as_released():
    """Equal counts are drawn together, two levels are found, and the words say what was done."""
    found = dp.denoise(RELEASE)
    counts, levels = found.statistics

    assert np.std(counts.values) < 2
    assert np.abs(np.array(levels.values) - np.repeat([10, 300], 32)).max() < 12
    assert levels.error < levels.raw_error / 2
    assert "often too low" in counts.words
    assert found.kept == ("mean x",)
    text = str(found)
    assert "mean x" in text.split("means of several columns are cleaned")[1]
    assert "cost no privacy" in text
    assert counts.denoiser in text
    assert text.split()[1] == "REHEARSAL"
    assert "<table>" in found._repr_html_()


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.claim("C32")
@pytest.mark.parametrize("interval", ["raw", "average"])
@pytest.mark.parametrize("how", ["auto", "james_stein_zero", "trend_filter_0"])
def test_the_raw_number_and_its_interval_stand_beside_each_cleaned_one(how, interval):
    """Whatever was taken, the table begins with the release's own rows."""
    for release in (RELEASE, Release(small())):
        check_raw_stands(release, dp.denoise(release, how, interval=interval, known="nonnegative"))


@pytest.mark.claim("C32")
def test_an_interval_that_follows_the_cleaned_number_is_caught():
    """The planted fault: "estimate +- 1.96 sigma" in the place of the raw interval."""
    found = dp.denoise(RELEASE, "james_stein_mean")
    table = found.table()
    for at, row in enumerate(table.rows):
        half = (row[-5] - row[-6]) // 2
        table.rows[at] = (*row[:-6], int(row[-4]) - half, int(row[-4]) + half, *row[-4:])

    class Moved:
        def table(self):
            return table

    with pytest.raises(AssertionError):
        check_raw_stands(RELEASE, Moved())


WATCHED = """
import sys
from pathlib import Path
import discreet as dp
from discreet.report import cleaning, bundle
opened = []
own = (str(Path(dp.__file__).parent), sys.prefix, sys.base_prefix, "/proc", "/sys", "/dev", "/etc")
def hear(event, details):
    if event == "sqlite3.connect" or event.startswith("socket"):
        opened.append(event)
    elif event == "open" and isinstance(details[0], str) and not details[0].startswith(own):
        opened.append(Path(details[0]).name)
sys.addaudithook(hear)
{act}
print(*sorted(set(opened)))
"""
CLEAN = 'dp.denoise("r.json", interval="average").save("out.csv")'


def watched(act, folder):
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.format(act=act)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.claim("C31")
@pytest.mark.slow
def test_cleaning_opens_the_release_and_nothing_else(tmp_path):
    """No data, no ledger and no network are there to be asked, and none is looked for."""
    (tmp_path / "r.json").write_text(RELEASE.document.text())
    before = (tmp_path / "r.json").read_bytes()

    assert watched(CLEAN, tmp_path) <= {"r.json", "out.csv"}
    assert (tmp_path / "r.json").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"r.json", "out.csv"}


@pytest.mark.claim("C31")
@pytest.mark.slow
def test_a_cleaner_that_asks_a_ledger_or_the_data_is_caught(tmp_path):
    """The planted fault: the watch sees a ledger and a table of data."""
    (tmp_path / "r.json").write_text(RELEASE.document.text())
    peek = 'dp.ledger("a.ledger", budget=dp.pure(1)); open("people.csv", "w")\n'

    assert {"sqlite3.connect", "people.csv"} <= watched(peek + CLEAN, tmp_path)


@pytest.mark.claim("C31")
def test_the_same_public_numbers_give_the_same_answer_again():
    """A choice has no coins: twice the same, from a loaded copy too."""
    first, again = dp.denoise(RELEASE), dp.denoise(Release(RELEASE.document))

    assert first.table().rows == again.table().rows


def test_what_is_publicly_known_is_kept():
    """Not below zero, and a total: each as it was stated, and said; whole numbers anyway."""
    label = "count by state"
    found = dp.denoise(RELEASE, known="nonnegative", totals={label: 6001})
    counts = found.statistics[0].values

    assert sum(counts) == 6001
    assert all(isinstance(value, int) and value >= 0 for value in counts)
    assert "count by state adds up to 6001" in str(found)
    assert found.table().kinds[-4] == "whole"


def test_intervals_that_hold_on_average_are_named_and_never_longer():
    """They stand in columns of their own, with what they promise."""
    found = dp.denoise(RELEASE, interval="average")
    table = found.table()
    raw = np.subtract(table.column("high"), table.column("low"))
    average = np.subtract(table.column("average_high"), table.column("average_low"))

    assert np.all(average <= raw + 1e-6)
    assert np.mean(average[:60]) < 0.8 * np.mean(raw[:60])
    assert "At least 95 % of the average intervals hold their truth" in str(found)
    assert "95 % on average" in str(found)


def test_the_csv_can_run_nothing_and_reads_back(tmp_path):
    """Hostile keys are guarded as in the release's own CSV, and nothing is written over."""
    found = dp.denoise(Release(hostile()), "raw")
    place = found.save(tmp_path / "cleaned.csv")
    text = place.read_bytes().decode("utf-8")
    table = found.table()

    assert csv_rows(text, table.kinds) == (table.columns, table.rows)
    assert '"=' not in text
    assert place.stat().st_mode & 0o077 == 0
    for bad in (place, tmp_path / "no" / "c.csv", tmp_path / ("x" * 300), tmp_path / "a\0b"):
        with pytest.raises(InputError):
            found.save(bad)


def test_key_columns_with_our_names_are_renamed():
    """A key column `cleaned` or `Error` does not hide ours."""
    keys = {"cleaned": ["a", "b"], "Error": [1, 2]}
    table = dp.table([], unit="row", keys=keys, name="t")
    asked = dp.plan(table, dp.count(by=["cleaned", "Error"]), spend=dp.pure(1))

    columns = dp.denoise(Release(made(asked)), "raw").table().columns
    assert columns[1:3] == ("cleaned (key)", "Error (key)")
    assert len({name.casefold() for name in columns}) == len(columns)


def test_a_few_numbers_far_apart_are_kept_raw():
    """One count, or three: nothing can be learned from so few, and nothing is promised."""
    found = dp.denoise(Release(small()))

    assert found.statistics[1].denoiser == "raw"
    assert "kept raw" in found.statistics[1].words
    assert found.statistics[1].values == (-901,)


def test_numbers_too_large_for_a_float_stay_whole_when_kept():
    """Raw is raw, to the last digit."""
    table = dp.table([], unit="row", keys={"k": ["a", "b"]}, name="t")
    document = made(dp.plan(table, dp.count(by="k"), spend=dp.pure(1)))
    vector = document.statistics[0].vectors[0].model_copy(update={"noisy": [2**60 + 1, 3]})
    one = document.statistics[0].model_copy(update={"vectors": [vector]})
    found = dp.denoise(Release(document.model_copy(update={"statistics": [one]})), "raw")

    assert found.statistics[0].values == (2**60 + 1, 3)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"how": "median"}, "no denoiser 'median'"),
        ({"how": "tree_wavelets_sure"}, "fits none"),
        ({"interval": "naive"}, "no interval 'naive'"),
        ({"known": ["positive"]}, "no fact 'positive'"),
        ({"totals": {"count by ward": 3}}, "no counts 'count by ward'"),
        ({"totals": {"mean x": 3}}, "no counts 'mean x'"),
        ({"totals": {"count by state": "many"}}, "many"),
        ({"known": ["whole"]}, "whole numbers anyway"),
        ({"totals": {"count by state": "1/2"}}, "cannot have the total"),
        ({"totals": {"count by state": -1}, "known": "nonnegative"}, "cannot have the total"),
        ({"totals": {"count by state": -3}}, "cannot have the total"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused(options, what):
    """Each in three lines, with what there is."""
    with pytest.raises(InputError, match=what):
        dp.denoise(RELEASE, **options)


def test_a_release_without_counts_is_refused():
    """A mean alone is not cleaned."""
    asked = dp.plan(TABLE, dp.mean("x"), spend=dp.pure(1))

    with pytest.raises(InputError, match="no counts to clean"):
        dp.denoise(Release(made(asked)))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raw", "kept raw, as asked: its error is"),
        ("empirical_bayes", "kept raw, which empirical_bayes does not change here: its error is"),
    ],
)
def test_numbers_that_a_named_denoiser_leaves_are_told_of(how, said):
    """Three counts show no prior: they stay as they are, and nobody asked for that."""
    few = dp.table([], unit="row", keys={"state": STATES[:3]}, name="t")
    document = made(dp.plan(few, dp.count(by="state"), spend=dp.zcdp("1/100")), rehearsal=True)
    cleaned = dp.denoise(Release(document), how)

    assert cleaned.statistics[0].words.startswith(said)
