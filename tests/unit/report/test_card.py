"""card.png: drawn where a release has an address, known to verify, gone with the address."""

import struct
import warnings

import pytest

import discreet as dp
from discreet.errors import VerifyError
from discreet.report.card import card_of
from unit.report_documents import hostile, small


def released(folder):
    people = dp.table([{"ward": "A"}] * 30, name="p", unit="row", keys={"ward": ["A", "B"]})
    plan = dp.plan(people, dp.count(by="ward"), spend=dp.zcdp("1/50"))
    return dp.run(plan, ledger=dp.ledger(folder / "a.ledger", budget=dp.zcdp("1/8")))


@pytest.mark.slow
def test_a_card_is_a_picture_of_1200_by_630():
    """The same each time, whatever names are; a rehearsal's is another."""
    first, again = card_of(small(), dp.about()), card_of(small(), dp.about())
    assert first == again != card_of(small(rehearsal=True), dp.about())
    assert first.startswith(b"\x89PNG")
    assert struct.unpack(">II", first[16:24]) == (1200, 630)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font.*")
        words = dp.about(title="$x^2$ " * 60, publisher="\\frac{1}{" * 30)
        assert card_of(hostile(), words).startswith(b"\x89PNG")


@pytest.mark.claim("C564")
@pytest.mark.slow
def test_a_card_lies_where_the_page_names_it(tmp_path):
    """Saved and annotated; verify knows it, and calls it strange where the page names none."""
    release, words = released(tmp_path), dp.about(url="https://a.org/r")
    plain = release.save(tmp_path / "plain.release")
    assert not (plain / "card.png").exists()
    saved = release.save(tmp_path / "a.release", about=words)
    assert "https://a.org/r/card.png" in (saved / "report.html").read_text("utf-8")
    assert "card.png (a picture)" in str(dp.verify(saved))

    release.annotate(plain, words)
    assert (plain / "card.png").read_bytes() == (saved / "card.png").read_bytes()
    release.annotate(plain, dp.about(title="No address"))
    assert not (plain / "card.png").exists()
    dp.verify(plain)
    (plain / "card.png").write_bytes((saved / "card.png").read_bytes())
    with pytest.raises(VerifyError, match=r"card\.png does not belong"):
        dp.verify(plain)
    packed = release.save(tmp_path / "a.zip", about=words)
    assert "card.png (a picture)" in str(dp.verify(packed))
