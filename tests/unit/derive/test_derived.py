"""Between released numbers: what is made, what is refused, and that anybody can make it again."""

import json
import shutil
from fractions import Fraction

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.derive import derived
from discreet.document.document import canonical
from discreet.errors import InputError, VerifyError
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.registry import law_of
from discreet.post.together import level_for
from discreet.post.two_shares import SHARES, differences
from discreet.releases.document import compose
from discreet.releases.release import Release

ROWS = [
    {"ward": "ABC"[i % 3], "sex": "mf"[i % 2], "age": i % 60, "pay": (i * 37) % 100}
    for i in range(900)
]


def declared(**options):
    return dp.table(
        ROWS,
        unit="row",
        name="people",
        keys={"ward": list("ABC"), "sex": ["m", "f"]},
        columns={"age": dp.bounds(0, 60, step=1), "pay": dp.bounds(-20, 100, step="0.5")},
        **options,
    )


@pytest.fixture(scope="module")
def release():
    questions = [
        dp.count(by=["ward", "sex"]),
        dp.sum("age", by="ward"),
        dp.mean("age", by="ward"),
        dp.histogram("age", bins=6),
        dp.count(by="ward"),
        dp.sum("pay", by="ward"),
        dp.mean(["age", "pay"], by="ward"),
    ]
    return dp.rehearse(dp.plan(declared(), *questions, spend=dp.zcdp("1/2")))


NAME = "count by ward and sex"


def noisy(release, name):
    return release[name].document.statistics[0].vectors[0].noisy


def test_a_total_adds_the_noisy_integers(release):
    """By ward, of all, of some, and of bins; its interval is that of the sum."""
    cells = noisy(release, NAME)
    by_ward = release.total(NAME, by="ward")

    assert by_ward.values == [cells[at] + cells[at + 1] for at in (0, 2, 4)]
    assert release.total(NAME).values == [sum(cells)]
    assert release.total(NAME, only={"ward": ["A", "C"], "sex": "m"}).values == [
        cells[0] + cells[4]
    ]
    bins = noisy(release, "histogram age")
    assert release.total("histogram age", only={"age": (10, 30)}).values == [sum(bins[1:3])]
    assert by_ward.rows[0]["ward"] == "A"
    (one,) = release.total(NAME)
    each = release[NAME].rows[0]
    assert one["high"] - one["value"] < 3 * (each["high"] - each["value"])


def test_differences_of_groups_of_statistics_and_of_means(release):
    """Counts by their own noise, sums in their measure, means by less than both intervals added."""
    cells, counts = noisy(release, NAME), noisy(release, "count by ward")
    found = release.difference(NAME, {"sex": "m"}, {"sex": "f"})
    assert found.values == [cells[at] - cells[at + 1] for at in (0, 2, 4)]
    assert release.difference("count by ward", "A", "B").values == [counts[0] - counts[1]]
    other = release.difference("sum age by ward", other="count by ward")
    assert other.values == [
        a - b for a, b in zip(noisy(release, "sum age by ward"), counts, strict=True)
    ]
    pay = release.difference("sum pay by ward", other="sum age by ward")
    steps = zip(noisy(release, "sum pay by ward"), noisy(release, "sum age by ward"), strict=True)
    assert pay.values == [a / 2 - b for a, b in steps]
    (apart,) = release.difference("mean age by ward", "A", "B")
    a, b = release["mean age by ward"].rows[:2]
    assert apart["value"] == a["value"] - b["value"]
    assert (
        a["low"] - b["high"] < apart["low"] < apart["value"] < apart["high"] < a["high"] - b["low"]
    )


def test_other_intervals_keep_the_numbers(release):
    """A changed alpha moves the ends alone; all at once is wider than one by one."""
    for name in release:
        before, narrow = release[name], release.intervals(name, alpha="0.4")
        joint = release.intervals(name, together=True)
        assert joint.values == narrow.values == before.values
        rows = zip(before, narrow, joint, strict=True)
        assert all(j["low"] <= b["low"] <= n["low"] for b, n, j in rows)
    every = release.intervals(alpha="0.01", together=True)
    assert len(every.table()) == len(release.table())
    assert every.alpha == Fraction(1, 100)


def test_a_joint_interval_of_a_vector_shares_what_shares_noise(release):
    """The two means of a group share its noisy count: their alpha is halved, within the group."""
    name = "mean (age, pay) by ward"
    joint = release.intervals(name, together=True)
    single = release.intervals(name, alpha=str((1 - Fraction(95, 100)) / 6 * Fraction(104, 100)))

    assert all(j["low"] <= s["low"] for j, s in zip(joint, single, strict=True))


def test_a_ratio_of_nothing_is_not_shown():
    """Groups in which nobody is: too few to say, an interval without an end, and a picture."""
    table = dp.table([], unit="row", name="empty", keys={"ward": list("ABCD")})
    counts = dp.count(by="ward"), dp.count(by="ward", weight=2)
    plan = dp.plan(table, *counts, spend=dp.zcdp("1/50"))
    noisy = [Noisy((0, -3, 1, 2)), Noisy((0, 1, -2, 0))]
    made = compose(plan, noisy, request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    release = Release(made)
    found = release.ratio("count by ward (1)", "count by ward (2)")

    assert found.values == [None] * 4
    assert found.high == [None] * 4
    assert "too few to say" in str(found)
    assert found.plot()._repr_png_()[0].startswith(b"\x89PNG")
    assert found.to_pandas()["high"].isna().all()


def test_public_numbers_alone_say_whether_a_law_can_be_summed(release):
    """The law is that of the document: one half as wide gives a narrower total."""
    vector = release[NAME].document.statistics[0].vectors[0]
    assert law_of(vector.noise).half_width(Fraction(1, 20)) * 6 > (
        release.total(NAME).high[0] - release.total(NAME).values[0]
    )


@pytest.mark.claim("C460")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda r: r.total("mean age by ward"), "do not add up"),
        (lambda r: r.total("count by ward", by="wrad"), "not laid out by wrad"),
        (lambda r: r.total("count by ward", only={"ward": "Z"}), "selects nothing"),
        (lambda r: r.total("count by ward", only={"ward": True}), "selects nothing"),
        (lambda r: r.total("count by ward", only=[["A"]]), "selects nothing"),
        (lambda r: r.total("count by ward", only={"ward": {"A": "B"}}), "selects nothing"),
        (lambda r: r.difference("count by ward", "A", [[]]), "selects nothing"),
        (lambda r: r.total("histogram age", only={"age": (5, 30)}), "selects nothing"),
        (lambda r: r.total("nothing"), "no statistic"),
        (lambda r: r.difference("count by ward"), "two parts"),
        (lambda r: r.difference("count by ward", "A"), "two parts"),
        (lambda r: r.difference("count by ward", "A", "A"), "have numbers in common"),
        (lambda r: r.difference("mean age by ward", "A", "A"), "have numbers in common"),
        (lambda r: r.difference(NAME, "A", "B"), "of which axis"),
        (lambda r: r.difference(NAME, {"ward": "A"}, {"sex": "m"}), "have numbers in common"),
        (lambda r: r.difference("count by ward", other=NAME), "do not have the same layout"),
        (
            lambda r: r.difference("mean age by ward", {"ward": ["A", "B"]}, "C"),
            "not add up to one number",
        ),
        (lambda r: r.ratio("count by ward", "sum pay by ward"), "nothing can be divided"),
        (lambda r: r.ratio(NAME, NAME), "would be divided by itself"),
        (lambda r: r.ratio(NAME, NAME, by=[]), "would be divided by itself"),
        (lambda r: r.share("sum age by ward"), "no shares"),
        (lambda r: r.share("count by ward", "ward"), "the whole of its group"),
        (lambda r: r.intervals(alpha=1), "at most 1/2"),
        (lambda r: r.total("count by ward", alpha="1e-13"), "below 10^-12"),
        (lambda r: r.save("never", also=["a total"]), "'a total' was not derived from this"),
        (lambda r: r.save("never", also="share"), "'share' was not derived from this release"),
        (lambda r: r.save("never", also=3), "3 was not derived from this release"),
        (lambda r: r.save("never", also=None), "None was not derived from this release"),
    ],
)
def test_what_cannot_be_made_is_refused_in_three_lines(release, make, words):
    """Before anything is computed, with what to write instead."""
    with pytest.raises(InputError) as refused:
        make(release)
    assert words in str(refused.value)
    assert len(str(refused.value).splitlines()) == 3


def test_one_set_of_derived_numbers_needs_no_list(release, tmp_path):
    """It is kept as a list of one is."""
    total = release.total("count by ward")
    single = release.save(tmp_path / "single.release", also=total)
    listed = release.save(tmp_path / "listed.release", also=[total])

    for name in ("derived.json", "derived.csv"):
        assert (single / name).read_bytes() == (listed / name).read_bytes()


@pytest.mark.claim("C412")
@pytest.mark.parametrize("name", ["count by ward", "mean age by ward", NAME, "histogram age"])
def test_a_difference_with_one_side_is_answered_with_one_that_can_be_typed(release, name):
    """Two keys that are there, with their axis where there are several; as it stands it is taken."""
    for sides in ((), ("A",)):
        with pytest.raises(InputError, match="two parts of one statistic") as refused:
            release.difference(name, *sides)
        typed = refused.value.fix.removeprefix("write ").partition(", or name another")[0]
        made = eval(typed, {"release": release})
        assert made.recipe["of"] == name
    with pytest.raises(InputError, match="there is no statistic 'A'"):
        release.difference("A", "B")


@pytest.mark.claim("C412")
def test_a_difference_of_one_number_is_answered_with_another_statistic():
    """It has no keys: what is compared with it is said in words."""
    table = dp.table([{"a": 1}], unit="row", name="t")
    whole = dp.rehearse(dp.plan(table, dp.count(), spend=dp.zcdp(1)))
    with pytest.raises(InputError, match="two parts of one statistic") as refused:
        whole.difference("count")
    assert refused.value.fix == "name another statistic as the other one"


def test_shares_of_a_public_number_are_the_counts_over_it(release):
    """Document 002: k / n with n known, and its interval from the noise of k alone, all at once."""
    counts = release["count by ward"]
    found = release.share("count by ward", known=900)
    joint = release.share("count by ward", known=900, together=True)

    assert found.values == [count / 900 for count in counts.values]
    ends = zip(found.low, found.high, counts.low, counts.high, strict=True)
    for low, high, a, b in ends:  # rounded outward
        assert a / 900 * (1 - 1e-15) <= low <= a / 900
        assert min(1, b / 900) <= high <= b / 900 * (1 + 1e-15)
    assert all(j < f for j, f in zip(joint.low, found.low, strict=True))
    assert release.share("count by ward", known=1).values == [1.0] * 3
    with pytest.raises(InputError, match="known"):
        release.share("count by ward", known=0)


@pytest.fixture(scope="module")
def once(release, tmp_path_factory):
    derived = [
        release.total(NAME, by="ward", only={"sex": "f"}),
        release.total("histogram age", only={"age": (10, 30)}),
        release.difference(NAME, {"sex": "m"}, {"sex": "f"}, together=True),
        release.difference("mean age by ward", "A", "B"),
        release.difference("count by ward", other="sum age by ward"),
        release.ratio(NAME, "count by ward", by=["ward", "sex"]),
        release.share(NAME, "ward", alpha="0.1"),
        release.share(NAME, known=900),
        release.intervals(together=True),
    ]
    return release.save(tmp_path_factory.mktemp("derived") / "people.release", also=derived)


@pytest.fixture
def saved(once, tmp_path):
    return shutil.copytree(once, tmp_path / "people.release")


@pytest.mark.slow
@pytest.mark.claim("C64")
def test_verify_makes_what_was_derived_again(saved):
    """derived.json is checked with the rest of the folder, and in a zip."""
    assert any("derived.json" in check for check in dp.verify(saved).checks)


@pytest.mark.slow
@pytest.mark.claim("C64")
@pytest.mark.parametrize(
    "what", ["value", "alpha", "label", "recipe", "digest", "more", "list", "flag"]
)
def test_a_changed_derived_file_does_not_check(saved, what):
    """A number, an alpha, a name, a recipe, the plan's digest, or what no recipe makes."""
    path = saved / "derived.json"
    plain = json.loads(path.read_text())
    one = plain["derived"][0]
    if what == "value":
        one["answers"][0]["rows"][0][-3] += 1
    elif what == "alpha":
        one["recipe"]["alpha"] = "1/2"
    elif what == "label":
        one["answers"][0]["label"] = "everybody"
    elif what == "flag":
        one["recipe"]["together"] = 0
    elif what == "recipe":
        one["recipe"]["derive"] = "product"
    elif what == "digest":
        plain["digest"] = "0" * 64
    elif what == "more":
        one["answers"].append(one["answers"][0])
    else:
        plain = [plain]
    path.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")) + "\n")
    with pytest.raises(VerifyError):
        dp.verify(saved)


@pytest.mark.slow
@pytest.mark.claim("C64")
def test_each_kind_of_difference_is_made_again_and_a_narrower_one_found(tmp_path):
    """Interval by interval: moved in by a thousandth of its width, beside a report that was not."""
    by = {"bins": 20, "by": "ward"}
    questions = {
        "mean": dp.mean("age", by="ward"),
        "variance": dp.variance("age", by="ward"),
        "std": dp.std("age", by="ward"),
        "median": dp.median("age", **by),
        "chosen": dp.median("age", method="choice", **by),
        "covariance": dp.covariance(["age", "pay"], by="ward"),
    }
    made = dp.rehearse(dp.plan(declared(), *questions.values(), spend=dp.zcdp(2)))
    names = [one.label for one in questions.values()]
    found = [made.difference(name, "A", "B", alpha="0.1") for name in names]
    path = tmp_path / "r"
    made.save(path, also=found)
    assert any("derived.json" in check for check in dp.verify(path).checks)
    text, table = (path / "derived.json").read_text(), (path / "derived.csv").read_text()
    assert all(f"{one.document.statistics[0].label}, 90 %" in table for one in found)
    (path / "derived.csv").write_text(table.replace("90 %", "95 %"))
    with pytest.raises(VerifyError):
        dp.verify(path)
    (path / "derived.csv").write_text(table)
    for at in range(len(names)):
        plain = json.loads(text)
        row = plain["derived"][at]["answers"][0]["rows"][0]
        assert row[-2] < row[-1]
        row[-1] -= (row[-1] - row[-2]) / 1000
        changed = json.dumps(plain, sort_keys=True, separators=(",", ":")) + "\n"
        (path / "derived.json").write_text(changed)
        with pytest.raises(VerifyError):
            dp.verify(path)


@pytest.mark.claim("C166")
def test_a_difference_of_choices_is_told_where_both_of_their_intervals_are():
    """At one in ten both ends of either; at one in twenty nothing, and the numbers say why."""
    question = dp.median("age", by="ward", method="choice")
    made = dp.rehearse(dp.plan(declared(), question, spend=dp.zcdp(2)))
    a, b, _ = made[question.label].rows
    (wide,) = made.difference(question.label, "A", "B")
    (told,) = made.difference(question.label, "A", "B", alpha="0.1")
    assert (wide["low"], wide["high"]) == (-60, 60)
    assert (told["low"], told["high"]) == (a["low"] - b["high"], a["high"] - b["low"])
    assert 'alpha="0.1"' in str(made.difference(question.label, "A", "B"))
    assert 'alpha="0.1"' not in str(made.difference(question.label, "A", "B", alpha="0.1"))


@pytest.mark.claim("C63")
def test_numbers_of_one_vector_share_out_their_level_by_adding_up():
    """A count and a mean that are counted as one vector are not independent of each other."""
    columns = {"age": dp.bounds(0, 60, step=1, missing=30)}
    table = dp.table(ROWS, unit="row", name="people", keys={"ward": list("ABC")}, columns=columns)
    asked = [dp.count(by="ward", within=20), dp.mean("age", by="ward", within="2", rows=300)]
    made = dp.rehearse(dp.plan(table, *asked, kind="zcdp"))
    assert made.document.statistics[0].vectors[0].times is not None
    level = derived._level(made.document, [one.label for one in asked], Fraction(1, 20))
    assert [each for *_, each in derived._lines(made.document, [one.label for one in asked])] == [
        2,
        2,
    ]
    assert level == level_for(3, Fraction(1, 20))  # of groups; each number has half of it


@pytest.mark.claim("C82")
def test_shares_of_a_public_number_are_of_rows_where_counts_share_a_vector():
    """Its integers are many times the rows: they were taken for rows, and each share told as 1."""
    columns = {"age": dp.bounds(0, 60, step=1, missing=30)}
    table = dp.table(ROWS, unit="row", name="people", keys={"ward": list("ABC")}, columns=columns)
    asked = [dp.count(by="ward", within=20), dp.mean("age", by="ward", within="2", rows=300)]
    made = dp.rehearse(dp.plan(table, *asked, kind="zcdp"))
    (vector,) = made.document.statistics[0].vectors
    known = 10 * max(1, *map(abs, vector.noisy))  # rows

    found = made.share("count by ward", known=known)
    half = law_of(vector.noise).half_width(Fraction(1, 20))
    ends = [
        [float(min(max(Fraction(n + off, vector.times * known), 0), 1)) for n in vector.noisy]
        for off in (-half, 0, half)
    ]

    assert vector.times > 1
    assert found.values == ends[1]
    assert np.allclose([found.low, found.high], [ends[0], ends[2]], rtol=1e-12)


@pytest.mark.claim("C64")
def test_what_was_derived_of_another_release_is_not_saved_beside_this(release, tmp_path):
    """The same plan with other numbers has the same digest: the numbers are compared, too."""
    other = dp.rehearse(dp.plan(declared(), dp.count(by="ward"), spend=dp.zcdp("1/9999")))
    derived = dp.rehearse(dp.plan(declared(), dp.count(by="ward"), spend=dp.zcdp("1/9999")))
    if other.total("count by ward").values == derived.total("count by ward").values:
        pytest.skip("two draws were equal")
    with pytest.raises(InputError, match="not derived"):
        derived.save(tmp_path / "x", also=[other.total("count by ward")])


def test_a_difference_beyond_all_that_is_possible_lies_at_the_end():
    """Noise may put both ends of an interval beyond it; then none of them is turned around."""
    law = DiscreteLaplace(Fraction(1))
    for sign in (1, -1):
        one, two = ([40_000], [-600]), ([-600], [40_000])
        sides = (one, two) if sign == 1 else (two, one)
        apart = (np.array([1.02 * sign]), np.array([1.03 * sign]))
        low, high = differences(*sides, tuple(sorted(apart)), (SHARES, law), Fraction(1, 20))
        assert (low[0], high[0]) == (sign, sign)


@pytest.mark.slow
@pytest.mark.claim("C64")
@pytest.mark.parametrize("table", ["statistic,value\n", ""])
def test_a_derived_file_of_nothing_makes_no_table(saved, tmp_path, table):
    """A table beside it says something that it does not; an empty one says no more than it."""
    path = tmp_path / "nothing.release"
    shutil.copytree(saved, path)
    plain = json.loads((path / "derived.json").read_text())
    text = canonical({**plain, "derived": []}) + "\n"
    (path / "derived.json").write_text(text)
    (path / "derived.csv").write_text(table)

    if table:
        with pytest.raises(VerifyError, match=r"derived\.csv"):
            dp.verify(path)
    else:
        assert dp.verify(path)


@pytest.fixture(scope="module")
def persons():
    """Persons in up to three wards, one of them with an accent."""
    wards = ["Nord", "S\xfcd", "Ost"]
    rows = [{"who": n, "ward": w, "pay": 1} for n in range(200) for w in wards[: 1 + n % 3]]
    table = dp.table(
        rows,
        unit=dp.unit("who", max_rows=3),
        name="p",
        keys={"ward": wards},
        columns={"pay": dp.bounds(0, 9, step=1)},
    )
    asked = [
        dp.count_units(by="ward"),
        dp.count(by="ward"),
        dp.median("pay", by="ward"),
        dp.count_units(by="ward", max_groups=1),
    ]
    return dp.rehearse(dp.plan(table, *asked, spend=dp.zcdp(1)))


SEVERAL = "A unit that is in several groups counts in each of them"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("made", "is_said"),
    [
        (lambda r: r.total("count_units by ward (1)"), True),
        (lambda r: r.share("count_units by ward (1)"), True),
        (lambda r: r.ratio("count by ward", "count_units by ward (1)", by=[]), True),
        (lambda r: r.ratio("count_units by ward (1)", "count by ward", by=[]), True),
        (lambda r: r.difference("count_units by ward (1)", ["Nord", "Ost"], "S\xfcd"), True),
        (lambda r: r.difference("count_units by ward (1)", "Nord", "Ost"), False),
        (lambda r: r.share("count_units by ward (1)", known=200), False),
        (lambda r: r.share("count_units by ward (2)"), False),
        (lambda r: r.total("count by ward"), False),
        (lambda r: r.share("count by ward"), False),
    ],
)
def test_units_that_are_added_up_over_groups_are_said_to_count_in_each(persons, made, is_said):
    """Of whatever adds them up, and not where a unit is in one group alone."""
    assert (SEVERAL in " ".join(str(made(persons)).split())) == is_said


def test_the_report_says_it_of_counts_of_units(persons, tmp_path):
    """In report.html and README.txt, where the numbers that are saved stand."""
    persons.save(tmp_path / "r")
    plain = dp.rehearse(dp.plan(declared(), dp.count(by="ward"), spend=dp.zcdp(1)))
    plain.save(tmp_path / "plain")

    for name in ("report.html", "README.txt"):
        assert SEVERAL in (tmp_path / "r" / name).read_text("utf-8")
        assert SEVERAL not in (tmp_path / "plain" / name).read_text("utf-8")


def refused(made):
    with pytest.raises(InputError) as caught:
        made()
    return caught.value.fix


def test_a_fix_of_a_derived_number_means_what_was_asked(persons):
    """A key without its accent is that key, and a key that is no slip of one is none of them."""
    name = "count by ward"

    assert refused(lambda: persons.difference(name, "Sud", "Nord")) == 'write first="S\xfcd"'
    assert refused(lambda: persons.total(name, only="sud")) == 'write only="S\xfcd"'
    assert refused(lambda: persons.total(name, only={"ward": ["Sud", "Ost"]})) == (
        'write only={"ward": ["S\xfcd", "Ost"]}'
    )
    assert refused(lambda: persons.total(name, "S\xfcd")) == (
        'write only={"ward": "S\xfcd"} in place of by'
    )
    assert persons.total(name, only={"ward": "S\xfcd"}).rows
    assert refused(lambda: persons.share(name, "S\xfcd")) == "leave by out"
    for asked in ("West", None, object()):
        assert refused(lambda asked=asked: persons.difference(name, asked or [], "Nord")) == (
            "name in first what is there, as it is spelled there"
        )


@pytest.mark.parametrize("make", ["total", "share"])
def test_a_median_of_all_groups_is_no_ratio_of_sums(persons, make):
    """The fix names no other statistic, whose number would be another one."""
    fix = refused(lambda: getattr(persons, make)("median pay by ward"))

    assert fix.startswith("of all groups together, ask for the median without by, which is a ques")
