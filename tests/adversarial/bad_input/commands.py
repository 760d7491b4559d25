"""Commands that cannot be kept: words that are wrong, places that are taken, releases that are not.

A case is what is made ready, the words typed, and what comes of them; nothing is made or changed.
"""

import json
import os
import zipfile
from pathlib import Path

from discreet.errors import InputError, LedgerError, VerifyError

from .world import LEDGER, Refused, command

RELEASE, ZIP = "old.release", "old.zip"


def nothing():
    pass


def charged():
    """Pay for a release, and write it as a folder and as a zip."""
    for place in (RELEASE, ZIP):
        assert command("release", "people.toml", "--out", place).code == 0


def after(*acts):
    """Make a release first, then do something to what was written."""

    def make():
        charged()
        for act in acts:
            act()

    return make


def edited(old, new):
    def act():
        path = Path(RELEASE, "release.json")
        text = path.read_text(encoding="utf-8")
        assert old in text, old
        path.write_text(text.replace(old, new), encoding="utf-8")

    return act


def valued():
    """Add one to the first released number."""
    path = Path(RELEASE, "release.json")
    said = json.loads(path.read_text(encoding="utf-8"))
    said["statistics"][0]["vectors"][0]["noisy"][0] += 1
    path.write_text(json.dumps(said), encoding="utf-8")


def written(text):
    return lambda: Path(RELEASE, "release.json").write_text(text, encoding="utf-8")


def zip_cut_off():
    os.truncate(ZIP, Path(ZIP).stat().st_size // 2)


def zip_of(*names):
    def act():
        with zipfile.ZipFile("other.zip", "w") as file:
            for name in names:
                file.writestr(name, "{}")

    return act


def no(words, what, error=InputError, make=nothing):
    return make, words.split(), Refused(error, what)


# fmt: off
WORDS = {
    "unknown command": no("relase people.toml", "^No such command 'relase'"),
    "unknown option": no("plan people.toml --seed 7", "^No such option: --seed"),
    "no plan file named": no("release", "^Missing argument 'FILE'"),
    "two plan files": no("release people.toml people.toml", "unexpected extra argument"),
    "unknown ledger command": no("ledger burn people.ledger", "^No such command 'burn'"),
    "plan file that is not there": no("plan nowhere.toml", "^nowhere.toml: the plan file cannot be read"),
    "plan file that is a folder": no("plan .", r"^\.: the plan file cannot be read"),
    "plan file that is the ledger": no("plan people.ledger", "^people.ledger: the plan file (is not TOML|cannot be read)"),
    "draft of no file": no("init nowhere.csv", "^there is no file"),
    "draft of an address": no("init s3://a/b.csv", "is not a path of this machine"),
    "draft over a file": no("init people.csv --out people.toml", "^people.toml is there already"),
    "draft into no folder": no("init people.csv --out no/people.toml", "^no/people.toml cannot be written"),
    "demo into a file": no("demo people.csv", "people.csv"),
}
BUDGETS = {
    "budget not said": no("ledger init new.ledger", "^the budget is missing"),
    "budget in two kinds": no("ledger init new.ledger --rho 1 --epsilon 1", "^the budget is missing, or stated twice"),
    "budget of delta alone": no("ledger init new.ledger --delta 1e-6", "^the budget is missing"),
    "budget negative": no("ledger init new.ledger --epsilon -1", "^epsilon = -1 must be at least 0"),
    "budget a word": no("ledger init new.ledger --epsilon abc", "^epsilon = abc is not a finite"),
    "budget NaN": no("ledger init new.ledger --rho nan", "^rho = nan is not a finite"),
    "budget infinite": no("ledger init new.ledger --rho inf", "^rho = inf is not a finite"),
    "budget over zero": no("ledger init new.ledger --rho 1/0", "^rho = 1/0 is not a finite"),
    "budget with delta one": no("ledger init new.ledger --epsilon 1 --delta 1", "^delta = 1 must be below 1"),
    "budget with delta negative": no("ledger init new.ledger --epsilon 1 --delta -1", "^delta = -1 must be at least 0"),
    "ledger started twice": no(f"ledger init {LEDGER} --rho 1", "^people.ledger is there already", LedgerError),
    "ledger in no folder": no("ledger init no/new.ledger --rho 1", "^no/new.ledger cannot be made", LedgerError),
}
LEDGERS = {
    "ledger that is not there": no("ledger show nowhere", "^there is no ledger nowhere", LedgerError),
    "ledger that is a data file": no("ledger show people.csv", "^people.csv ", LedgerError),
    "ledger that is the plan": no("release people.toml --ledger people.toml", "^people.toml ", LedgerError),
    "void of no charge": no("ledger void people.ledger 7 --why x", "^entry 7 in people.ledger is not an open charge"),
    "void of a word": no("ledger void people.ledger x --why x", "^Invalid value for 'CHARGE...'"),
    "void without a reason": no("ledger void people.ledger 1", "^Missing option '--why'"),
    "void of an answered charge": no("ledger void people.ledger 1 --why x", "^entry 1 in people.ledger is not an open charge", make=charged),
    "ledger checked with another's release": no("ledger verify new.ledger old.release", "^new.ledger does not check", LedgerError, after(lambda: command("ledger", "init", "new.ledger", "--epsilon", "1"))),
}
PLACES = {
    "place that is a file's name": no("release people.toml --out people.csv", "^people.csv is the name of a file"),
    "place in no folder": no("release people.toml --out no/new.release", "^no/new.release cannot be a place"),
    "place in a file": no("release people.toml --out people.csv/new", "^people.csv/new cannot be a place"),
    "place with a name too long": no(f"release people.toml --out {'x' * 300}", "cannot be a place"),
    "rehearsal over a file": no("rehearse people.toml --out people.csv", "^people.csv is the name of a file"),
    "rehearsal over a release": no("rehearse people.toml --out old.release", "^old.release is there already", make=charged),
    "name of a request is blank": (nothing, ["release", "people.toml", "--request", " "], Refused(InputError, "^a request needs a name")),
}
RELEASES = {
    "release that is not there": no("show nowhere", "^no release can be read at nowhere"),
    "release that is a data file": no("show people.csv", "^this file is not a release of discreet"),
    "release that is an empty folder": no("show new", "^no release can be read at new", make=lambda: os.mkdir("new")),
    "release.json is gone": no("verify old.release", "^no release can be read", make=after(lambda: os.remove(f"{RELEASE}/release.json"))),
    "release.json is empty": no("verify old.release", "^this file is not a (whole )?release", make=after(written(""))),
    "release.json is another object": no("verify old.release", "^this file is not a (whole )?release", make=after(written('{"a": 1}'))),
    "release.json nested 100,000 deep": no("verify old.release", "^this file is not a (whole )?release", make=after(written("[" * 100_000))),
    "release.json with a number too much": no("verify old.release", "^this file is not a (whole )?release", make=after(edited('"loss":', '"extra":1,"loss":'))),
    "release cleaned that is not there": no("denoise nowhere", "^no release can be read at nowhere"),
    "release cleaned over a file": no("denoise old.release --out people.csv", "^people.csv is there already", make=charged),
    "release cleaned into itself": no("denoise old.release --out old.release/c.csv", "^old.release/c.csv would lie in a release", make=charged),
    "release cleaned into no folder": no("denoise old.release --out no/c.csv", "^no/c.csv cannot be written", make=charged),
    "release cleaned by nobody": no("denoise old.release --how median", "^there is no denoiser 'median'", make=charged),
    "release cleaned by what does not fit": no("denoise old.release --how wavelets_sure", "^wavelets_sure fits none", make=charged),
    "release cleaned with a total of nothing": no("denoise old.release --total many", "^--total many is no total", make=charged),
    "release cleaned with an unknown fact": no("denoise old.release --known true", "^there is no fact 'true'", make=charged),
    "release zip cut off": no("verify old.zip", "^no release can be read at old.zip", make=after(zip_cut_off)),
    "zip of something else": no("show other.zip", "^this file is not a release of discreet", make=zip_of("a.txt")),
    "price of the plan edited": no("verify old.release", "^this file is not a whole release", make=after(edited('"spend":{"epsilon":"1"', '"spend":{"epsilon":"2"'))),
    "price edited everywhere": no("verify old.release", "^the release does not check", VerifyError, after(edited('"epsilon":"1"', '"epsilon":"1/2"'))),
    "number edited": no("verify old.release", "^the release does not check", VerifyError, after(valued)),
    "release checked with no ledger": no("verify old.release --ledger nowhere", "^there is no ledger nowhere", LedgerError, charged),
    "release checked with another ledger": no("verify old.release --ledger new.ledger", "another ledger paid for it", VerifyError, after(lambda: command("ledger", "init", "new.ledger", "--epsilon", "1"))),
}
# fmt: on
SLOW = {*RELEASES, "void of an answered charge", "ledger checked with another's release"}
CASES = {**WORDS, **BUDGETS, **LEDGERS, **PLACES, **RELEASES}
