"""Words on a command line that are not there, and the command or the option that was meant.

Rules of this module:
- a word of other tools leads to the word of its own meaning; a guess is one slip of the pen away;
- what a plan spends stands in its file: an option for it is answered with the line to write.
"""

import re
from collections.abc import Iterable
from shlex import quote
from typing import Any, Final

from ..fix import nearest_name

_NO_COMMAND = re.compile(r"No such command '(.*?)'")
_COMMANDS: Final[dict[str, tuple[str, ...]]] = {  # of other tools: the commands that may be meant
    **dict.fromkeys(("run", "execute", "publish", "measure", "apply"), ("release",)),
    **dict.fromkeys(("new", "create", "start", "draft", "setup"), ("init",)),
    **dict.fromkeys(("left", "balance", "status", "remaining", "budget", "list"), ("show",)),
    **dict.fromkeys(("report", "view", "print", "cat", "display", "open"), ("show",)),
    **dict.fromkeys(("query", "select", "ask"), ("sql",)),
    **dict.fromkeys(("price", "cost", "estimate"), ("plan",)),
    **dict.fromkeys(("validate", "prove"), ("verify", "check")),
    **dict.fromkeys(("simulate", "dry-run", "dryrun", "try"), ("rehearse",)),
    **dict.fromkeys(("example", "examples", "tutorial"), ("demo",)),
}
_SELF = {"help": "--help", "version": "--version"}  # commands that are options here
_FILES = {".toml": "plan", ".csv": "init", ".parquet": "init", ".xlsx": "init", ".ledger": "show"}
_OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("output", "o", "outfile", "out-dir", "output-dir", "dest", "to"), ("out",)),
    **dict.fromkeys(("eps", "e", "privacy-budget"), ("epsilon",)),
    **dict.fromkeys(("l", "book"), ("ledger",)),
    **dict.fromkeys(("j", "as-json"), ("json",)),
    **dict.fromkeys(("v", "V"), ("version",)),
    **dict.fromkeys(("user", "author"), ("who",)),
    **dict.fromkeys(("reason", "message", "m"), ("why",)),
    **dict.fromkeys(("id", "request-id"), ("request",)),
}
_PATHS: Final[dict[str, tuple[str, ...]]] = {  # by what stands for a path: options that name it
    "FILE": ("input", "i", "file", "f", "path", "plan", "config"),
    "DATA": ("input", "i", "file", "f", "path", "data", "source", "csv"),
    "LEDGER": ("path", "file", "f", "ledger"),
    "RELEASE": ("path", "file", "f", "input", "i", "release"),
}
_LEFT_OUT: Final[dict[str, str]] = {  # options of other tools that nothing is in place of
    **dict.fromkeys(
        ("seed", "random-state", "mechanism", "noise", "sigma"),
        ": the noise follows from the loss, and nobody may know it",
    ),
    **dict.fromkeys(("verbose", "quiet", "q", "force", "yes", "y", "debug"), ""),
}
_LOSSES = ("spend", "budget", "loss", "eps", "e", "privacy-budget", "privacy-loss")


def command_meant(message: str, command: str, known: Iterable[str]) -> str:
    """Return what to type in place of a command that is not there; "" where nobody can tell.

    Args:
        message: of the parser of the command line.
        command: the words before it, such as "discreet ledger".
        known: the commands that there are.
    """
    match, names = _NO_COMMAND.search(message), [*known]
    word = match[1] if match else ""
    if word in _SELF:
        return f"write: {command} {_SELF[word]}"
    suffix = f".{word.rpartition('.')[2]}" if "." in word else ""
    verb = _FILES.get(suffix, "")
    if verb in names:
        return f"write: {command} {verb} {quote(word)}"
    meant = next((name for name in _COMMANDS.get(word.casefold(), ()) if name in names), "")
    meant = meant or (nearest_name(word, names) if word else "")
    return f"write {meant} in place of {word}" if meant else ""


def option_meant(option: str, *, known: Iterable[str], path: str, spends: bool) -> str:
    """Return what to type in place of an option that is not there; "" where nobody can tell.

    Args:
        option: the word that was typed, without its dashes.
        known: the options that there are.
        path: the word for the path that the command takes without a name; "" for none.
        spends: whether it reads a plan file, which says what is spent.
    """
    names, typed = [*known], f"{'-' if len(option) == 1 else '--'}{option}"
    if spends and option in _LOSSES:
        return 'write epsilon = "?", or rho = "?", under [spend] of the plan file'
    if option in _LEFT_OUT:
        return f"leave {typed} out{_LEFT_OUT[option]}"
    meant = next((name for name in _OPTIONS.get(option, ()) if name in names), "")
    meant = meant or nearest_name(option, names)
    if not meant and option in _PATHS.get(path, ()):
        return f"write the path alone, without {typed}"
    if not meant and option in _LOSSES and "epsilon" in names:
        meant = "epsilon or --rho"
    return f"write --{meant} in place of {typed}" if meant else ""


def words_meant(error: Any, message: str, command: str, *, spends: bool) -> str:
    """Return what to type in place of words that a parser of the command line refused."""
    of = getattr(getattr(error, "ctx", None), "command", None)
    option = str(getattr(error, "option_name", "")).lstrip("-")
    if not option:
        return command_meant(message, command, getattr(of, "commands", ()))
    params = getattr(of, "params", ())
    known = [name.lstrip("-") for each in params for name in each.opts if name.startswith("--")]
    paths = (str(each.metavar) for each in params if not each.opts[0].startswith("-"))
    return option_meant(option, known=known, path=next(paths, ""), spends=spends)
