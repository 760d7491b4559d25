"""`discreet audit`: exit codes, what is said, and that nothing is read or charged."""

import json

import pytest

from adversarial.planted import FAULTS
from discreet.cli.cli import main

PLAN = """[data]
source = "people.csv"
unit = { column = "who", max_rows = 2 }
[columns]
cost = { lower = 0, upper = 50, step = 1 }
[keys]
ward = ["A", "B", "C"]
[spend]
epsilon = 1
ledger = "people.ledger"
[[ask]]
statistic = "count"
by = "ward"
[[ask]]
statistic = "sum"
column = "cost"
by = "ward"
"""
NOISY = "echo $(( $(wc -l < $0) + $(od -An -N2 -tu2 /dev/urandom) ))"  # even noise, 65,536 wide
PROGRAMS = {"plain": ("wc -l {csv}", 3), "noisy": (f"sh -c '{NOISY}' {{csv}}", 0)}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(PLAN)
    return tmp_path


@pytest.mark.claim("C531")
def test_one_case_is_audited_without_data_or_ledger(here, capsys):
    """There is no data and no ledger, and afterwards there is none; it ends 0."""
    assert main(["audit", "p.toml", "--case", "memory-3"]) == 0

    text = capsys.readouterr().out
    assert text.startswith("Claimed: epsilon = 1, for all rows with the same who")
    assert "Not checked: timing" in text
    assert text.endswith("No data was read and nothing was charged.\n")
    assert [path.name for path in here.iterdir()] == ["p.toml"]


@pytest.mark.slow
@pytest.mark.claim("C532")
def test_a_fault_ends_3_with_a_pair_and_a_way_to_see_it_again(here, capsys, monkeypatch):
    """And so does the case that is printed."""
    FAULTS["sensitivity too small"].plant(monkeypatch)

    assert main(["audit", "p.toml", "--engine", "memory"]) == 3
    text = capsys.readouterr().out
    assert "FAULT, replay: the pair costs epsilon = " in text
    assert "Table 1 with the unit, " in text
    case = text.partition("--case ")[2].split()[0]
    assert main(["audit", "p.toml", "--case", case, "--json"]) == 3
    reply = json.loads(capsys.readouterr().out)
    assert (reply["ok"], reply["exit_code"], reply["fault"]["layer"]) == (False, 3, "replay")


@pytest.mark.claim("C531")
@pytest.mark.parametrize(
    "words",
    [
        ["--seconds", "0"],
        ["--engine", "oracle"],
        ["--case", "17"],
        ["--case", "memory-x"],
        ["--engine", "postgres"],
        ["--command", "prog"],
    ],
)
def test_what_cannot_be_audited_is_refused(words, here, capsys):
    """In three lines, before anything is made up."""
    assert main(["audit", "p.toml", *words]) == 2
    assert "fix:" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.claim("C533")
@pytest.mark.parametrize("way", PROGRAMS)
def test_another_program_is_audited_by_its_numbers(way, here, capsys):
    """Counts without noise are told at once; false alarms of the other: three of 1e-6."""
    command, code = PROGRAMS[way]

    assert main(["audit", "p.toml", "--seconds", "0.1", "--command", command]) == code
    assert "Not checked: anything exactly" in capsys.readouterr().out
