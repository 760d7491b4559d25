"""Joined files on the command line: from a plan file to a release that is checked."""

from session import run

from visits import FILE

AGES = """
[[ask]]
statistic = "sum"
column = "age"
"""


def test_the_command_line_releases_joined_files(tmp_path):
    """From three CSV files to a release that is checked; its report says what was joined."""
    (tmp_path / "visits.csv").write_text("visit,ward,cost\n1,A,1\n2,B,2\n3,A,3\n")
    (tmp_path / "orders.csv").write_text("visit,who\n1,ann\n1,bob\n2,bob\n9,carl\n")
    (tmp_path / "people.csv").write_text("id,age\nann,3\nbob,5\n")
    (tmp_path / "visits.toml").write_text(FILE + AGES)
    for words in (
        "discreet ledger init visits.ledger --rho 2",
        "discreet rehearse visits.toml",
        "discreet release visits.toml --out visits.release",
        "discreet verify visits.release --ledger visits.ledger",
    ):
        code, said = run(
            " ".join(f"{tmp_path}/{w}" if w.startswith("visits.") else w for w in words.split())
        )
        assert code == 0, said
    report = (tmp_path / "visits.release" / "report.html").read_text()

    assert "A unit is protected with all its rows in orders and people" in report
