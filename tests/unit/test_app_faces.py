"""What a refused plan is told to change can be typed where the plan was, and then it fits."""

import re
from fractions import Fraction

import pytest

from discreet.app.faces import OPTIONS, file_face
from discreet.app.fixes import in_words_of_a_file
from discreet.app.options import as_options, loss_of, refuse_blanks
from discreet.app.paths import free_name
from discreet.errors import InputError
from discreet.privacy.loss import approx, pure, zcdp

WHAT, WHY = "nothing is said.", "only you know it"


@pytest.mark.parametrize(
    ("given", "loss", "said"),
    [
        ({"rho"}, zcdp("0.01"), 'rho = "0.01" under [spend]'),
        ({"within", "kind"}, zcdp("0.01"), 'rho = "0.01" under [spend], in place of within'),
        ({"epsilon"}, zcdp("0.01"), 'rho = "0.01" under [spend], in place of epsilon'),
        (
            {"epsilon", "delta"},
            pure("1/3"),
            'epsilon = "1/3" under [spend], in place of delta',
        ),
        ({"epsilon"}, approx(1, "1e-6"), 'epsilon = "1" and delta = "0.000001" under [spend]'),
    ],
)
def test_a_plan_file_says_what_to_write_and_in_place_of_what(given, loss, said):
    """A file that says two kinds of price is refused, so the other one is named."""
    assert file_face(given).spend(loss) == said


def test_a_kind_of_loss_to_be_chosen_is_a_question_mark():
    """In a file and as options."""
    assert file_face({"rho"}).blank("pure") == 'epsilon = "?" under [spend], in place of rho'
    assert OPTIONS.blank("approx") == "--epsilon '?' --delta '?'"
    assert OPTIONS.spend(zcdp("1/3")) == "--rho 1/3"


def test_the_name_of_the_data_is_said_where_it_is_typed():
    """name = in a plan file, --name after a command, quoted for each."""
    assert file_face(named=True).name('a "b"') == r'write name = "a \"b\""'
    assert file_face(named=False).name("a") == 'under [data], write name = "a"'
    assert OPTIONS.name("US census, 2000") == "add --name 'US census, 2000'"


def test_python_is_said_in_the_words_of_the_face():
    """A request is an option in both; in a file the rest stays."""
    fix = 'write request="2026-11", or name="a"'

    assert file_face().words(fix) == 'write --request 2026-11, or name="a"'
    assert as_options(fix) == "write --request 2026-11, or --name a"
    assert as_options('write max_weight="?" and weight="n"') == "write --max-weight '?' --weight n"


def said(**options):
    return {"rho": None, "epsilon": None, "delta": None, **options}


def test_options_say_one_loss():
    """rho, or epsilon, or epsilon with delta."""
    assert loss_of(said(rho="1/8"), what=WHAT, why=WHY).rho == Fraction(1, 8)
    assert loss_of(said(epsilon="3"), what=WHAT, why=WHY).epsilon == 3
    assert loss_of(said(epsilon="3", delta="0"), what=WHAT, why=WHY).kind == "approx"


@pytest.mark.parametrize(
    ("options", "what", "fix"),
    [
        ({}, WHAT, "--rho '?'"),
        ({"rho": "1", "epsilon": "1"}, WHAT, "--rho '?'"),
        ({"delta": "1e-6"}, WHAT, "--epsilon '?' --delta '?'"),
        ({"rho": "?"}, "--rho is still a question mark.", "--rho 1/50"),
        ({"epsilon": "1", "delta": "?"}, "--delta is still", "--delta 1e-6"),
        ({"rho": "abc"}, "rho = abc is not", "--rho '?'"),
        ({"epsilon": "1", "delta": "1"}, "delta = 1 must be", "--delta '?'"),
        ({"epsilon": "-1", "delta": "0"}, "epsilon = -1 must be", "--epsilon '?'"),
    ],
)
def test_what_says_no_loss_asks_for_one(options, what, fix):
    """With a question mark, which is refused in its turn."""
    with pytest.raises(InputError) as caught:
        loss_of(said(**options), what=WHAT, why=WHY)

    assert caught.value.what.startswith(what)
    assert fix in caught.value.fix


def test_a_question_mark_is_refused_by_the_name_of_its_option():
    """As it is typed."""
    with pytest.raises(InputError, match=re.escape("--max-rows is still a question mark")):
        refuse_blanks({"unit": "cab", "max_rows": "?"}, why=WHY)


def test_a_free_name_is_free(tmp_path, monkeypatch):
    """The first with a number at which there is nothing; a folder without a name gets one."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.release", "a-2.release", "a-3.release"):
        (tmp_path / name).mkdir()

    assert free_name(tmp_path / "a.release") == tmp_path / "a-4.release"
    assert free_name(tmp_path / "b.csv") == tmp_path / "b-2.csv"
    assert str(free_name(tmp_path.relative_to(tmp_path))) == "new.release"


def test_a_blank_of_python_is_a_blank_of_a_plan_file():
    """TOML has no bare question mark."""
    for fix, said in (
        ("leave ball out, or write ball=?", 'leave ball out, or write ball = "?"'),
        ("write bins=[0, ?, 9], or bins=20", 'write bins = [0, "?", 9], or bins = 20'),
        ('write by="?" or by=["?", "?"]', 'write by = "?" or by = ["?", "?"]'),
    ):
        assert in_words_of_a_file(InputError("no.", why="so", fix=fix)) == said
