"""The ledger file against a model of a dozen lines, over random histories."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from discreet.errors import BudgetError, InputError
from discreet.ledgers.book import Book
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.sqlite import Charge
from discreet.privacy.loss import zcdp
from unit.books import made_again

REQUEST_NAMES = ["a", "b", "c", "d"]
REQUESTS = st.sampled_from(REQUEST_NAMES)
PLANS = st.sampled_from(["p", "p", "p", "q"])
UNIT = Fraction(1, 10**18 * lcm(*range(1, 41)))
LOSSES = st.sampled_from(
    [Fraction(1, 3), Fraction(1, 7), Fraction(1, 41), Fraction(1, 10**30), Fraction(0)]
)


@dataclass
class Model:
    """What the ledger promises, without a file, a chain or a kind of loss."""

    left: Fraction = Fraction(1)
    paid: dict[int, tuple[str, Fraction, str]] = field(default_factory=dict)  # open charges
    plans: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


class LedgerAgainstModel(RuleBasedStateMachine):
    """Every rule does the same on both sides and compares what they say."""

    @initialize()
    def begin(self) -> None:
        memory = Path("/dev/shm")
        self.folder = TemporaryDirectory(dir=memory if memory.is_dir() else None)
        self.ledger = create(Path(self.folder.name) / "a.ledger", budget=zcdp(1), id=token_hex(8))
        self.model = Model()
        self.charges: dict[int, Charge] = {}

    @rule(request=REQUESTS, plan=PLANS, loss=LOSSES)
    def reserve(self, request: str, plan: str, loss: Fraction) -> None:
        model = self.model
        try:
            got = self.ledger.file.reserve(
                ChargeRequest(request=request, plan=plan, loss=zcdp(loss), events=[])
            )
        except InputError:
            assert model.plans.get(request, plan) != plan
            return
        except BudgetError:
            assert -(-loss // UNIT) * UNIT > model.left
            return
        assert model.plans.setdefault(request, plan) == plan
        if got.settled is not None:
            assert got.settled.result == model.answers[request]
            return
        assert request not in model.answers
        assert loss <= model.left
        cost = -(-loss // UNIT) * UNIT  # whole units, rounded up
        model.left -= cost
        model.paid[got.seq] = (request, cost, plan)
        self.charges[got.seq] = got

    @rule(
        pick=st.integers(0, 9), text=st.text(st.characters(codec="utf-8", exclude_characters="\0"))
    )
    def settle(self, pick: int, text: str) -> None:
        if not self.charges:
            return
        seq = sorted(self.charges)[pick % len(self.charges)]
        request = self.ledger.book().entries[seq - 1].request
        try:
            got = self.ledger.file.settle(self.charges[seq], text)
        except BudgetError:
            assert seq not in self.model.paid  # it was voided
            assert request not in self.model.answers
            return
        if request not in self.model.answers:
            self.model.answers[request] = text
            del self.model.paid[seq]
        assert got.result == self.model.answers[request]

    @rule(seq=st.integers(0, 12), reason=st.sampled_from(["killed", "killed", " "]))
    def void(self, seq: int, reason: str) -> None:
        try:
            self.ledger.void(seq, reason=reason)
        except (InputError, BudgetError):
            assert seq not in self.model.paid or not reason.strip()
            return
        self.model.left += self.model.paid.pop(seq)[1]

    @rule()
    def open_again(self) -> None:
        self.ledger = Ledger(self.ledger.path)

    @invariant()
    def they_agree(self) -> None:
        if not hasattr(self, "ledger"):
            return
        book = self.ledger.book()
        assert book.left() == self.ledger.left() == zcdp(self.model.left)
        for name in REQUEST_NAMES:
            kept = self.ledger.file.snapshot(name)
            assert kept.settled == book.settled(name)
            plan = self.model.plans.get(name)
            assert (kept.way.latest.plan if kept.way.latest else None) == plan
        assert {entry.seq for entry in book.open_charges()} == set(self.model.paid)
        answers = {name: book.settled(name) for name in self.model.plans}
        assert {n: e.result for n, e in answers.items() if e is not None} == self.model.answers

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            assert self.ledger.verify() == []
            assert made_again(self.ledger.book()).entries == self.ledger.book().entries
            self.folder.cleanup()


FEW = settings(
    max_examples=8, stateful_step_count=25, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.mark.claim("C327")
@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(5))
def test_the_file_does_what_the_model_says(part):
    """Random histories of charges, answers, voids and repeats; compared after every step."""

    class Histories(LedgerAgainstModel):
        """Those of one part: it is their seed."""

    run_state_machine_as_test(seed(part)(Histories), settings=FEW)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["forgets one charge", "gives back too much", "answers twice"])
def test_a_planted_fault_is_seen_by_the_model(fault, monkeypatch):
    """The comparison has power."""
    real_left, real_settled = Book.left, Book.settled
    if fault == "forgets one charge":
        monkeypatch.setattr(
            Book, "left",
            lambda self: real_left(Book(self.header, self.entries[:-1])),
        )  # fmt: skip
    elif fault == "gives back too much":
        monkeypatch.setattr(
            Book, "left",
            lambda self: real_left(self).plus(zcdp("1/10")) if self.open_charges() else zcdp(1),
        )  # fmt: skip
    else:
        monkeypatch.setattr(
            Book, "settled",
            lambda self, request: real_settled(Book(self.header, self.entries[:-1]), request),
        )  # fmt: skip

    first = settings(FEW, phases=[Phase.generate], report_multiple_bugs=False)  # none shorter
    with pytest.raises((AssertionError, InputError)):
        run_state_machine_as_test(LedgerAgainstModel, settings=first)
