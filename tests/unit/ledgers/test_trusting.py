"""An owner's word for locks that cannot be told: who needs it, and what the ledger keeps of it."""

import pytest

import discreet as dp
from discreet.errors import InputError, LedgerError
from discreet.ledgers import store, trusting
from discreet.privacy.loss import approx, gdp, pure, zcdp
from unit.anchored import pay

pytestmark = pytest.mark.claim("C540")
LINE = "36 35 98:0 / {} rw,noatime shared:1 - {} server:/home rw"
PURSES = {"budget": approx(1, "1e-6"), "pure": "1/2"}
BUDGETS = [{"budget": loss} for loss in (pure(1), zcdp(1), gdp(mu2=1), approx(1, "1e-6"))]


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    """Let this process read another list of what is mounted, and forget what it has read."""

    def mount(system, folder=tmp_path, *more):
        place = tmp_path.parent / f"{tmp_path.name}-mounts"
        lines = [LINE.format("/", "ext4"), LINE.format(folder, system), *more]
        place.write_text("\n".join(lines))
        monkeypatch.setattr(store, "_MOUNTS", place)
        monkeypatch.setattr(store, "_TRIED", {})
        store.TRUSTED.clear()

    return mount


@pytest.mark.parametrize("system", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs", "virtiofs"])
def test_a_drive_that_other_machines_reach_is_refused(mounted, tmp_path, system):
    """Three lines that name it; no file is made."""
    mounted(system)
    with pytest.raises(LedgerError, match=f"it is on {system}, which") as refused:
        dp.ledger(tmp_path / "t.ledger", budget=zcdp(1))
    assert str(refused.value).count("\n") == 2
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("system", ["ext4", "xfs", "btrfs", "overlay", "tmpfs", "fuseblk"])
def test_a_disk_of_this_machine_needs_no_word(mounted, tmp_path, system):
    mounted(system)
    pay(dp.ledger(tmp_path / "t.ledger", budget=zcdp(1)), "1")


@pytest.mark.parametrize("given", [*BUDGETS, PURSES], ids=str)
def test_the_ledger_keeps_the_word_and_is_charged(mounted, tmp_path, given):
    """For every kind of budget: nothing is charged for it, and it is never taken back."""
    ledger = dp.ledger(tmp_path / "t.ledger", **given)
    mounted("nfs4")
    with pytest.raises(LedgerError, match="nobody can tell whether locks exclude"):
        pay(ledger, "1", ledger.left().times(zcdp("1/8").rho))
    left = ledger.left()

    ledger.trust_locks("one machine writes here", who="the owner")
    assert ledger.left() == left
    assert ledger.verify() == []
    (row,) = ledger.book().rows()
    assert (row.who, row.why, row.state) == ("the owner", "one machine writes here", "answered")
    with pytest.raises(InputError, match="is not an open charge"):
        ledger.void(1, reason="I want it back")
    mounted("nfs4")  # another process
    pay(ledger, "1", ledger.left().times(zcdp("1/8").rho))
    assert ledger.verify() == []


def test_a_new_ledger_keeps_it_from_its_start(mounted, tmp_path):
    mounted("cifs")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=zcdp(1), trust_locks="one machine")
    assert [row.why for row in ledger.book().rows()] == ["one machine"]
    pay(ledger, "1")
    assert dp.ledger(ledger.path, budget=zcdp(1), trust_locks="again").verify() == []


def test_a_request_of_the_same_name_is_no_word(mounted, tmp_path):
    """A run may be called so; its plan has another digest."""
    ledger = dp.ledger(tmp_path / "t.ledger", budget=zcdp(1))
    pay(ledger, trusting._REQUEST)
    mounted("nfs4")
    with pytest.raises(LedgerError, match="nobody can tell whether locks exclude"):
        pay(ledger, "2")


def test_the_innermost_mount_counts_and_a_blank_in_its_name(mounted, tmp_path):
    """A local disk under a network drive is local, and the other way around."""
    inner = tmp_path / "a b"
    inner.mkdir()
    written = str(inner).replace(" ", r"\040")
    mounted("nfs4", tmp_path, LINE.format(written, "ext4"))
    dp.ledger(inner / "t.ledger", budget=zcdp(1))
    mounted("ext4", tmp_path, LINE.format(written, "nfs4"))
    with pytest.raises(LedgerError, match="nfs4"):
        dp.ledger(inner / "u.ledger", budget=zcdp(1))
    mounted("nfs4", f"{tmp_path}-not")
    dp.ledger(tmp_path / "v.ledger", budget=zcdp(1))


def test_a_word_needs_a_reason_and_is_given_once(mounted, tmp_path):
    ledger = dp.ledger(tmp_path / "t.ledger", budget=zcdp(1))
    with pytest.raises(InputError, match="without a reason"):
        ledger.trust_locks("  ")
    mounted("nfs4")
    with pytest.raises(LedgerError, match="nobody can tell whether locks exclude"):
        dp.ledger(tmp_path / "u.ledger", budget=zcdp(1), trust_locks="  ")
    ledger.trust_locks("one machine")
    with pytest.raises(InputError, match="already"):
        ledger.trust_locks("one machine")
    with pytest.raises(InputError, match="is not a reason"):
        dp.ledger(tmp_path / "t.ledger", trust_locks=3)


def test_what_was_known_is_forgotten_where_the_word_was_not_written(mounted, tmp_path):
    """The transaction that should keep it fails: the next charge is refused."""
    ledger = dp.ledger(tmp_path / "t.ledger", budget=zcdp(1))
    mounted("nfs4")
    with pytest.raises(InputError):
        ledger.trust_locks("half of a character \ud800")
    with pytest.raises(LedgerError, match="nobody can tell whether locks exclude"):
        pay(ledger, "1")
