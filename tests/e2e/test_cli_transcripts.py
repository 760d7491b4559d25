"""The command line as its user sees it: sessions with their input, kept as text."""

from pathlib import Path

import pytest
from session import matches, parsed, plain, run

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


def _play(text: str, folder: Path) -> None:
    session = parsed(text)
    for name, content in session.files.items():
        (folder / name).write_text(content, encoding="utf-8")
    for step in session.steps:
        code, said = run(step.command)
        assert (step.exit_code, matches(step.expected, said)) == (code, True), (
            f"$ {step.command}\n--- expected [exit {step.exit_code}]\n{plain(step.expected)}\n"
            f"--- was [exit {code}]\n{plain(said)}"
        )


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_reads_as_its_transcript_says(path, tmp_path, monkeypatch):
    """Each command answers with the text and the exit code that its transcript shows."""
    monkeypatch.chdir(tmp_path)

    _play(path.read_text(encoding="utf-8"), tmp_path)


@pytest.mark.parametrize(
    "lie",
    [
        "Started a.ledger: rho = 0.5 may be spent in all.\n...\n",
        "Started a.ledger: rho = 0.125 may be spent in all.\n",
        "Started a.ledger: rho = 0.125 may be spent in all.\n...\n[exit 2]\n",
    ],
)
def test_a_transcript_that_lies_is_caught(lie, tmp_path, monkeypatch):
    """The player has power: a wrong number, a missing line, a wrong exit code."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(AssertionError):
        _play(f"-- session --\n$ discreet ledger init a.ledger --rho 1/8\n{lie}", tmp_path)
