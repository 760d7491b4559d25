"""An audit of a plan: what is checked in which order, how long, and what is told of it.

Rules of this module:
- no data is read and nothing is charged; what is counted are made-up rows;
- exact layers come first: what they find is found for certain, and is told with the smallest pair
  that was found; sampled layers say how likely they are wrong;
- what was not checked is told beside what was.

Decision 119.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from time import monotonic, process_time

from ..entropy import Coins
from ..errors import EngineError, InputError, as_given
from ..exact.number import rounded
from ..fix import write
from ..noise.law import Law
from ..plans.plan import Plan
from ..privacy.loss import Loss
from ..releases.open_ledger import plan_for
from . import choosing, compare, intervals, laws, lifting, sampled
from .charged import undercharged
from .released import noises_of
from .replay import Replayed, pooled, replayed, seen
from .result import Audit, AuditFault, Check, Stop
from .same import declared_apart, saved_apart
from .servers import check_named
from .sources import ENGINES, Place, is_of_csv, placed
from .worlds import (
    FAMILIES,
    PLAIN,
    Layout,
    Neighbors,
    World,
    in_cell,
    layout_of,
    pair_of,
    smaller,
)

_FEW, _SECONDS = 8, 60.0
_LEAST = 120.0  # seconds that each family of pairs may take once, however few were asked for
_SHRINK = 5.0  # seconds of CPU to look for a smaller pair
_SHRINK_CLOCK = (5.0, 30.0)  # the least and the most by the clock; between them a quarter of all
_NONE: frozenset[str] = frozenset()
_SETS = (_NONE, frozenset({"k0"}), frozenset({"k1", "k2"}))


@dataclass(frozen=True, slots=True)
class _Course:
    """One audit under way: the plan with made-up keys, what was asked, and what it may cost."""

    asked: Plan
    plan: Plan
    layout: Layout
    stated: tuple[bool, ...]
    cost: Loss
    prices: tuple[Loss, ...]
    shrink: float = _SHRINK_CLOCK[1]


def audit(
    plan: Plan,
    *,
    engine: str | None = None,
    seconds: float = _SECONDS,
    case: str | None = None,
    address: str = "",
) -> Audit:
    """Try to break a plan on made-up tables; nothing is read or charged.

    Args:
        plan: what to audit.
        engine: which engine counts: one of ENGINES; without it the reference and DuckDB.
        seconds: how long, about; each layer gets its part.
        case: a case that an audit has printed, to see it again, alone.
        address: of a Postgres server, where its tables may be made.

    Raises:
        InputError: an engine or a case that is not known.
    """
    plan, number = plan_for("audit", plan), None
    engines = [engine] if engine else ["memory", "duckdb"]
    if case is not None:
        engines, number = _case(case)
    if not set(engines) <= set(ENGINES):
        raise _no_engine(engines)
    check_named(engines[0], address)
    started, course = monotonic(), _course(plan, seconds)
    result = Audit(claimed=_claimed(plan))
    result.unchecked += _unchecked(course)
    paths, later = _paths(course), None
    try:
        if number is None:
            _declared(plan, result)
            _samplers(course, result)
            _charged(course, result)
            _drawn(paths, 0.01 * seconds)
            _intervals(course, result)
            later = _noises(course, result, 0.05 * seconds)
        for name in engines:
            with placed(name, address) as place:
                part = 0.8 * seconds / len(engines)
                _pairs(course, name, place, result, part, number, later)
        if number is None:
            _drawn(paths, 0.14 * seconds)
            result.checks += [Check("law, drawn", _weighed(stream)) for stream in paths]
    except Stop as stop:
        result.fault = stop.fault
    result.seconds = monotonic() - started
    return result


def _course(plan: Plan, seconds: float) -> _Course:
    from .cells import MADE_KEYS

    asked, here = plan, plan
    if plan.findings:
        here = plan.found({item.column: MADE_KEYS[:3] for item in plan.findings})
        here = replace(here, findings=())
    stated = tuple(
        "sensitivity" in line.asked.plain() for line in here.lines for _ in line.aggregates
    )
    shrink = min(max(seconds / 4, _SHRINK_CLOCK[0]), _SHRINK_CLOCK[1])
    prices = tuple(compare.prices(plan))
    return _Course(asked, here, layout_of(here), stated, plan.cost, prices, shrink)


def _claimed(plan: Plan) -> str:
    return f"{plan.cost}, for {plan.table.unit} ({plan.table.neighbors})"


def _unchecked(course: _Course) -> list[str]:
    words = ["timing, and the operating system's random bytes"]
    labels = [line.asked.label for line in course.plan.lines if "sensitivity" in line.asked.plain()]
    if labels:
        words.append(
            f"how far one unit moves {', '.join(labels)}: it is stated, and has no exact layer"
        )
    if not is_of_csv(course.plan.table.source):
        words.append("how its own source is read: made-up rows lie in lists and CSV files")
    if course.plan.table.csv.fixed:
        words.append("the layout of files of fixed width: made-up files have separators")
    if course.plan.table.vouched is not None:
        words.append("that each row of the source is of one unit: it is vouched for")
    return words


def _declared(plan: Plan, result: Audit) -> None:
    """Look at what is declared public: that it does not lie in the data."""
    for words in declared_apart(plan):
        raise Stop(AuditFault("declaration", words))
    result.checks.append(
        Check("declaration", "lists of keys, owners and facts are apart by their paths")
    )


def _pairs(
    course: _Course,
    engine: str,
    place: Place,
    result: Audit,
    seconds: float,
    only: int | None,
    later: AuditFault | None,
) -> None:
    """Replay pairs on one engine, then draw whole runs on the worst."""
    start, number, tried, failed = monotonic(), only or 0, 0, 0
    end, late = start + 0.7 * seconds, start + max(_LEAST, 3 * seconds)
    late = late if later is None else start + 0.5 * seconds
    worst: tuple[compare.PairLoss, Neighbors, Replayed] | None = None
    chance, few, case = 0.0, len(FAMILIES), ""
    while tried == 0 or (only is None and monotonic() < (late if tried < few else end)):
        pair = aimed(course, pair_of(course.layout, number), place, f"{engine}-{number}")
        both, cost = _one(course, engine, place, pair, number)
        failed += both.before.outcome != "answered"
        chance = max(chance, cost.chance)
        if worst is None or _is_worse(cost, pair, worst):
            worst, case = (cost, pair, both), f"{engine}-{number}"
        tried, number = tried + 1, number + 1
        if tried == few and failed < tried:
            if later is not None:
                break
            _fair(course, engine, place, result)
    if later is not None:
        raise Stop(later)
    if worst is None:
        return
    if failed == tried and only is None:
        raise _none_answered(engine, worst[2])
    moved = _moved(course, replace(worst[0], chance=chance))
    none = (
        f"; {failed:,} of them failed with and without it, which checks nothing" if failed else ""
    )
    pairs = "pair" if tried == 1 else "pairs"
    words = f"{tried:,} {pairs} of tables on {engine}, with one unit and without it{none}"
    words = f"{words}; the worst moves {moved}"
    result.checks.append(Check("replay", words))
    if apart := saved_apart(course.plan, worst[2]):
        raise Stop(AuditFault("replay", apart, case=case))
    if only is None:
        _runs(course, engine, place, result, worst, seconds * 0.3)


def _none_answered(engine: str, both: Replayed) -> EngineError:
    """Return the error for an engine on which each pair failed: then nothing was compared."""
    return EngineError(
        f"no pair of made-up tables was answered on {engine}: nothing was checked there.",
        kind="count-failed",
        why=f"all {both.before.outcome}, with the unit and without it",
        fix="see that the engine runs, and audit again",
    )


def aimed(course: _Course, pair: Neighbors, place: Place, case: str) -> Neighbors:
    """Return a pair whose unit is in a cell that noise alone shows, where such are told."""
    sparse = [n for n, item in enumerate(course.plan.aggregates) if item.sparse is not None]
    if not sparse or pair.family in PLAIN:
        return pair
    without = seen(course.plan, course.layout, pair.after, place, case, course.cost)
    if without.plan is None:
        return pair
    item, noisy = course.plan.aggregates[sparse[0]], without.noisy[sparse[0]]
    empty = [at for at in noisy.places or () if not without.exact[sparse[0]].get(at)]
    return in_cell(course.layout, pair, item.by, empty[len(empty) // 2]) if empty else pair


def _is_worse(
    cost: compare.PairLoss, pair: Neighbors, worst: tuple[compare.PairLoss, Neighbors, Replayed]
) -> bool:
    """Tell whether a pair moves further, or as far with fewer rows."""
    rows = [sum(map(len, each.before)) for each in (worst[1], pair)]
    return (cost.size(), rows[0]) > (worst[0].size(), rows[1])


def _one(
    course: _Course, engine: str, place: Place, pair: Neighbors, number: int
) -> tuple[Replayed, compare.PairLoss]:
    """Replay one pair; whatever is wrong with it ends the audit, with the smallest such pair."""
    case = f"{engine}-{number}"
    both, cost, wrong = _looked(course, place, pair, case)
    if wrong is None:
        return both, cost
    spent, end = process_time() + _SHRINK, monotonic() + course.shrink

    def holds(fewer: Neighbors) -> bool:
        in_time = process_time() < spent and monotonic() < end
        return in_time and _looked(course, place, fewer, case)[2] is not None

    least = smaller(pair, holds)
    again = _looked(course, place, least, case)[2] or wrong
    raise Stop(
        AuditFault("replay", again, case=case, before=_rows(least.before), after=_rows(least.after))
    )


def _looked(
    course: _Course, place: Place, pair: Neighbors, case: str
) -> tuple[Replayed, compare.PairLoss, str | None]:
    """Return what a pair costs at least, and what is wrong with it, also beside the reference."""
    both, cost, wrong = _tried(course, place, pair, case)
    if wrong is None and pair.family in PLAIN and not case.startswith("memory"):
        wrong = _unlike_reference(course, both, pair, case)
    return both, cost, wrong


def _tried(
    course: _Course, place: Place, pair: Neighbors, case: str
) -> tuple[Replayed, compare.PairLoss, str | None]:
    """Return what a pair costs at least, and what is wrong with it."""
    both = replayed(course.plan, course.layout, pair, place, case, course.cost)
    wrong = next(compare.differences(course.plan, both), None)
    cost = (
        compare.measured(course.plan, both, course.stated) if wrong is None else compare.PairLoss()
    )
    if wrong is None and course.asked.findings:
        known = [
            pooled(course.asked, course.layout, world, place, case, _SETS)
            for world in (pair.before, pair.after)
        ]
        cost = compare.together(cost, compare.found_cost(course.asked, *known))
    for price in course.prices if wrong is None else ():
        if (words := compare.above(price, cost)) is not None:
            return both, cost, f"the pair costs {words}"
    return both, cost, wrong


def _unlike_reference(course: _Course, both: Replayed, pair: Neighbors, case: str) -> str | None:
    """Return that an engine counts other numbers than the reference, where no limit binds."""
    with placed("memory") as place:
        other = replayed(course.plan, course.layout, pair, place, case, course.cost)
    if both.before.outcome != "answered" or other.before.outcome != "answered":
        return None
    pairs = zip(both.before.exact, other.before.exact, strict=True)
    for number, (mine, reference) in enumerate(pairs):
        if {at: n for at, n in mine.items() if n} != {at: n for at, n in reference.items() if n}:
            return f"vector {number + 1} is counted otherwise than by the reference"
    return None


def _rows(world: World) -> tuple[tuple[str, ...], ...]:
    """Return made-up rows as text, table by table."""
    return tuple(tuple(_row_text(row.cells) for row in table) for table in world)


def _row_text(cells: Mapping[str, str | None]) -> str:
    return ", ".join(f"{n} = {'(missing)' if c is None else c}" for n, c in cells.items())


def _moved(course: _Course, cost: compare.PairLoss) -> str:
    price = course.cost
    sizes = compare.sizes(price, cost)
    each = []
    for name, size in sizes.items():
        amount = "no end" if size is None else rounded(size, 4)
        each.append(f"{name} = {amount} of {rounded(price.named[name], 4)}")
    return " and ".join(each) or f"a divergence of {rounded(cost.size(), 4)}"


def _fair(course: _Course, engine: str, place: Place, result: Audit) -> None:
    if not sampled.fair_case(course.plan, course.layout):
        return
    if (words := sampled.unfair(course.plan, course.layout, place)) is not None:
        raise Stop(AuditFault("claims", words, sure=False))
    result.checks.append(Check("claims", f"on {engine} each row of a unit is as likely to stay"))


def _charged(course: _Course, result: Audit) -> None:
    """Look at what real ledgers are charged; it is the same on each engine."""
    kinds, wrong = undercharged(course.asked, course.layout)
    if wrong:
        raise Stop(AuditFault("ledger", wrong))
    if kinds:
        words = f"two releases were charged what both cost, in {', '.join(kinds)}"
        result.checks.append(Check("ledger", words))
    else:
        result.unchecked.append("what a ledger is charged: none took two releases")


def _noises(course: _Course, result: Audit, seconds: float) -> AuditFault | None:
    """Look at the noise of real releases, which is the same on each engine.

    What is wrong with it is told after some pairs, because one of them shows more, if it does.
    """
    try:
        with placed("memory") as place:
            seen = noises_of(course.plan, course.layout, place, seconds, course.cost)
    except EngineError:  # replay says of an engine what it is
        result.unchecked.append("the noise of real releases: none could be counted")
        return None
    if seen is not None and seen.evidence > log(laws.ALARM):
        return AuditFault("noise, drawn", seen.wrong, sure=False)
    if seen is not None:
        result.checks.append(Check("noise, drawn", seen.words()))
    return None


def _runs(
    course: _Course,
    engine: str,
    place: Place,
    result: Audit,
    worst: tuple[compare.PairLoss, Neighbors, Replayed],
    seconds: float,
) -> None:
    """Draw whole runs on the worst pair."""
    cost, pair, both = worst
    if not cost.parts or both.before.plan is None or both.after.plan is None:
        return
    before, after = (  # made-up rows may break a statement: those vectors are left out
        [{} if is_stated else cells for cells, is_stated in zip(each, course.stated, strict=True)]
        for each in (both.before.exact, both.after.exact)
    )
    shown = sampled.bound_of(
        course.plan, course.layout, pair, (before, after), place, seconds, course.cost
    )
    if shown is None:
        return
    for price in course.prices:
        if shown.above(price):
            raise Stop(AuditFault("whole runs", shown.fault(price), sure=False))
    result.checks.append(
        Check("whole runs", f"the worst pair on {engine}, {shown.words(course.cost)}")
    )


def _intervals(course: _Course, result: Audit) -> None:
    """Look at how often intervals miss, of questions whose numbers have noise of their own."""
    here = [] if course.asked.findings else intervals.asked(course.plan)[:_FEW]
    for question in here:
        for words in intervals.missing(course.plan, question):
            raise Stop(AuditFault("claims", words))
    if here:
        labels = ", ".join(course.plan.lines[at].asked.label for at in here)
        words = f"the intervals of {labels} miss no more often than they say"
        result.checks.append(Check("claims", words))
    others = [line.asked.label for at, line in enumerate(course.plan.lines) if at not in here]
    if others:
        result.unchecked.append(f"the intervals of {', '.join(others)}: they share noise")


def _additive(course: _Course) -> list[Law]:
    each = dict.fromkeys((*course.plan.laws, *_finding_laws(course.asked)))
    return [law for law in each if not law.chooses][:_FEW]


def _samplers(course: _Course, result: Audit) -> None:
    """Look at how noise, choices and lifted cells are drawn, by the first bits."""
    for law, what, exactly in _exact(course):
        try:
            wrong = exactly()
        except NotImplementedError:
            result.unchecked.append(f"{what} by its bits, of {law.words} ({law.numbers()})")
            continue
        if wrong is not None:
            raise Stop(AuditFault("law, exact", wrong))
        words = f"{law.words}, {law.numbers()}: the first bits of {what} lead to its chances"
        result.checks.append(Check("law, exact", words))


def _exact(course: _Course) -> Iterator[tuple[Law, str, Callable[[], str | None]]]:
    """Yield what is drawn, with what looks at it."""
    for law in _additive(course):
        yield law, "its noise", partial(laws.exactly, law)
    plan = course.plan
    for law in [law for law in dict.fromkeys(plan.laws) if law.chooses][:_FEW]:
        yield law, "its picks", partial(choosing.exactly, law)
    pairs = zip(plan.laws, plan.aggregates, strict=True)
    each = dict.fromkeys((law, of.sparse.threshold) for law, of in pairs if of.sparse is not None)
    for law, threshold in each:
        yield law, f"cells over {threshold}", partial(lifting.exactly, law, threshold)


def _finding_laws(plan: Plan) -> Iterator[Law]:
    for finding in plan.findings:
        yield from finding.laws


def _paths(course: _Course) -> list[laws.Stream]:
    """Return the ways in which noise of a plan is drawn: few, many, and by name."""
    pairs = zip(course.plan.laws, course.plan.aggregates, strict=True)
    named = dict.fromkeys(law for law, of in pairs if of.sparse is not None)
    return [
        *(stream for law in _additive(course) for stream in laws.streams(law)),
        *(stream for law in named for stream in laws.streams(law, by_name=True)),
    ]


def _drawn(paths: Sequence[laws.Stream], seconds: float) -> None:
    """Draw from each law on each of its paths, and weigh the evidence against it."""
    for stream in paths:
        if stream.until(monotonic() + seconds / len(paths), Coins()) > log(laws.ALARM):
            raise Stop(AuditFault("law, drawn", _weighed(stream), sure=False))


def _weighed(stream: laws.Stream) -> str:
    power = f"10^{stream.evidence / log(10):.1f}"
    return f"{stream.words()}: evidence of {power} against it (alarm at 10^6)"


def _case(text: str) -> tuple[list[str], int]:
    engine, _, number = text.partition("-")
    if engine not in ENGINES or not number.isascii() or not number.isdecimal():
        raise InputError(
            f"case = {as_given(text)} is no case of an audit.",
            kind="audit-setup",
            why="a case is an engine and a number, as an audit prints it",
            fix=write(case="memory-17"),
        )
    return [engine], int(number)


def _no_engine(names: Sequence[str]) -> InputError:
    return InputError(
        f"engine = {as_given(names[0])} is not known.",
        kind="unknown-choice",
        why=f"made-up tables are counted by {', '.join(ENGINES)}",
        fix=write(engine="duckdb"),
    )


__all__ = ["Audit", "AuditFault", "Check", "audit"]
