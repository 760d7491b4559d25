"""What a rule of publication hides moves nothing that leaves: by artifact, rule and kind of question.

Two releases of one plan have the same shown numbers and other hidden ones. Whatever is made of them
is the same, letter for letter: then no hidden number, no end of its interval and no sum with it
stands there, however it is written. Without the rule each artifact differs between the two, so that
none is looked at in vain.

Questions come from the register: what takes a rule is tried, and a new statistic unasked.
"""

from functools import partial
from io import BytesIO

import pytest
from matplotlib import rc_context

import discreet as dp
from discreet.aggregate import Noisy
from discreet.derive.catalog import KINDS
from discreet.document.document import LedgerEntry
from discreet.errors import DiscreetError, InputError
from discreet.plans.plan import plan_of
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.report.registry import record_of, yaml_of
from discreet.statistic.catalog import LISTED, statistic_of
from e2e.session import run
from property.test_listed_statistics import exactly
from unit.made_country import country

pytestmark = [pytest.mark.claim("C580"), pytest.mark.slow]

KEYS = {"k": ["a", "b", "c"], "s": ["f", "m"]}
SIZES = dict(
    zip([(k, s) for k in KEYS["k"] for s in KEYS["s"]], (900, 800, 700, 30, 0, 4), strict=True)
)
COLUMNS = {"x": dp.bounds(0, 9, step=1), "y": dp.bounds(0, 5, step=1)}
ROWS = [
    {"k": k, "s": s, "x": 2 + n % 3 + (n % 40 == 0), "y": n % 6}
    for (k, s), many in SIZES.items()
    for n in range(many)
]
TABLE = dp.table(ROWS, unit="row", columns=COLUMNS, keys=KEYS, name="visits")
RULES = {
    "threshold": {"at_least": 100},
    "width": {"within": "12%"},
    "rounded": {"at_least": 100, "within": "30%", "round_to": 5},
    "plain": {"at_least": 100, "coverage": "marginal"},
    "given": {"at_least": 100, "coverage": "conditional"},
}
WORDS = {
    "title": "Visits",
    "reliability": {"flags": [{"from": "10%", "flag": "E", "words": "caution"}]},
}
CLEANED = [
    {"how": "auto"},
    {"how": "james_stein_mean"},
    {"known": "nonnegative", "interval": "average"},
    {"known": "rising", "ordered": "k"},
    {"how": "l1_ball", "radius": 2_000},
    {"prior": {"mean": 300, "sd": 400}},
]
CODES = {"k": {k: k for k in "abc"}, "s": {"f": "F", "m": "M"}}


def outlines():
    """A map of three keys and of a region that nobody asked for."""
    made = country(4, 1)
    for feature, name in zip(made["features"], "abcd", strict=True):
        feature["properties"]["name"] = name
    return {"file": made, "property": "name"}


LABELS = {"k": {"map": outlines()}}


def about(release, *, drawn=False):
    """A publisher's words, with names for each column of SDMX; with an address there is a card."""
    bins = [axis.name for axis in release.document.statistics[0].answer.axes if axis.kind == "bin"]
    names = {name: name.upper() for name in ("statistic", "k", "s", *["bin"] * len(bins))}
    names |= {"column": "OF"} if bins else {}
    sdmx = {"structure": "ABC:VISITS(1.0.0)", "dimensions": names, "codes": CODES}
    labels = LABELS if "k" in keys_of(release) else {}
    return dp.about(
        **WORDS, labels=labels, sdmx=sdmx, url="https://example.org/visits/" if drawn else ""
    )


def keys_of(release):
    """The columns by which its first question is asked, where their keys are letters."""
    keys = release.document.plan["table"]["keys"]
    return [name for name in keys if all(isinstance(key, str) for key in keys[name])]


def ruled(name, options, rule):
    by = {"by": ["k", "s"]}
    return statistic_of({"statistic": name, **options, **by, **({"publish": rule} if rule else {})})


def plan_with(question, spend=None):
    return dp.plan(TABLE, question, spend=spend or dp.zcdp(2), alpha="0.1")


def takes(name, options, rule):
    try:
        plan_with(ruled(name, options, rule))
    except (InputError, TypeError):
        return False
    return True


CASES = [
    (name, options, rule)
    for name, one in LISTED.items()
    if name not in ("cube", "tables")  # which have no groups, and refuse it
    for options in one.examples(TABLE)
    for rule in RULES
    if (rule in ("threshold", "width", "rounded") or name == "count")
    and options.get("bins", 4) == 4  # of some that differ in numbers alone
    and "distinct" not in options  # which are 1 here, and of which none is shown
    and (options.get("column") != "y" or "weights" in options)
    and takes(name, options, RULES[rule])
]


def composed(plan, noisy):
    """What the door would have let through, paid for."""
    entry = LedgerEntry(id="7f3a5c0012ab9def", subject="visits", seq=3, hash="ab" * 32)
    created = "2026-11-28T00:00:00+00:00"
    return Release(compose(plan, noisy, request="r", created=created, ledger=entry))


def shown_of(release):
    (released,) = release.document.statistics
    return released.shown


def other(plan, vector):
    """The vector with as many other hidden numbers as can be moved and stay hidden, and how many."""
    shown = shown_of(composed(plan, [Noisy(tuple(vector))]))
    each, moved = len(vector) // shown.of, [*vector]
    hidden = [place for place in range(shown.of) if place not in shown.places]
    for at, place in enumerate(hidden):
        for step in (60, 3, 2, 1, -1, -2)[1 - at % 2 :]:
            tried = [*moved]
            tried[each * place : each * (place + 1)] = [
                n + step for n in moved[each * place : each * (place + 1)]
            ]
            if shown_of(composed(plan, [Noisy(tuple(tried))])) == shown:
                moved = tried
                break
    return moved, sum(a != b for a, b in zip(moved, vector, strict=True)) // each, len(hidden)


def files_of(place):
    """The bytes of each file of a folder."""
    return {
        str(f.relative_to(place)): f.read_bytes() for f in sorted(place.rglob("*")) if f.is_file()
    }


def drawn(picture):
    file = BytesIO()
    picture.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def in_a_notebook(shown):
    """What a notebook shows, with the same names of shapes each time."""
    if hasattr(shown, "_repr_mimebundle_"):
        with rc_context({"svg.hashsalt": "same"}):
            return shown._repr_mimebundle_()
    return shown._repr_html_()


OPTIONS = {
    "total": [{}, {"by": ["k"]}, {"only": {"k": "c"}}],
    "difference": [{"first": {"k": "a", "s": "f"}, "second": {"k": "b", "s": "m"}}],
    "ratio": [{}],
    "share": [{}, {"by": ["k"]}],
    "relative": [{"baseline": {"k": "a"}}, {"baseline": {"s": "m"}}],
    "change": [{"baseline": {"k": ["a", "b"]}, "median": True}, {"baseline": {"s": "m"}}],
    "rate": [{"per": 7}],
    "standardized": [{"per": 7, "weights": {"f": 1, "m": 2}, "over": "s"}],
    "median": [{}, {"by": ["k"]}],
    "ranks": [{}, {"by": ["k"]}],
    "intervals": [{}, {"alpha": "0.3"}, {"together": True}],
}


def made_or_refused(make):
    """What is made, or the words of why it is not."""
    try:
        return make()
    except DiscreetError as error:
        return str(error)


def derived(release):
    """Each kind of derived number of the first question, with the options above."""
    name, *others = release
    two = {"ratio": {"other": [*others, name][0]}}
    made = {
        f"{kind} {options}": made_or_refused(
            partial(getattr(release, kind), name, **options, **two.get(kind, {}))
        )
        for kind in KINDS
        for options in OPTIONS[kind]
    }
    also = [numbers for numbers in made.values() if not isinstance(numbers, str)]
    told = {
        name: numbers
        if isinstance(numbers, str)
        else (str(numbers), repr(numbers), [*numbers], in_a_notebook(numbers), numbers.table())
        for name, numbers in made.items()
    }
    return also, {name: str(numbers) for name, numbers in told.items()}


def sides_of(result):
    """The axes of a question but the first, for the top of a crossed table."""
    return [axis.name for axis in result.document.statistics[0].answer.axes[1:]]


def objects(release):
    """What Python shows of a release and of its first question."""
    name, *_ = release
    result = release[name]
    yield "texts", [str(release), repr(release), str(release.table()), release.sheet().text()]
    yield "question", [str(result), repr(result), [*result], in_a_notebook(result)]
    yield "frames", [result.to_pandas().to_csv(), str(result.to_polars().to_dicts())]
    yield "crossed", made_or_refused(lambda: str(result.crossed(["k"], sides_of(result))))
    for form in ("long", "wide", "sdmx-csv"):
        table = made_or_refused(partial(release.table, about=about(release), form=form))
        yield f"table {form}", str(table) + repr(table)
    yield "equal rows", made_or_refused(lambda: str(result.measured()))
    yield "a sum of cells", made_or_refused(lambda: str(result.total()))
    yield "rows", made_or_refused(lambda: release.microdata().analyses())
    for options in CLEANED:
        cleaned = made_or_refused(partial(dp.denoise, release, **options))
        told = "" if isinstance(cleaned, str) else str(cleaned.table()) + cleaned.sheet().text()
        yield f"cleaned {options}", str(cleaned) + told
    yield "record", yaml_of(record_of(release.document, about(release), None))
    yield "verified", dp.verify(release)


def pictures(release):
    """What is drawn; with the command line's answers it is looked at in some releases alone."""
    name, *_ = release
    yield "drawn", drawn(release.plot(about=about(release))) + drawn(release[name].plot())
    yield "notebook", in_a_notebook(release)
    yield "a cleaned notebook", made_or_refused(lambda: in_a_notebook(dp.denoise(release)))


def commands(name, sides):
    yield "show r.release"
    yield "show r.release --json"
    yield "verify r.release --json"
    yield "registry r.release --json"
    yield "denoise r.release --how james_stein_mean --json"
    yield "microdata r.release --json"
    yield f"table r.release --rows k {' '.join(f'--columns {side}' for side in sides)} --json"
    for form in ("long", "wide", "sdmx-csv"):
        yield f"table r.release --form {form} --json"
    yield f"derive r.release total '{name}' --json"
    yield f"derive r.release intervals '{name}' --together --json"
    yield f"derive r.release ranks '{name}' --json"


def everything(release, place, *, drawn):
    """All that leaves, by name."""
    also, told = derived(release)
    words = about(release, drawn=drawn)
    release.save("r.release", also=also, about=words)
    files = {"t.xlsx": "excel", "l.csv": "long", "w.csv": "wide", "s.csv": "sdmx-csv"}
    for name, form in files.items():
        made_or_refused(partial(release.export, name, form=form, about=words, also=also))
    made = told | {"document": release.document.text()}
    made |= {name: str(one) for name, one in objects(release)}
    if drawn:
        release.save("r.zip", also=also, about=words)
        name, *_ = release
        typed = commands(name, sides_of(release[name]))
        made |= {name: str(one) for name, one in pictures(release)}
        made |= {command: run(f"discreet {command}") for command in typed}
    return made | files_of(place)


def differing(tmp_path, monkeypatch, plan, vectors, *, drawn=True):
    """The names of what is not the same of releases with these vectors, and how many names."""
    made = []
    for number, noisy in enumerate(vectors):
        place = tmp_path / str(number)
        place.mkdir()
        monkeypatch.chdir(place)
        made.append(everything(composed(plan, noisy), place, drawn=drawn))
    first, second = made
    assert first.keys() == second.keys()
    return [name for name in first if first[name] != second[name]], [*first]


def two_of(plan, question):
    """A vector that passes the door, and one with other hidden numbers."""
    (exact,) = exactly(question, TABLE)
    moved, many, hidden = other(plan, exact)
    return [Noisy(tuple(exact))], [Noisy(tuple(moved))], many, hidden


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "options", "rule"), CASES, ids=str)
def test_hidden_numbers_move_nothing_that_leaves(name, options, rule, tmp_path, monkeypatch):
    question = ruled(name, options, RULES[rule])
    plan = plan_with(question)
    exact, moved, many, hidden = two_of(plan, question)

    assert many == hidden > 0
    assert shown_of(composed(plan, exact)).places
    names, made = differing(tmp_path, monkeypatch, plan, [exact, moved], drawn=False)
    assert len(made) > 40
    assert names == []


ALIKE = {  # what no number of a count stands in
    "r.release/about.json", "r.release/README.txt", "a sum of cells", "equal rows", "rows",
    "record", "verified", "verify r.release --json", "registry r.release --json",
    "microdata r.release --json", "ratio {}",  # of a question over itself: refused
}  # fmt: skip


def test_without_the_rule_each_artifact_tells_the_two_apart(tmp_path, monkeypatch):
    """The check has power: there is nothing that it looks at in vain."""
    question = ruled("count", {}, None)
    plan = plan_with(question)
    exact, moved, *_ = two_of(plan_with(ruled("count", {}, RULES["threshold"])), question)
    names, made = differing(tmp_path, monkeypatch, plan, [exact, moved])

    assert {*made} - {*names} == ALIKE


def found_keys(tmp_path):
    """Keys that nobody knew: five are found, of which three are shown."""
    sizes = {"a": 900, "b": 800, "c": 700, "d": 600, "e": 500}
    rows = [{"k": key, "s": "f", "x": 1} for key, many in sizes.items() for _ in range(many)]
    keys = {"k": dp.unknown(max_groups=1), "s": ["f"]}
    table = dp.table(rows, unit="row", keys=keys, columns={"x": COLUMNS["x"]}, name="visits")
    asked = dp.count(by=["k", "s"], publish=dp.publish(at_least=650))
    plan = dp.plan(table, asked, spend=dp.approx(9, "1e-6"))
    whole = dp.run(plan, ledger=dp.ledger(tmp_path / "a", budget=dp.approx(9, "1e-6")))
    again = plan_of(whole.document.plan)
    assert again.table.groups(("k",)) == 6  # and all others together
    return again, [[Noisy((900, 800, 700, n, n - 90, n))] for n in (600, 500)]


def cut_lists(_):
    """Cells told sparsely, of which three pass the threshold and two may be shown."""
    table = dp.table([], unit="row", keys={"k": range(1000), "s": range(1000)}, name="visits")
    asked = dp.count(by=["k", "s"], publish=dp.publish(at_least=90, most=2))
    plan = dp.plan(table, asked, spend=dp.zcdp("0.02"))
    places = (3, 70_000, 500_000)
    return plan, [[Noisy((900, n, 800), places)] for n in (100, 120)]


def beside_others(_):
    """A sum and two means with rules, and a total of the sum without: what is made of two."""
    rule, by = dp.publish(at_least=100), {"by": ["k", "s"]}
    asked = [
        dp.count(**by, publish=rule),
        dp.sum("x", **by, publish=dp.publish(within="9%")),
        dp.mean("x", **by, publish=dp.publish(at_least=100, within=1, round_to="0.5")),
        dp.sum("y"),
    ]
    plan = dp.plan(TABLE, *asked, spend=dp.zcdp(3))
    counts = [(900, 800, 700, 30 + n, n, 4 + n) for n in (0, 20)]
    sums = [(2700, 2400, 2100, 9 - n, 2 - n, n) for n in (0, 2)]
    means = [(900, 2700, 800, 2400, 700, 2100, 30, 90 + n, n, n, 4, 9 + n) for n in (0, 3)]
    parts = zip(counts, sums, means, strict=True)
    return plan, [[*map(Noisy, vectors), Noisy((9000,))] for vectors in parts]


def of_persons(_):
    """A public number of persons who may be replaced, each in two groups at most."""
    person = dp.unit("who", max_rows=2)
    table = dp.table(
        [], unit=person, keys=KEYS, neighbors="replace", units=900, columns=COLUMNS, name="visits"
    )
    asked = dp.count_units(by=["k", "s"], publish=dp.publish(at_least=60, round_to=10))
    plan = dp.plan(table, asked, spend=dp.pure(1))
    return plan, [[Noisy((500, 300, 60, 59 - n, -n, n))] for n in (0, 40)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("world", [found_keys, cut_lists, beside_others, of_persons])
def test_hidden_numbers_move_nothing_that_leaves_of(world, tmp_path, monkeypatch):
    """Of keys that were found, lists that are cut, several questions at once, persons."""
    plan, (first, second) = world(tmp_path)
    shown = [
        [part.shown for part in composed(plan, v).document.statistics] for v in (first, second)
    ]

    assert shown[0] == shown[1]
    assert any(part.places and len(part.places) < part.of for part in shown[0] if part)
    names, _ = differing(tmp_path, monkeypatch, plan, [first, second])
    assert names == []
