"""Days, moments, times of day and lengths of time, as whole numbers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Day:
    """A day, counted from 1970-01-01."""

    days: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in UTC, in nanoseconds from 1970-01-01."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day, in nanoseconds from midnight."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time, in nanoseconds."""

    nanoseconds: int
