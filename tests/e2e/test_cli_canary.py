"""No command says anything of the data, except for released numbers with their noise."""

import json
import re

import pytest
from people import DATA, PLAN, settle
from session import run

CANARIES = ("Elm Street", "Zebulon", "73196482", "918273.645")
SECRETS = (
    '73196482,41,"47 Elm Street",918273.645\n'
    "Zebulon,Zebulon,Zebulon,Zebulon\n"
    '73196482,"Zeb""ulon","A",1e+05\n'
)
WEIRD = '7,"x;""\u202e",\x07"A",NaN,73196482,too,many\n'
COMMANDS = (
    "init people.csv",
    "plan people.toml",
    "rehearse people.toml",
    "release people.toml",
    "release people.toml --request 2 --out 2.zip",
    "show people.release",
    "denoise people.release --how james_stein_mean --interval average --out 1.csv",
    "verify people.release --ledger people.ledger",
    "ledger show people.ledger",
    "ledger verify people.ledger people.release",
    "release people.toml --request 3",
    "release dear.toml --out dear",
    "release wrong.toml --out wrong --ledger wrong.ledger",
)
CHANGING = ("noisy", "rows", "created", "when", "id", "hash")
CLOCK = re.compile(r"\d{2}-\d{2} \d{2}:\d{2}")  # when an anchor was seen
NUMBER = re.compile(r"-?[\d,]*\.?\d+(e[+-]?\d+)?|too few to say|unknown")


def _transcript(folder, data: str, *, plan: str = PLAN) -> list[tuple[str, int, str]]:
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        settle(folder, data=data, plan=plan)
        (folder / "dear.toml").write_text(plan.replace("1/50", "9"))
        (folder / "wrong.toml").write_text(plan.replace("city", "town"))
        run("discreet ledger init wrong.ledger --rho 1")
        words = [f"{c}{as_json}" for c in COMMANDS for as_json in ("", " --json")]
        return [(line, *run(f"discreet {line}")) for line in words]


def _without_noise(said: str) -> str:
    """Return a text without what noise and the clock decide."""
    if said.startswith("{"):
        return json.dumps(_fixed(json.loads(said)))
    return re.sub(r"[\s─]+", " ", NUMBER.sub("#", said))


def _fixed(value: object) -> object:
    if isinstance(value, dict):
        return {name: _fixed(part) for name, part in value.items() if name not in CHANGING}
    if isinstance(value, str):
        return CLOCK.sub("#", value)
    return [_fixed(part) for part in value] if isinstance(value, list) else value


@pytest.mark.exhaustive
@pytest.mark.claim("C09")
@pytest.mark.slow
@pytest.mark.parametrize("unit", ['"row"', '{ column = "person", max_rows = 2 }'])
def test_no_command_quotes_a_cell(unit, tmp_path):
    """Secret words and numbers of the data appear on neither stream of any command."""
    plan = PLAN.replace('unit = "row"', f"unit = {unit}")

    said = "".join(text for _, _, text in _transcript(tmp_path / "d", DATA + SECRETS, plan=plan))

    assert [canary for canary in CANARIES if canary in said] == []
    assert "people.csv, released at rho = 0.02." in said


@pytest.mark.exhaustive
@pytest.mark.claim("C17")
@pytest.mark.slow
@pytest.mark.parametrize("row", [WEIRD, SECRETS.split("\n")[1] + "\n", "5,\n"])
def test_one_weird_row_more_changes_no_exit_code_and_no_text(row, tmp_path):
    """On a table and on its neighbor every command says the same, apart from noise."""
    one = _transcript(tmp_path / "one", DATA)
    other = _transcript(tmp_path / "other", DATA + row)

    assert [code for _, code, _ in one] == [code for _, code, _ in other]
    for (line, _, said), (_, _, heard) in zip(one, other, strict=True):
        assert _without_noise(said) == _without_noise(heard), line


def test_a_command_that_quoted_a_cell_would_be_seen(tmp_path):
    """The comparison has power: a word of the data is no noise."""
    said = _without_noise("EngineError: could not read 'Zebulon'.")

    assert said != _without_noise("EngineError: could not read 'Miller'.")
    assert _without_noise("A 12 10 to 14") == _without_noise("A  -3  0 to 1.5")
