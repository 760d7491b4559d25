"""`discreet derive` says of every statistic and every derived number what Python says."""

import json

import pytest
from session import run

import discreet as dp
from discreet.derive.by_name import derived_by
from discreet.derive.catalog import KINDS
from discreet.errors import InputError
from discreet.plan_file.in_file import typed
from discreet.schema import ROW
from discreet.statistic.catalog import LISTED, statistic_of
from property.strategies import COLUMNS, declared

SIDED = {"first": {"side": "f"}, "second": {"side": "m"}}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """One release of every statistic of the register that has groups."""
    keys = {**declared([], unit=ROW).keys, "side": ["f", "m"], "copy": [0, 1]}
    table = dp.table([], unit="row", name="t", columns=COLUMNS, keys=keys)
    asked = []
    for name, one in LISTED.items():
        for options in one.examples(declared([], unit=ROW)):
            if not one.chooses and name not in ("cube", "tables"):
                asked.append(statistic_of({"statistic": name, **options, "by": ["side"]}))
    release = dp.rehearse(dp.plan(table, *asked, spend=dp.zcdp(10_000)))
    return release.save(tmp_path_factory.mktemp("register") / "all.release")


@pytest.mark.exhaustive("derived on each face")
@pytest.mark.slow
@pytest.mark.claim("C293")
@pytest.mark.parametrize("kind", KINDS)
def test_the_command_line_says_what_python_says(saved, kind):
    """The same numbers to the letter, or a refusal where Python refuses."""
    release = dp.load(saved)
    names, made = release.keys(), 0
    for name in names:
        said = {"of": name}
        words = f"{kind} {typed(name)}"
        if kind == "difference":
            said |= SIDED
            words += " --first side=f --second side=m"
        if kind == "ratio":
            said["other"] = "count by side"
            words += " 'count by side'"
        if kind in ("relative", "change"):
            said["baseline"] = {"side": "m"}
            words += " --baseline side=m"
        if kind == "rate":
            said["per"] = 7
            words += " --per 7"
        if kind == "standardized":
            said |= {"per": 7, "weights": {"f": 1, "m": 2}, "over": ["side"]}
            words += " --per 7 --weights f=1 --weights m=2 --over side"
        if kind in ("total", "ratio"):
            said["by"] = ["side"]
            words += " --by side"
        code, text = run(f"discreet derive {saved} {words} --json")
        try:
            expected = json.loads(json.dumps(derived_by(release.document, kind, said).plain()))
        except InputError:
            assert code == 2, (name, text)
            continue
        made += 1
        reply = json.loads(text)
        assert reply["answers"] == expected["answers"], name
    assert made >= 5
