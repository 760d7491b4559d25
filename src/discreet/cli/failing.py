"""Any failure of a command as three lines that quote no data.

Rules of this module:
- an exception of a library may quote a row, so only its type is said;
- what a note of ours says of a charge is said too.
"""

from ..errors import DiscreetError, InputError, InternalError, shown
from .output import Interrupted

_SPENT = ("rho", "mu2", "epsilon", "delta", "within", "ledger")  # what [spend] of a plan file holds
_OF_PLAN_FILES = ("plan", "release", "rehearse", "explore", "sql")


def told(error: BaseException) -> DiscreetError:
    """Return any failure as three lines that quote no data."""
    if isinstance(error, DiscreetError):
        return error
    if isinstance(error, KeyboardInterrupt):
        return _stopped(error)
    return _wrong_words(error) or _unforeseen(error)


def _stopped(error: BaseException) -> Interrupted:
    why, fix = _noted(error) or (
        "it was not at work on a charge just then",
        "run it again; a release that was paid for comes again for nothing",
    )
    return Interrupted("the command was stopped by Ctrl-C.", why=why, fix=fix)


def _noted(error: BaseException) -> tuple[str, str] | None:
    """Return what a note on an exception says of a charge: what stands, and what can be done."""
    if not hasattr(error, "__notes__"):
        return None
    from ..ledgers.refusal import said_in

    return said_in(error)


def _wrong_words(error: BaseException) -> InputError | None:
    """Return the error for words that Typer could not read, or None for any other."""
    said = getattr(error, "format_message", None)
    if not callable(said):
        return None
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "discreet")
    option = str(getattr(error, "option_name", "")).removeprefix("--")
    in_file = option in _SPENT and command.split()[-1] in _OF_PLAN_FILES
    return InputError(
        f"{shown(' '.join(str(said()).split()), 300).rstrip('.?')}.",
        why="what a plan spends stands in the plan file"
        if in_file
        else "the command line was not understood",
        fix=f'write {option} = "?" under [spend] of the plan file'
        if in_file
        else f"see: {command} --help",
    )


def _unforeseen(error: BaseException) -> InternalError:
    why = "its own message is withheld, because it may quote the data"
    fix = "look at the ledger for an open charge"
    if noted := _noted(error):
        why, fix = f"{why}; {noted[0]}", noted[1]
    return InternalError(
        f"something that should not happen did: {type(error).__name__}.",
        why=why,
        fix=f"please report it with the plan file and the version; {fix}",
    )
