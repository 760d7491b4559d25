"""Rules of publication: which released numbers are shown, how rounded, and what intervals keep.

A rule looks at noisy numbers alone, so that it costs nothing and protects nobody: the noise does.

Rules of this module:
- a rule looks at one number alone, whose noise is its own; numbers that share noise have no rule;
- what is not shown stands nowhere: its noisy integers leave the vector before anything is stored;
- what is selected has other intervals than what is not: a rule says which guarantee it has (proofs
  in `post.selected`);
- a number that is not shown is not 0, and is not said to be anything.

Decisions 99, 133, 134.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

from ..aggregate import Noisy
from ..errors import InputError, as_given, shown
from ..exact.number import Number, rational, text_of, whole
from ..fix import Set, Way, call, leave_out, write
from ..noise.law import Law
from ..post.interval import downs, nearest, ups
from ..post.selected import given_shown, rate_level
from ..schema import Table
from .ask import Coverage, Publish, Within, within_of
from .statistic import Answer, Statistic, moved, rows_within_public


def publish(
    *,
    at_least: Number | None = None,
    within: Number | Within | None = None,
    round_to: Number | None = None,
    coverage: str = "rate",
    most: int | None = None,
) -> Publish:
    """Declare which numbers of a question are published. A rule is free, because it looks at noisy
    numbers only.

    Args:
        at_least: show a number if it is at least this value (Y >= at_least). Show a mean or a
            variance if its noisy number of rows is at least this value.
        within: show a number if both ends of its own interval are at most this far away: "25%" of
            the value, or a number in the units of the answer.
        round_to: round values to multiples of this number, and the ends of intervals outward.
        coverage: the guarantee of the intervals of shown numbers, at the plan's alpha. "rate": of
            the shown intervals, in expectation at most a share alpha miss (the false coverage rate
            of Benjamini and Yekutieli 2005). "marginal": the plain interval. The probability that a
            number is shown and its interval misses is at most alpha; intervals of numbers that are
            shown by chance mostly miss. "conditional": given that its number is shown, an interval
            misses with probability at most alpha; for counts with `at_least`.
        most: show at most this many numbers, the largest ones; for counts with `at_least`. discreet
            then draws noise for cells with rows, and for cells in which noise alone reaches the
            threshold. So up to 10^15 public cells take as much time as the cells with rows.

    Returns: the rule, for `publish` of a question or a plan.

    Raises:
        InputError: the rule shows everything, a number is not above 0, or `coverage` is an unknown
            word.

    Source: Benjamini and Yekutieli 2005 (the false coverage rate).

    Example:
        >>> dp.publish(at_least=90).plain()
        {'at_least': '90'}
    """
    if not isinstance(coverage, str) or coverage not in get_args(Coverage):
        raise InputError(
            f"coverage = {as_given(coverage)} is no guarantee.",
            kind="unknown-choice",
            why="intervals hold of what is shown on average, of each number by itself, or given "
            "that it is shown",
            fix=tuple(write(coverage=known) for known in get_args(Coverage)),
            at="coverage",
        )
    if at_least is within is round_to is None:
        raise InputError(
            "the rule shows every number as it is.",
            kind="publication-rule",
            why="without a threshold, a width or a rounding there is nothing to publish by",
            fix=(write(at_least=10), write(within="25%"), write(round_to=10)),
        )
    if coverage == "conditional" and (at_least is None or within is not None):
        raise InputError(
            'coverage = "conditional" is for numbers that are shown from a threshold on.',
            kind="publication-rule",
            why="the law of what is shown is known where a threshold alone decides",
            fix=(write(coverage="rate"), write(at_least=10)),
            at="coverage",
        )
    if most is not None:
        _check_most(at_least, within, coverage)
    return Publish(
        at_least=None if at_least is None else _above_0(at_least, "at_least"),
        within=None if within is None else within_of(within),
        round_to=None if round_to is None else _above_0(round_to, "round_to"),
        coverage=coverage,  # type: ignore[arg-type]  # it was looked up
        most=None if most is None else whole(most, "most", least=1),
    )


def _check_most(at_least: object, within: object, coverage: str) -> None:
    """Refuse a bound on how many are shown where a threshold is not the whole rule."""
    if at_least is not None and within is None and coverage != "conditional":
        return
    raise InputError(
        "most is given, and the rule shows numbers by more than at_least.",
        kind="publication-rule",
        why="which cells noise lifts over a threshold is drawn at once; a width would say the same "
        "again, and of a list that is cut it hangs on others what is shown",
        fix=(write(at_least=10), leave_out("within"), write(coverage="rate"), leave_out("most")),
        at="most",
    )


def _above_0(argument: Number, name: str) -> Fraction:
    number = rational(argument, name)
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(number)} must be above 0.",
            kind="out-of-range",
            why="a rule that every number keeps hides nothing, and 0 has no multiples",
            fix=(Set({name: 10}), leave_out(name)),
            at=name,
        )
    return number


def publish_of(argument: object) -> Publish:
    """Return the rule that a question was given: one that was declared, or its plain data."""
    if isinstance(argument, Publish):
        return argument
    names = {*Publish.__dataclass_fields__}
    if isinstance(argument, Mapping) and {*argument} <= names:
        parts: dict[str, Any] = dict(argument)
        return publish(**parts)
    raise InputError(
        f"publish = {as_given(argument)} is no rule of publication.",
        kind="publication-rule",
        why=f"a rule is made of {', '.join(Publish.__dataclass_fields__)}",
        fix=write(publish=call("discreet.publish", at_least=10)),
        at="publish",
    )


def with_rule(statistics: Sequence[Statistic], rule: object, table: Table) -> list[Statistic]:
    """Return questions with the rule of a whole plan; one that a question has itself stays.

    `most` is for those that can be told sparsely. The others have the rule without it.

    Raises:
        InputError: a question takes no rule, or none of them takes `most`.
    """
    of_plan = publish_of(rule)
    bare = [asked for asked in statistics if asked.ask.publish is None]
    for asked in bare:
        if reason := _reason(asked):
            raise _refused(asked, reason, of_plan=True)
        if of_plan.coverage == "conditional" and not _is_plain_count(asked):
            raise _not_conditional(asked, of_plan=True)
    sparse = [asked for asked in bare if _is_told_sparsely(asked, table, of_plan)]
    if of_plan.most is not None and bare and not sparse:
        raise _not_sparse(bare[0], of_plan, at=())
    each = replace(of_plan, most=None)
    return [
        asked
        if asked.ask.publish is not None
        else replace(asked, ask=replace(asked.ask, publish=of_plan if asked in sparse else each))  # type: ignore[type-var]
        for asked in statistics
    ]


_WHY_NOT = {  # as a statistic says it, whatever the table is
    "added": "its tables add up: a hidden number is a sum that is shown, less others",
    "curve": "its numbers are read off one noisy curve of a group, and come and go together",
    "names": "it tells which are the best, or the sizes of all, and not a noisy number of each",
    "sums": "its numbers are made of the same noisy sums, and come and go together",
}


def _reason(statistic: Statistic) -> str:
    """Return why a statistic takes no rule, whatever the table is; "" for one that may."""
    return _WHY_NOT.get(statistic.telling().rule, "")


def _refused(statistic: Statistic, reason: str, *, of_plan: bool = False) -> InputError:
    """Return the refusal of a rule, its own or that of the plan, with what keeps one."""
    plain, is_curve = statistic.plain(), statistic.telling().rule == "curve"
    by = " and ".join(statistic.ask.by)
    out: str | Way = leave_out("publish")
    if of_plan:
        out = "take the rule from the plan, and give it to each question that takes one"
    elif is_curve and plain.get("method") != "choice":
        out = leave_out("publish", note=": where there are too few rows to say, no number is told")
    other = f"a histogram of {plain.get('column')}" if is_curve else "a count"
    return InputError(
        f"{shown(statistic.label)} takes no rule of publication.",
        kind="publication-rule",
        why=f"each rule looks at one number alone; {reason}",
        fix=(out, f"ask for {other}{by and f' by {by}'}, which takes the rule"),
        at=() if of_plan else "publish",
    )


def check_rule(statistic: Statistic, table: Table) -> None:
    """Refuse a rule on numbers that share their noise, or one that has no such law."""
    rule = statistic.ask.publish
    if rule is None:
        return
    if reason := _reason(statistic):
        raise _refused(statistic, reason)
    if rule.most is not None and not _is_told_sparsely(statistic, table, rule):
        raise _not_sparse(statistic, rule)
    counted, inner = statistic.aggregates(table), statistic.inner(table)
    shares_noise = statistic.cells(table) is not None or any(
        aggregate.choice
        or aggregate.sizes
        or (aggregate.transform and not aggregate.transform.answers)
        or (aggregate.bins and inner is None)  # one number, made of several counts
        for aggregate in counted
    )
    if shares_noise or (inner is not None and inner[0].kind != "bin"):
        raise _refused(statistic, "of numbers that share noise a hidden one follows from others")
    if rule.coverage == "conditional" and not _is_plain_count(statistic):
        raise _not_conditional(statistic)


def _is_plain_count(statistic: Statistic) -> bool:
    return statistic.telling().rule == "count"


def _not_conditional(statistic: Statistic, *, of_plan: bool = False) -> InputError:
    rule = {} if of_plan or statistic.ask.publish is None else statistic.ask.publish.plain()
    ways = [{**rule, "coverage": other} for other in ("rate", "marginal")]
    return InputError(
        f'{shown(statistic.label)} has coverage = "conditional".',
        kind="publication-rule",
        why="the law of what is shown from a threshold on is known of plain counts",
        fix=tuple(Set(way if of_plan else {"publish": way}) for way in ways),
        at=() if of_plan else "publish",
    )


def _is_told_sparsely(statistic: Statistic, table: Table, rule: Publish) -> bool:
    """Tell whether a question is a count over public cells that is not shown where no row is."""
    between = statistic.plain().get("between")
    return (
        rule.most is not None
        and statistic.telling().sparse
        and not any(column in table.unknown for column in statistic.ask.by)
        and not (isinstance(between, list) and (rule.at_least or 0) <= between[0])
    )


def _not_sparse(
    statistic: Statistic, rule: Publish, at: str | tuple[str, ...] = "publish"
) -> InputError:
    return InputError(
        f"{shown(statistic.label)} has most = {rule.most}.",
        kind="publication-rule",
        why="cells are told sparsely where a cell without rows counts 0, which is not shown: "
        "of count and count_units by public keys, bounded ones below at_least, not remapped",
        fix=(leave_out("most"), "ask for a count by listed keys, from a threshold on"),
        at=at,
    )


@dataclass(frozen=True, slots=True)
class RuledQuestion:
    """What a rule needs to answer a question again.

    Attributes:
        statistic, table, laws: the question.
        noisy: its vectors; what is hidden may be any number there.
        alpha: the chance that an interval misses; the rule looks at intervals of this level.
        together: whether all intervals hold at once, so that what is selected holds, too.

    Where it is told sparsely, its answer is of the cells that passed the door.
    """

    statistic: Statistic
    table: Table
    noisy: Sequence[Noisy]
    laws: Sequence[Law]
    alpha: Fraction
    together: bool = False

    def among(self, plain: Answer) -> int:
        """Return of how many numbers some are shown, given the answer of all or that passed."""
        is_sparse = self.noisy[0].places is not None
        return self.table.groups(self.statistic.ask.by) if is_sparse else len(plain.values)

    def answer(self, level: Fraction) -> Answer:
        """Return the answer of all numbers at a level."""
        answer = self.statistic.answer(self.table, self.noisy, self.laws, level)
        return rows_within_public(self.table, answer)


def places_shown(
    statistic: Statistic, plain: Answer, among: Sequence[int] | None = None
) -> list[int]:
    """Return the places of the numbers that the rule shows, in the order of the answer.

    Args:
        statistic: the question with its rule.
        plain: its answer of all numbers, each with an interval of its own.
        among: the places that were shown, where no others are known.
    """
    rule = statistic.ask.publish or Publish()
    looked = range(len(plain.values)) if among is None else among
    return [place for place in looked if _is_shown(plain, place, rule)]


def largest(noisy: Noisy, places: Sequence[int], most: int | None) -> Sequence[int]:
    """Return the places in an answer of so many largest numbers, in their order; all of few.

    Of equal ones the first are taken: given what all others are, each number is among them or not
    by its own noise alone, and how many they are is settled where it is.
    """
    if most is None or len(places) <= most:
        return places
    return sorted(sorted(places, key=lambda place: (-noisy.values[place], place))[:most])


def answer_shown(asked: RuledQuestion, plain: Answer, places: Sequence[int]) -> Answer:
    """Return the answer of the numbers that are shown, with the intervals that the rule keeps.

    Args:
        asked: the question with its noisy vectors.
        plain: its answer of all numbers, or of those that passed the door, at the same alpha; at a
            smaller one than the release's own a mean that is shown may be told no more.
        places: of those that are shown, in that answer.
    """
    rule, answer = asked.statistic.ask.publish or Publish(), _selected(plain, places)
    low, high, within = _ends(asked, plain, places, rule)
    pairs = zip(answer.values, low, strict=True), zip(answer.values, high, strict=True)
    answer = replace(
        answer,
        low=tuple([end if value is None else min(end, value) for value, end in pairs[0]]),
        high=tuple([end if value is None else max(end, value) for value, end in pairs[1]]),
        rows_within=within,
    )
    return answer if rule.round_to is None else _rounded(answer, rule.round_to)


def _is_shown(plain: Answer, place: int, rule: Publish) -> bool:
    value, low, high = plain.values[place], plain.low[place], plain.high[place]
    if value is None or low is None or high is None:
        return False
    rows = None if plain.rows is None else plain.rows[place]
    return rule.shows(value, rows, max(value - low, high - value))


def _selected(answer: Answer, places: Sequence[int]) -> Answer:
    """Return some numbers of an answer."""
    return replace(
        answer,
        index=tuple([answer.index[place] for place in places]),
        values=tuple([answer.values[place] for place in places]),
        low=tuple([answer.low[place] for place in places]),
        high=tuple([answer.high[place] for place in places]),
        rows=None if answer.rows is None else tuple([answer.rows[place] for place in places]),
    )


def _ends(
    asked: RuledQuestion, plain: Answer, places: Sequence[int], rule: Publish
) -> tuple[Sequence[Any], Sequence[Any], float | None]:
    """Return the ends of intervals of what is shown, and how far numbers of rows are off."""
    if rule.coverage == "conditional" and rule.at_least is not None and not asked.together:
        numbers = [asked.noisy[0].values[place] for place in places]
        threshold = -(-rule.at_least.numerator // rule.at_least.denominator)
        ends = given_shown(numbers, asked.laws[0], threshold=threshold, alpha=asked.alpha)
        low, high = (moved(asked.table, plain.measure, end) for end in ends)
        return low, high, plain.rows_within
    if rule.coverage == "rate" and not asked.together:
        plain = asked.answer(rate_level(asked.alpha, len(places), asked.among(plain)))
    kept = _selected(plain, places)
    return kept.low, kept.high, kept.rows_within


def _rounded(answer: Answer, to: Fraction) -> Answer:
    """Return an answer whose values are multiples of a number, and its intervals wider."""
    top, bottom = to.numerator, to.denominator
    values = [round(Fraction(value or 0) / to) for value in answer.values]
    is_told = [value is not None for value in answer.values]
    low = [Fraction(end or 0) // to for end in answer.low]
    high = [-(Fraction(-(end or 0)) // to) for end in answer.high]
    if bottom == 1 and all(type(value) is int for value in answer.values):
        whole = [tuple([n * top for n in column]) for column in (values, low, high)]
        return replace(answer, values=whole[0], low=whole[1], high=whole[2])
    rounded = zip(nearest([n * top for n in values], bottom), is_told, strict=True)
    return replace(
        answer,
        values=tuple([value if is_there else None for value, is_there in rounded]),
        low=downs([n * top for n in low], bottom),
        high=ups([n * top for n in high], bottom),
    )


def rule_words(statistic: Statistic, alpha: Fraction, *, together: bool) -> str:
    """Return what a rule shows and what its intervals keep, in words.

    Args:
        statistic: a question with a rule.
        alpha: the plan's chance that an interval misses.
        together: whether all intervals of the question hold at once.
    """
    rule = statistic.ask.publish or Publish()
    words = _conditions(rule, has_rows=statistic.telling().rule == "rows")
    sure = f"{text_of(100 * (1 - alpha))} %"
    if together:
        kept = "all intervals hold at once, those that are shown among them"
    elif rule.at_least is None and rule.within is None:
        kept = f"each interval misses with probability at most {text_of(alpha)}"
    else:
        kept = {
            "rate": f"of the intervals that are shown at least {sure} hold, in expectation",
            "marginal": f"that a number is shown and missed has probability at most "
            f"{text_of(alpha)}; of numbers that noise alone lifted most are missed",
            "conditional": f"given that its number is shown, an interval misses with probability "
            f"at most {text_of(alpha)}",
        }[rule.coverage]
    return f"{statistic.label}: {'; '.join([*words, kept])}."


def _conditions(rule: Publish, *, has_rows: bool) -> list[str]:
    """Return when a number is shown, and as what, in words."""
    words = []
    if rule.at_least is not None:
        of = " noisy rows" if has_rows else ""
        words.append(f"shown from {text_of(rule.at_least)}{of} on")
    if rule.within is not None:
        of = " of the value" if rule.within.relative else ""
        words.append(f"shown where its own interval reaches at most {rule.within.plain()}{of} off")
    if rule.round_to is not None:
        words.append(f"rounded to multiples of {text_of(rule.round_to)}, intervals outward")
    return words
