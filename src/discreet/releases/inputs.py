"""What a caller gives to the verbs that run, check and clean: the right kind of thing, or an error.

Rules of this module:
- of what is given instead, a message names the type and nothing else: it may hold data.
"""

from os import PathLike

from ..errors import InputError, as_given
from ..fix import BLANK, Do, Variable, call, leave_out, write
from ..plans.checked import source_of
from ..plans.plan import Plan
from ..plans.size import MOST_NAME
from ..schema import Table
from .release import Release, load


def plan_for(verb: str, given: object) -> Plan:
    """Return the plan that a verb was given, or raise InputError."""
    if isinstance(given, Plan):
        return given
    made = call("discreet.table", source_of(given), unit=BLANK)
    table = Variable("table") if isinstance(given, Table) else made
    plan = call("discreet.plan", table, call("discreet.count"), spend=BLANK)
    ledger = {"ledger": "visits.ledger"} if verb == "run" else {}
    raise InputError(
        f"{verb} was given {as_given(given)} where a plan belongs.",
        why="a plan says what is asked, and what that costs",
        fix=Do(call(f"discreet.{verb}", plan, **ledger)),
    )


def release_for(verb: str, given: object) -> Release:
    """Return the release that a verb was given, itself or where it was saved.

    Raises:
        InputError: it is neither, or there is none.
    """
    if isinstance(given, Release):
        return given
    if isinstance(given, (str, PathLike)):
        return load(given)
    raise InputError(
        f"{verb} was given {as_given(given)} where a release belongs.",
        why="a release is what run returned, or where it was saved",
        fix=Do(call(f"discreet.{verb}", "visits.release")),
    )


def named(request: str) -> str:
    """Return the name of a request, or raise InputError."""
    if not isinstance(request, str) or not request.strip():
        raise InputError(
            "a request needs a name.",
            why="the name tells a repeat, which costs nothing, from a new release",
            fix=(write(of="run", request="2026-11"), leave_out("request", of="run")),
        )
    if len(request) > MOST_NAME:
        raise InputError(
            f"the name of the request has {len(request):,} letters, more than {MOST_NAME:,}.",
            why="the release repeats it, and must not get longer than what can be loaded again",
            fix=(write(of="run", request="2026-11"), leave_out("request", of="run")),
        )
    return request
