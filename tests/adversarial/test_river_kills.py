"""Five hundred real rivers are killed with SIGKILL at moments spread over their whole length.

Most moments are a fixed list of parts of a river's median length, and where they strike is the
machine's choice; others follow the first change of the ledger's file, or the answer. The invariants hold at every moment, so nothing here fails by chance. The ledgers lie in
memory where there is such a folder: a kill, unlike a power cut, does not reach what was written.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adversarial.river_children import served

KILLS = [("rows", 50)] * 8 + [("parquet", 50)] * 2  # five hundred, in ten parts


@pytest.fixture
def folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as found:
        yield Path(found)


@pytest.mark.exhaustive("kills")
@pytest.mark.claim("C11")
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), KILLS)
def test_no_kill_leaves_an_unpaid_release_or_a_broken_ledger(kind, count, folder):
    """Nothing is stored or answered without its charge, no file breaks, no charge is lost.

    Kills strike before the charge, between charge and answer, and after the answer.
    """
    found = served("kills", folder, kind, count)

    phases = found["phases"]
    assert found["wrong"] == []
    assert sum(phases.values()) == count
    assert min(phases.get(phase, 0) for phase in ("before", "charged", "answered")) >= 3


@pytest.mark.slow
def test_a_river_that_answers_before_it_pays_is_caught(folder):
    """The kills have power: they find the numbers that left unpaid."""
    found = served("kills", folder, "rows", 50, "pays late")

    assert "answered without a charge" in found["wrong"]
