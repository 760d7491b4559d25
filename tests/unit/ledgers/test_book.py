"""The rules of the book, without a file: what may be charged, answered and voided."""

from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.errors import BudgetError, InputError
from discreet.ledgers.units import UNIT, units_up
from discreet.privacy.loss import Loss, approx, gdp, pure, zcdp
from unit.books import WHEN, answered, charged, empty, full_book, voided


def test_an_empty_book_has_its_whole_budget_left():
    """Nothing is spent, the head is the header, and there is nothing to complain about."""
    book = empty(zcdp("1/8"))

    assert (book.left(), book.spent(), book.check()) == (zcdp("1/8"), zcdp(0), [])
    assert book.head() == (0, book.header.hash())


@pytest.mark.parametrize(
    ("budget", "loss", "left"),
    [
        (zcdp("1/8"), zcdp("3/100"), zcdp("19/200")),
        (zcdp("1/8"), pure("1/10"), zcdp("0.12000416")),
        (zcdp("1/8"), approx("1/10", 0), zcdp("0.12000416")),
        (zcdp("1/8"), gdp(mu2="1/50"), zcdp("0.115")),
        (gdp(mu2="1/8"), pure("1/10"), gdp(mu2="0.1092976")),
        (approx(1, "1e-6"), pure("1/3"), approx("2/3", "1e-6")),
        (approx(1, "1e-6"), approx("1/3", "4e-7"), approx("2/3", "6e-7")),
        (pure(1), approx(1, 0), pure(0)),
    ],
)
def test_a_charge_is_taken_in_the_budgets_own_kind(budget, loss, left):
    """Pure losses convert on the safe side; the amounts stay exact."""
    book = charged(empty(budget), loss)

    assert (book.left(), book.check()) == (left, [])


@pytest.mark.parametrize(
    ("budget", "loss"),
    [(pure(1), zcdp("1/50")), (zcdp(1), approx(1, "1e-6")), (approx(1, "1e-6"), zcdp("1/50"))],
)
def test_a_loss_that_does_not_convert_is_refused_with_what_to_write(budget, loss):
    """No number is guessed: the caller is told the kind of spend that the ledger keeps."""
    with pytest.raises(InputError, match=rf"spend=discreet\.{budget.kind}\("):
        charged(empty(budget), loss)


def test_three_thirds_fit_and_not_a_hair_more():
    """Sums are exact: three thirds are one, and then even 1e-300 is too much."""
    book = empty(pure(1))
    for request in ("a", "b", "c"):
        book = charged(book, pure("1/3"), request)

    assert book.left() == pure(0)
    with pytest.raises(BudgetError):
        charged(book, pure("1e-300"), "d")


@pytest.mark.claim("C12")
def test_a_small_spend_is_never_absorbed():
    """A spend far below the resolution of a float still counts: as one unit, never as none."""
    book = charged(charged(empty(pure(1)), pure(1).times(Fraction(1, 2)), "a"), pure("1e-300"), "b")

    assert book.spent() == pure(Fraction(1, 2) + Fraction(1, UNIT))
    assert book.entries[-1].loss == pure("1e-300").plain()


def test_both_numbers_of_an_approximate_loss_must_fit():
    """A delta that does not fit is refused though its epsilon does."""
    with pytest.raises(BudgetError):
        charged(empty(approx(1, "1e-6")), approx("1/2", "2e-6"))


def test_the_refusal_says_both_numbers_why_and_what_to_type():
    """The three lines of the house."""
    book = empty(zcdp("1/8"))
    for number in range(4):
        book = charged(book, zcdp("21/800"), f"r{number}")
        book = answered(book, 2 * number + 1)

    with pytest.raises(BudgetError) as refusal:
        charged(book, zcdp("3/100"), "r9")

    assert str(refusal.value) == (
        "this plan costs rho = 0.03, but only 0.02 is left in visits.ledger.\n"
        "  why: four releases since 2026-01-04 have spent rho = 0.105 of 0.125\n"
        '  fix: plan again with spend=discreet.zcdp("1/50"), or ask the budget\'s owner'
    )


@pytest.mark.parametrize("budget", [zcdp(1), pure(1), approx(1, "1e-6")])
def test_a_refusal_on_an_empty_and_on_a_full_book_reads_well(budget):
    """There is always a why and a fix; the caller's own fix goes first."""
    fresh, used = empty(budget), charged(empty(budget), budget)

    with pytest.raises(BudgetError, match="the whole budget is"):
        charged(fresh, budget.times(Fraction(2)))
    with pytest.raises(BudgetError, match=r"one release .* \(1 without a result\) has spent"):
        charged(used, budget, "r2")
    with pytest.raises(BudgetError, match="fix: take half"):
        used.charge(
            request="r2", plan="p", loss=budget, events=[], who="", why="", when=WHEN,
            fix="take half",
        )  # fmt: skip


def test_a_pure_loss_on_a_zcdp_budget_is_shown_in_both_kinds():
    """The asker finds the number that she typed."""
    with pytest.raises(BudgetError, match=r"costs rho = 0.462118 \(epsilon = 1\), but only 0.25"):
        charged(empty(zcdp("1/4")), pure(1))


@pytest.mark.parametrize(
    "loss", [Loss("zcdp", (Fraction(-1),)), pure("1e-300"), Loss("zcdp", (Fraction(1, 10**401),))]
)
def test_a_loss_that_could_not_be_read_back_is_refused(loss):
    """A negative loss, or one of too many digits (squared on conversion), never enters the book."""
    with pytest.raises(InputError, match="cannot be kept exactly"):
        charged(empty(zcdp(1)), loss)


def test_long_numbers_are_shown_short_and_on_the_safe_side():
    """What is advised fits, and what is said to be left is not more than is left."""
    book = charged(empty(zcdp("1/8")), zcdp(Fraction(1, 3**40)))

    with pytest.raises(BudgetError) as refusal:
        charged(book, zcdp(Fraction(1, 8)), "r2")

    assert "costs rho = 0.125, but only 0.124999999 is left" in refusal.value.what
    assert 'spend=discreet.zcdp("0.124999999")' in refusal.value.fix
    assert charged(book, zcdp("0.124999999"), "r2").check() == []


def test_a_charge_without_a_result_stays_spent_and_a_second_try_pays_again():
    """Noise that may have been seen is not used twice."""
    book = charged(charged(empty(zcdp(1)), zcdp("1/4")), zcdp("1/4"))

    assert book.left() == zcdp("1/2")
    assert [entry.seq for entry in book.open_charges()] == [1, 2]


def test_a_void_gives_a_charge_back_and_the_book_keeps_why():
    """Only the owner's explicit act gives budget back."""
    book = voided(charged(empty(zcdp(1)), zcdp("1/4")), 1)

    assert (book.left(), book.check(), book.open_charges()) == (zcdp(1), [], [])
    assert book.entries[-1].why == "killed before its noise was drawn"
    assert [row.state for row in book.rows()] == ["void"]


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_void_without_a_reason_is_refused(reason):
    """An empty reason is none."""
    with pytest.raises(InputError, match="without a reason"):
        voided(charged(empty(zcdp(1)), zcdp("1/4")), 1, reason)


def test_several_charges_are_voided_together_or_none():
    """In the order of their numbers, each once; one that cannot be taken back keeps all."""
    book = empty(zcdp(1))
    for request in "abcd":
        book = charged(book, zcdp("1/8"), request)
    book = answered(book, 4)
    how = {"reason": "power cut", "who": "sven", "when": WHEN}

    found = book.voids([3, 1, 3], **how)
    after = replace(book, entries=(*book.entries, *found))

    assert [(entry.refers, entry.rest) for entry in found] == [(1, 1), (3, 0)]
    assert (after.left(), after.check()) == (zcdp("3/4"), [])
    for wrong in ([1, 4], [1, 9], [2, 5]):
        with pytest.raises(InputError):
            book.voids(wrong, **how)
    with pytest.raises(InputError, match="no charge"):
        book.voids([], **how)


def test_what_was_shown_cannot_be_voided():
    """A charge with a result stays spent for ever."""
    book = answered(charged(empty(zcdp(1)), zcdp("1/4")), 1)

    with pytest.raises(InputError, match="what was shown stays spent"):
        voided(book, 1)


def test_a_voided_charge_takes_neither_a_result_nor_a_second_void():
    """Its answer may not leave, and budget comes back once."""
    book = voided(charged(empty(zcdp(1)), zcdp("1/4")), 1)

    with pytest.raises(BudgetError, match="was voided"):
        answered(book, 1)
    with pytest.raises(BudgetError, match="was voided"):
        voided(book, 1)


@pytest.mark.parametrize("seq", [0, 2, 3, -1])
def test_only_a_charge_can_be_settled(seq):
    """Entries that are no charge, or do not exist, are named and refused."""
    book = answered(charged(empty(zcdp(1)), zcdp("1/4")), 1)

    with pytest.raises(InputError, match="no charge has it"):
        answered(book, seq)


def test_a_request_has_one_plan_and_one_result():
    """Another plan under a known id is refused, and so is a second answer."""
    book = charged(charged(empty(zcdp(1)), zcdp("1/4")), zcdp("1/4"))
    done = answered(book, 1)

    assert done.settled("r1") == done.entries[-1]
    assert done.settled("r2") is None
    with pytest.raises(InputError, match="another plan"):
        charged(book, zcdp("1/4"), plan="cd34")
    with pytest.raises(InputError, match="has a result already"):
        answered(done, 2)
    with pytest.raises(InputError, match="has a result already"):
        charged(done, zcdp("1/4"))


@pytest.mark.parametrize("names", [("", "ab"), ("r1", "")])
def test_a_charge_needs_a_request_and_a_plan(names):
    """Without them a repeat could not be known."""
    with pytest.raises(InputError, match="needs the id"):
        charged(empty(zcdp(1)), zcdp("1/4"), *names)


@pytest.mark.parametrize(
    "events",
    [[{"sigma2": 0.5}], [{"x": {1, 2}}], ["text"], [{"x": [1, {"y": 2.0}]}], [{"x": "\ud800"}]],
)
def test_events_are_plain_data_without_floats(events):
    """What the ledger keeps must mean the same in ten years."""
    with pytest.raises(InputError, match="not plain data"):
        empty(zcdp(1)).charge(
            request="r", plan="p", loss=zcdp("1/4"), events=events, who="", why="", when=WHEN
        )


def test_events_are_copied_as_they_will_be_read_back():
    """Changing the caller's list later changes nothing in the book."""
    event = {"law": "discrete gaussian", "sizes": (1, 2)}
    book = empty(zcdp(1))
    entry = book.charge(
        request="r", plan="p", loss=zcdp("1/4"), events=[event], who="", why="", when=WHEN
    )
    event["law"] = "none"

    assert entry.events == [{"law": "discrete gaussian", "sizes": [1, 2]}]
    assert entry.hash == entry.digest()


@pytest.mark.parametrize("text", ["\ud800", "a\0b"])
def test_text_that_cannot_be_stored_is_refused(text):
    """Lone surrogates and the character zero have no place in a file that others read."""
    with pytest.raises(InputError, match="why cannot be written"):
        empty(zcdp(1)).charge(
            request="r", plan="p", loss=zcdp("1/4"), events=[], who="", why=text, when=WHEN
        )


def test_a_report_finds_one_row_for_each_charge():
    """Plain accessors: number, time, person, purpose, loss, state."""
    rows = full_book().rows()

    assert [(row.seq, row.state, row.loss) for row in rows] == [
        (1, "answered", "rho = 0.25"), (3, "void", "rho = 0.25"), (5, "open", "rho = 0.25"),
    ]  # fmt: skip


@pytest.mark.claim("C12")
def test_forty_one_forty_firsts_are_more_than_the_whole():
    """Each is rounded up by less than a unit: forty fit, and less than 41 units are lost."""
    book = empty(pure(1))
    for number in range(40):
        book = charged(book, pure("1/41"), f"r{number}")
    left = Fraction(book.left().plain()["epsilon"])

    with pytest.raises(BudgetError):
        charged(book, pure("1/41"), "last")
    assert 0 <= Fraction(1, 41) - left < Fraction(40, UNIT)
    assert charged(book, pure(left), "less").left() == pure(0)
    assert book.check() == []


@pytest.mark.claim("C12")
@pytest.mark.parametrize(
    "cost", ["1/41", "1/3", "1e-300", "999999999999999999/1000000000000000001"]
)
def test_one_plan_that_fits_always_fits(cost):
    """A whole budget is no smaller than what is below it and rounded up."""
    assert charged(empty(pure(1)), pure(cost)).check() == []
    with pytest.raises(BudgetError):
        charged(empty(pure(cost) if cost == "1/3" else pure("1e-18")), pure(1))


@pytest.mark.claim("C12")
@pytest.mark.parametrize(
    "number", [Fraction(n, d) for d in (41, 97, 10**19, 3**30) for n in (1, 40)]
)
def test_units_are_never_less_than_the_loss_and_less_than_one_more(number):
    """Rounded up, each purse by itself; a decimal of 18 places or a small denominator is exact."""
    loss = approx(number, number / 2)
    purses = units_up(loss)

    assert purses[2] == 0
    for units, part in zip(purses, (number, number / 2), strict=False):
        assert 0 <= units - part * UNIT < 1
    for exact in (Fraction(7, 40), Fraction(1, 39), Fraction(123456789012345678, 10**18)):
        assert Fraction(units_up(pure(exact))[0], UNIT) == exact
