"""[[also]] in a plan file: derived for nothing, saved beside the release, and made again by verify."""

import json

import pytest
from session import run

import discreet as dp
from discreet.errors import InputError
from discreet.plan_file.derive_part import tried
from discreet.plan_file.plan_file import read_plan_file

FILE = """\
[data]
source = "p.csv"
unit = "row"
[keys]
ward = ["A", "B"]
[spend]
rho = "1/2"
ledger = "p.ledger"
[[ask]]
statistic = "count"
by = "ward"
[[also]]
derive = "difference"
of = "count by ward"
first = "A"
second = "B"
[[also]]
derive = "share"
of = "count by ward"
together = true
[[also]]
derive = "total"
of = "count by ward"
only = { ward = ["A"] }
alpha = "0.1"
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "p.csv").write_text("ward\n" + "A\n" * 300 + "B\n" * 200)
    (tmp_path / "p.toml").write_text(FILE)
    return tmp_path / "p.toml"


@pytest.mark.claim("C64")
def test_what_is_derived_stands_beside_the_release_and_follows_from_it(path):
    """The same as the methods of the release; verify makes it again, and finds a changed number."""
    dp.ledger(path.with_suffix(".ledger"), budget=dp.zcdp(1), subject="p.csv")
    code, said = run(f"discreet release {path}")
    assert code == 0, said
    assert "difference in count by ward: A less B" in said
    saved = path.with_suffix(".release")
    release = dp.load(saved)
    derived = json.loads((saved / "derived.json").read_text())["derived"]
    expected = [
        release.difference("count by ward", "A", "B"),
        release.share("count by ward", together=True),
        release.total("count by ward", only={"ward": ["A"]}, alpha="0.1"),
    ]
    assert derived == json.loads(json.dumps([one.plain() for one in expected]))
    code, said = run(f"discreet verify {saved}")
    assert code == 0
    assert "derived.json" in said
    text = (saved / "derived.json").read_text()
    (saved / "derived.json").write_text(text.replace('"alpha":"1/10"', '"alpha":"1/5"'))
    code, said = run(f"discreet verify {saved}")
    assert code != 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('derive = "share"', 'derive = "shar"', "also 2, derive: 'shar' cannot be derived"),
        ("together = true", "togther = true", "also 2, togther: share has no togther"),
        ('first = "A"', 'first = "Z"', "selects nothing"),
        (
            '"difference"\nof = "count by ward"',
            '"difference"\nof = "count"',
            "no statistic 'count'",
        ),
        ('"share"\nof = "count by ward"', '"share"', "also 2: share needs of"),
    ],
)
def test_what_cannot_be_derived_is_refused_before_anything_is_charged(path, old, new, said):
    """By its line in the file: as it is read, or tried on a rehearsal."""
    assert old in FILE
    path.write_text(FILE.replace(old, new))
    with pytest.raises(InputError, match=said) as refused:
        found = read_plan_file(path)
        tried(found.also, found.plan)
    lines = str(refused.value).splitlines()
    assert "p.toml, line" in lines[0]
    assert len(lines) == 3
    assert len(lines[2]) > len("  fix: write ")


@pytest.mark.parametrize("kind", ["share", "total", "difference"])
def test_a_kind_in_place_of_derive_is_taken_as_it_was_meant(path, kind):
    """`share = "count by ward"` is a share; followed, the fix is taken, and no total is made of it."""
    more = 'first = "A"\nsecond = "B"\n' if kind == "difference" else ""
    head = FILE.partition("[[also]]")[0]
    path.write_text(f'{head}[[also]]\n{kind} = "count by ward"\n{more}')
    with pytest.raises(InputError) as caught:
        read_plan_file(path)

    assert caught.value.fix == (
        f'write derive = "{kind}" and of = "count by ward" in place of {kind}'
    )
    path.write_text(f'{head}[[also]]\nderive = "{kind}"\nof = "count by ward"\n{more}')
    assert read_plan_file(path).also[0].kind == kind
    path.write_text(f'{head}[[also]]\nderive = "total"\nof = "count by ward"\nshare = "x"\n')
    with pytest.raises(InputError, match="total has no share") as caught:
        read_plan_file(path)
    assert caught.value.fix == "remove share"
