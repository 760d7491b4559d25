"""Words of a command line that are not there are answered with those that were meant."""

import pytest

from discreet.cli.cli import main

pytestmark = pytest.mark.claim("C646")

MEANT = {
    "run p.toml": "write release in place of run",
    "report r": "write show in place of report",
    "relese p.toml": "write release in place of relese",
    "help": "write: discreet --help",
    "version": "write: discreet --version",
    "people.csv": "write: discreet init people.csv",
    "p.toml": "write: discreet plan p.toml",
    "ledger create b.ledger": "write init in place of create",
    "ledger left b.ledger": "write show in place of left",
    "ledger b.ledger": "write: discreet ledger show b.ledger",
    "ledger init b.ledger --eps 1": "write --epsilon in place of --eps",
    "ledger init b.ledger --budget 1": "write --epsilon or --rho in place of --budget",
    "init people.csv --output p.toml": "write --out in place of --output",
    "init people.csv -o p.toml": "write --out in place of -o",
    "init --input people.csv": "write the path alone, without --input",
    "plan p.toml --eps 1": 'write epsilon = "?", or rho = "?", under [spend] of the plan file',
    "plan p.toml --leger b": "write --ledger in place of --leger",
    "plan p.toml --verbose": "leave --verbose out",
    "release p.toml --seed 1": "leave --seed out: the noise follows from the loss, and nobody may "
    "know it",
    "-v": "write --version in place of -v",
}
UNKNOWN = {  # words that may mean much
    "histogram people.csv": "see: discreet --help",
    "verify r --data people.csv": "see: discreet verify --help",
    "ledger burn b.ledger": "see: discreet ledger --help",
    "plan p.toml q.toml": "see: discreet plan --help",
}


def fix(words, capsys):
    assert main(words.split()) == 2
    return capsys.readouterr().err.rstrip().rpartition("  fix: ")[2]


@pytest.mark.parametrize("words", MEANT)
def test_a_wrong_word_is_answered_with_the_right_one(words, capsys):
    """Commands and options of other tools, files where a command belongs, slips of the pen."""
    assert fix(words, capsys) == MEANT[words]


@pytest.mark.parametrize("words", UNKNOWN)
def test_a_word_that_may_mean_much_is_no_guess(words, capsys):
    """The help of the command is named, and nothing is made up."""
    assert fix(words, capsys) == UNKNOWN[words]
