"""What a publisher says of a release: title, source, names of columns, values and questions.

Rules of this module:
- these words are public, and no number depends on them: they are no part of a plan or its digest,
  so that a corrected label is no new charge;
- they are shown as the publisher's, and nobody checks them.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from ..errors import InputError, as_given, shown
from ..exact.number import flag
from ..fix import Rename, Set, call, leave_out, nearest_name, write
from .keys import is_storable

if TYPE_CHECKING:
    from .outline import Outline
    from .reliability import Reliability
    from .sdmx import Sdmx

_MOST = 2_000  # letters of one text
_URL = re.compile(r"(https?://[!-~]+)?")  # ASCII without blanks
_LANGUAGE = re.compile(r"([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4})?")  # as BCP 47 has it
_SAID = 400  # letters of one that are shown at once
_MANY = 10_000  # names of values
Chart = Literal["dots", "bars"]  # a point on its interval; a bar from 0
CHARTS: tuple[Chart, ...] = get_args(Chart)
Show = Literal["none", "exp", "share"]  # as they are; e to that power, of logarithms; in percent
SHOWS: tuple[Show, ...] = get_args(Show)
_BYLINE = ("publisher", "population", "period", "source", "licence", "contact")
_ASKED = ("why", "approved_by", "collection")  # what an evaluator asks, and only a publisher knows
_TEXTS = ("title", *_BYLINE, "one", "url", "language", *_ASKED)


@dataclass(frozen=True, slots=True)
class Label:
    """What a column is called.

    Attributes:
        name: "years of schooling".
        unit: what it is measured in: "$".
        values: names of keys, by the key as it prints.
        show: how numbers of the column are shown: "none" as they are, "exp" where they are
            logarithms, "share" in percent.
        ordered: whether its keys are a scale, as years are, and not names; None for what they
            look like.
        map: outlines of its keys, in which numbers are drawn; None for none.
    """

    name: str = ""
    unit: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    show: Show = "none"
    ordered: bool | None = None
    map: "Outline | None" = None

    def plain(self) -> dict[str, object]:
        """Return what is said, as plain data."""
        words: dict[str, object] = {"name": self.name, "unit": self.unit, "values": {**self.values}}
        words["show"] = "" if self.show == "none" else self.show
        words["map"] = None if self.map is None else self.map.plain()
        plain = {name: value for name, value in words.items() if value}
        return plain if self.ordered is None else {**plain, "ordered": self.ordered}


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands over the numbers of one question, and how they are drawn.

    Attributes:
        title: "More schooling, higher wages"; "" for what is asked, in words.
        chart: one of `CHARTS`; "" for what is usual.
    """

    title: str = ""
    chart: Chart | Literal[""] = ""

    def plain(self) -> dict[str, str]:
        """Return what is said, as plain data."""
        words: dict[str, str] = {"title": self.title, "chart": self.chart}
        return {name: value for name, value in words.items() if value}

    def __str__(self) -> str:
        title = f"“{shown(self.title, _SAID)}”" if self.title else ""
        return ", ".join(filter(None, (title, f"drawn as {self.chart}" if self.chart else "")))


@dataclass(frozen=True, slots=True)
class About:
    """A publisher's words about a release; `discreet.about` makes it.

    Attributes:
        title, publisher, population, period, source, licence, contact: texts, "" for none.
        one: the word for a protected unit: "person".
        url: the address at which the release will stand, for cards and search.
        language: the code of the language of these words, for browsers and screen readers: "de",
            "pt-BR".
        why, approved_by: the reason for this loss, and the name of the person who approved it.
        collection: how the data was collected and stored, and how people consented.
        notes: further sentences.
        labels: what columns are called.
        questions: the title of each question, by the name of the question in a release.
        reliability: the rule by which an office flags numbers, in its own words.
        sdmx: the names and codes of an agency's data structure.
    """

    title: str = ""
    publisher: str = ""
    population: str = ""
    period: str = ""
    source: str = ""
    licence: str = ""
    contact: str = ""
    one: str = ""
    url: str = ""
    language: str = ""
    why: str = ""
    approved_by: str = ""
    collection: str = ""
    notes: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    questions: Mapping[str, Heading] = field(default_factory=dict)
    reliability: "Reliability | None" = None
    sdmx: "Sdmx | None" = None

    def plain(self) -> dict[str, Any]:
        """Return what is said, as plain data."""
        words: dict[str, Any] = {name: getattr(self, name) for name in _TEXTS}
        for part in ("reliability", "sdmx"):
            declared = getattr(self, part)
            words[part] = None if declared is None else declared.plain()
        words["notes"] = list(self.notes)
        words["labels"] = {column: of_column.plain() for column, of_column in self.labels.items()}
        words["questions"] = {
            name: of_question.plain() for name, of_question in self.questions.items()
        }
        return {name: value for name, value in words.items() if value}

    def lines(self) -> list[tuple[str, str]]:
        """Return what is said of the whole release, but for its title: what it is, and the text."""
        pairs = [(name.capitalize(), getattr(self, name)) for name in _BYLINE]
        return [*((name, text) for name, text in pairs if text), *(("Note", n) for n in self.notes)]

    def column(self, name: str) -> str:
        """Return what a column is called where its numbers are shown, with its unit."""
        label = self.labels.get(name, _NONE)
        unit = label.unit or "%" * (label.show == "share")
        return f"{label.name or name} ({unit})" if unit else label.name or name

    def own_column(self, name: str) -> str:
        """Return what a column is called where its numbers are as they were declared."""
        show, called = self.show(name), self.labels.get(name, _NONE).name or name
        return {"none": self.column(name), "exp": f"the logarithm of {called}"}.get(show, called)

    def show(self, column: str) -> Show:
        """Return how numbers of a column are shown."""
        return self.labels.get(column, _NONE).show

    def ordered(self, column: str) -> bool | None:
        """Return whether keys of a column are said to be a scale, or names; None where not."""
        return self.labels.get(column, _NONE).ordered

    def names(self, column: str) -> bool:
        """Tell whether keys of a column have names."""
        return bool(self.labels.get(column, _NONE).values)

    def value(self, column: str, key: object, plain: str) -> str:
        """Return what a key is called, `plain` where it has no name."""
        return self.labels.get(column, _NONE).values.get(str(key), plain)

    def heading(self, question: str) -> Heading:
        """Return what stands over a question; nothing where nothing is said of it."""
        return self.questions.get(question, _BARE)


_OVER, _SAYS = ([setting.name for setting in fields(kind)] for kind in (Heading, Label))
_QUOTES = "write a line of text in quotes"
_SCALE = "keys are a scale, as years are, or names"
_NONE = Label()
_BARE = Heading()


def about(
    labels: Mapping[str, Any] | None = None,
    notes: object = (),
    questions: Mapping[Any, Any] | None = None,
    reliability: object = None,
    sdmx: object = None,
    **texts: object,
) -> About:
    """Describe a release in the publisher's words; words cost nothing, and you can correct them
    later.

    Args:
        labels: for columns, a name, or a dict of name, unit, values, show, ordered and map:
            {"educ": {"name": "years of schooling", "values": {9: "up to grade 8"}}}. Where
            logarithms are averaged, show="exp" shows typical values (geometric means), and their
            intervals; ordered says whether keys are a scale, which a line follows, or names; map
            is a public GeoJSON file, or {"file": ..., "property": what holds the keys}.
        notes: a sentence, or a list of them.
        questions: for questions by their name in the release, a title, or a dict with title and
            chart: {"count by educ": {"title": "Who went how far", "chart": "bars"}}.
        reliability: the rule that marks numbers: {"by": "cv", "flags": [{"from": "25%", "flag":
            "*", "words": "use with caution"}]}. A coefficient of variation ("cv") or a half-width
            ("half_width") follows from the interval, which covers the noise alone.
        sdmx: the names of a data structure, for SDMX-CSV: {"structure": "ABC:WAGES(1.0.0)",
            "dimensions": {"educ": "EDUC"}, "codes": {...}, "constants": {"FREQ": "A"}}.
        texts: title, publisher, population, period, source, licence, contact; one: the word for a
            protected unit; url: where it will stand; language: of these words, as "de"; why,
            approved_by, collection: for evaluators.

    Returns: words for `release.save(about=)` and for reports. No number changes by them.

    Raises:
        InputError: an option has an unknown name, or the value of an option is not text.

    Example:
        >>> dp.about(title="Wages, 2000", labels={"educ": "schooling"}).column("educ")
        'schooling'
    """
    why = f"it says {', '.join(_TEXTS)}, notes, labels, questions, reliability and sdmx"
    _check_names(texts, _TEXTS, "about has no {}.", why)
    listed = [notes] if isinstance(notes, str) else notes
    for name, argument in (("labels", labels), ("questions", questions)):
        if argument is not None and not isinstance(argument, Mapping):
            raise _no_text(name, argument)
    if not isinstance(listed, Iterable):
        raise _no_text("notes", notes)
    if not _URL.fullmatch(str(texts.get("url", ""))):
        raise InputError(
            f"url = {as_given(texts['url'])} is no address.",
            kind="publishers-words",
            why="cards and search follow it: it begins with https:// or http://, without blanks",
            fix=Set({"url": "https://example.org/release"}),
            at="url",
        )
    if not _LANGUAGE.fullmatch(str(texts.get("language", ""))):
        raise InputError(
            f"language = {as_given(texts['language'])} is no language.",
            kind="publishers-words",
            why="browsers and screen readers know languages by their codes",
            fix=Set({"language": "de"}),
            at="language",
        )
    words: dict[str, Any] = {name: _text(name, value) for name, value in texts.items()}
    return About(
        **words,
        notes=tuple(_text("notes", note) for note in listed),
        labels={
            str(column): label(str(column), wording) for column, wording in (labels or {}).items()
        },
        questions={str(name): heading(wording) for name, wording in (questions or {}).items()},
        **_declared(reliability, sdmx),
    )


def _declared(reliability: object, sdmx: object) -> dict[str, Any]:
    """Return the forms that are declared; their files are read where one is."""
    parts: dict[str, Any] = {}
    if reliability is not None:
        from .reliability import reliability as flags_declared

        parts["reliability"] = flags_declared(reliability)
    if sdmx is not None:
        from .sdmx import sdmx as names_declared

        parts["sdmx"] = names_declared(sdmx)
    return parts


def checked_about(argument: object) -> About:
    """Return what a publisher says, nothing for None, or raise InputError."""
    if argument is None:
        return About()
    if not isinstance(argument, About):
        raise InputError(
            f"about = {as_given(argument)} is not made by discreet.about.",
            kind="publishers-words",
            why="discreet.about checks titles, labels and notes against the columns and keys",
            fix=write(about=call("discreet.about", labels={"ward": "Ward"})),
        )
    return argument


def heading(argument: object) -> Heading:
    """Return what stands over a question, from a title or a dict of title and chart.

    Raises:
        InputError: what is no text, or no chart.
    """
    if isinstance(argument, Heading):
        return argument
    if not isinstance(argument, Mapping):
        return Heading(title=_title(argument))
    why = "they are its title, and the chart that is drawn of it"
    _check_names(argument, _OVER, "a question has no {} in a publisher's words.", why)
    title, chart = argument.get("title", ""), argument.get("chart", "")
    if chart != "":
        _listed(chart, "chart", CHARTS)
    return Heading(title=_title(title), chart=cast("Chart", chart))


def _check_names(
    names: Iterable[object], known: Collection[str], what: str, why: str, *of: str
) -> None:
    """Refuse a name that is not known; `what` has a place for whose it is, if told, and for it."""
    for name in map(str, names):
        if name not in known:
            near = nearest_name(name, known)
            fix = Rename(name, near) if near else leave_out(name)
            raise InputError(
                what.format(*of, shown(name)), kind="publishers-words", why=why, fix=fix
            )


def label(column: str, argument: object) -> Label:
    """Return what a column is called, from a name or a dict of what is said of it.

    Raises:
        InputError: what is no text, or no way to show numbers.
    """
    if isinstance(argument, Label):
        return argument
    if not isinstance(argument, Mapping):
        return Label(name=_text(column, argument, _QUOTES))
    what = "the label of {} has no {}."
    _check_names(argument, _SAYS, what, f"it has {', '.join(_SAYS)}", shown(column))
    values, scale = argument.get("values", {}), argument.get("ordered")
    of_map = argument.get("map")
    if not isinstance(values, Mapping) or len(values) > _MANY:
        raise InputError(
            f"the values of {shown(column)} are not names by keys.",
            kind="publishers-words",
            why=f"each key has a name, and at most {_MANY:,} have one",
            fix="write a dict with a name for each key there",
            at="values",
        )
    return Label(
        name=_text(column, argument.get("name", ""), _QUOTES),
        unit=_text(column, argument.get("unit", ""), _QUOTES),
        values={_key(column, k): _text(column, name, _QUOTES) for k, name in values.items()},
        show=cast("Show", _listed(argument.get("show", "none"), "show", SHOWS)),
        ordered=None if scale is None else flag(scale, "ordered", why=_SCALE),
        map=None if of_map is None else _outline(column, of_map),
    )


def _outline(column: str, argument: object) -> "Outline":
    from .outline import outline

    return outline(column, argument)


def _key(column: str, key: object) -> str:
    """Return a key as it prints: 1.0 is the whole number 1, as in a list of keys."""
    if isinstance(key, (float, Decimal, Fraction)):
        if not isfinite(key) or key != int(key):
            raise InputError(
                f"the values of {shown(column)} name {as_given(key)}, which is no key.",
                kind="publishers-words",
                why="keys are whole numbers, texts and truth values",
                fix="write the key as the list of keys has it",
                at="values",
            )
        return str(int(key))
    return str(key)


def _title(argument: object) -> str:
    return _text("title", argument, _QUOTES)


def _listed(word: object, name: str, known: tuple[str, ...]) -> str:
    """Return a word that is known, or raise InputError."""
    if isinstance(word, str) and word in known:
        return word
    near = nearest_name(word, known) if isinstance(word, str) else ""
    raise InputError(
        f"{name} = {as_given(word)} is not known.",
        kind="unknown-choice",
        why=f"known are {', '.join(known)}",
        fix=Set({name: near or known[-2]}),
        at=name,
    )


def _text(name: str, value: object, fix: str = "") -> str:
    if not isinstance(value, str) or len(value) > _MOST or not is_storable(value):
        raise _no_text(name, value, fix)
    return value


def _no_text(name: str, value: object, fix: str = "") -> InputError:
    return InputError(
        f"{shown(name)} = {as_given(value)} is not text.",
        kind="wrong-type",
        why=f"what a publisher says is text of at most {_MOST:,} letters",
        fix=fix or Set({name: "?"}),
    )
