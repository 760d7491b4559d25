"""What a refused plan is told to change can be typed where the plan was, and then it fits."""

import re
from fractions import Fraction

import pytest

from discreet.cli.charge import free_name
from discreet.errors import InputError
from discreet.fix import BLANK, Do, Say, call, in_python, leave_out, write
from discreet.plan_file.in_file import (
    OPTIONS,
    Speller,
    as_options,
    file_face,
    loss_of,
    refuse_blanks,
)
from discreet.plan_file.written import Written
from discreet.plans.checked import blank_loss
from discreet.privacy.loss import approx, pure, zcdp
from discreet.releases.open_ledger import loss_call

WHAT, WHY = "nothing is said.", "only you know it"


def written(**spend):
    """A plan file that says a loss, and who is protected."""
    return Written(said={"data": {"unit": "row"}, "spend": spend})


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
    face = file_face(written(**dict.fromkeys(given, 1)))

    assert face.spell((write(of="plan", verb="spend", spend=loss_call(loss)),)) == f"spend {said}"


def test_a_kind_of_loss_to_be_chosen_is_a_question_mark():
    """In a file and as options."""
    pure_loss, both = (write(of="plan", spend=blank_loss(kind)) for kind in ("pure", "approx"))

    said = file_face(written(rho=1)).spell((pure_loss,))
    assert said == 'write epsilon = "?" under [spend], in place of rho'
    assert OPTIONS.spell((both,)) == "write --epsilon '?' --delta '?'"
    assert OPTIONS.spell((write(spend=loss_call(zcdp("1/3"))),)) == "write --rho 1/3"


def test_the_name_of_the_data_is_said_where_it_is_typed():
    """name = in a plan file, --name after a command, quoted for each."""
    named = (write(of="table", name='a "b"'),)

    assert file_face(written()).spell(named) == r'under [data], write name = "a \"b\""'
    assert OPTIONS.spell((write(name="US census, 2000"),)) == "write --name 'US census, 2000'"


def test_each_face_says_a_fix_in_its_own_words():
    """A request is an option in both; what both say alike stays."""
    ways = (write(of="run", request="2026-11"), write(of="table", name="a"), Say("go home"))

    assert in_python(ways) == 'write request="2026-11", or name="a" in discreet.table, or go home'
    assert file_face(written()).spell(ways) == (
        'write --request 2026-11, or under [data], write name = "a", or go home'
    )
    assert as_options(ways) == "write --request 2026-11, or --name a, or go home"
    assert as_options((write(max_weight="?", weight="n"),)) == "write --max-weight '?' --weight n"


def test_a_plan_file_that_cannot_say_a_fix_says_more_than_nothing():
    """Beside a file stand the options of the command that reads it; what is left is Python."""
    spell = file_face(written()).spell

    assert spell((write(of="run", request="a"), leave_out("request", of="run"))) == (
        "write --request a, or leave --request out"
    )
    assert spell((Do(call("discreet.load", "a.release")),)) == 'write discreet.load("a.release")'


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
    for ways, said in (
        ((leave_out("ball"), write(ball=BLANK)), 'under that [[ask]], write ball = "?"'),
        ((write(bins=[0, BLANK, 9]),), 'under that [[ask]], write bins = [0, "?", 9]'),
        ((write(by="?"), write(by=["?", "?"])), 'write by = "?", or by = ["?", "?"]'),
    ):
        file = Written(said={"ask": [{"by": "x"}]})
        assert Speller(file, ("ask", 0), ("ask", 0, "by"))(ways) == said
