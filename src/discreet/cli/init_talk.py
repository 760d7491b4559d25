"""`discreet init` on a terminal: it asks what only a person can answer, and writes a first plan.

Rules of this module:
- it knows names and types of columns, and nothing else: no answer is suggested from the data;
- an answer is checked by the room that owns it, and a wrong one is asked again;
- whatever is answered by "?" stays a question mark of the draft;
- nothing is written before the last answer: Ctrl-C and the end of input leave no file.

Decision 98.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, TypeVar

from ..errors import InputError, shown
from ..fix import Say, nearest_name
from ..paths import at_home
from ..plan_file.examples import ASKED
from ..plan_file.in_file import loss_of
from ..schema import bounds, keys, unit
from ..schema.public_list import list_at, refuse_data
from .output import Screen

T = TypeVar("T")
_RANGE = " to "
_FILE = "file "
_ROW = "row"
_LOSSES = ("rho", "mu2", "epsilon", "delta")


@dataclass
class Answers:
    """What a person has answered, as a plan file says it."""

    unit: Any = ASKED
    columns: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, Any] = field(default_factory=dict)
    spend: dict[str, Any] = field(default_factory=dict)
    by: list[str] = field(default_factory=list)
    csv: dict[str, Any] = field(default_factory=dict)

    def parts(self, source: str, title: str) -> dict[str, Any]:
        """Return the parts of a plan file, in their order."""
        csv = {"csv": self.csv} if self.csv else {}
        by = {"by": self.by[0] if len(self.by) == 1 else self.by} if self.by else {}
        means = [{"statistic": "mean", "column": name, **by} for name in self.columns]
        return {
            "title": title,
            "data": {"source": source, **csv, "unit": self.unit},
            "columns": self.columns,
            "keys": self.keys,
            "spend": {**self.spend, "ledger": f"{title}.ledger"},
            "ask": [{"statistic": "count", **by}, *means],
        }


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation about one source."""

    screen: Screen
    schema: Mapping[str, str]
    folder: Path
    source: str

    def ask(self, question: str, why: str, read: Callable[[str], T]) -> T:
        """Ask until an answer can be read; say each time what was wrong with it."""
        self.screen.say(f"\n{question}")
        self.screen.say(f"  {why}")
        while True:
            try:
                return read(_typed())
            except InputError as error:
                if not all(isinstance(way, Say) for way in error.ways):
                    error.spelled(lambda _: "type an answer as the question shows it")
                self.screen.note(str(error))

    def column(self, text: str) -> str:
        """Return the name of a column of the data, or raise InputError."""
        if text in self.schema:
            return text
        near = nearest_name(text, self.schema)
        raise InputError(
            f"there is no column {shown(text)}.",
            kind="no-such-column",
            why=f"its columns are {shown(', '.join(self.schema), 300)}",
            fix=f"type {shown(near)}" if near else "type one of them",
        )

    def columns(self, text: str) -> list[str]:
        """Return the names of columns, with commas between them; none of an empty answer."""
        if not text or text in self.schema:
            return [text] if text else []
        return [self.column(part.strip()) for part in text.split(",")]

    def public(self, name: str) -> Callable[[str], Any]:
        """Return what reads the public values of a column."""

        def read(text: str) -> Any:
            if text.startswith(_FILE):
                return self.in_file(name, text.removeprefix(_FILE).strip())
            first, is_range, last = text.partition(_RANGE)
            if is_range and _whole(first) is not None and _whole(last) is not None:
                low, high = int(first), int(last)
                keys(range(low, high + 1))
                return {"from": low, "to": high}
            values: list[Any] = [part.strip() for part in text.split(",")]
            if all(_whole(value) is not None for value in values) and "INT" in self.schema[name]:
                values = [int(value) for value in values]
            keys(values)
            return values

        return read

    def in_file(self, name: str, file: str) -> dict[str, str]:
        """Return keys that a public file lists, which is not the data."""
        path = self.folder / at_home(file)
        refuse_data({name: list_at(path)}, self.source, PurePath(self.source).name)
        keys(file=path, column=name)
        return {"file": file}


def _whole(text: str) -> int | None:
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isdecimal() and digits.isascii() else None


def _typed() -> str:
    """Return a line of the terminal."""
    try:
        return input("> ").strip()
    except EOFError:
        raise EndOfInput from None


class EndOfInput(Exception):  # noqa: N818 - what the terminal says
    """Nobody types any more."""


def talk(here: Talk, csv: Mapping[str, Any]) -> Answers:
    """Ask for a first plan: who is protected, what is counted, and what it may cost.

    Args:
        here: about which source, and where.
        csv: how its cells are written, as far as the first line tells; None is asked.

    Raises:
        InputError: the input ended before the last answer.
    """
    screen, answers = here.screen, Answers()
    screen.say("What only you can know is asked, one line each. An empty line says no;")
    screen.say('"?" leaves a question open in the file; Ctrl-C writes nothing.')
    screen.say(f"Columns: {shown(', '.join(here.schema), 2_000)}.")
    try:
        _of_files(here, answers, csv)
        _who(here, answers)
        _what(here, answers)
        _cost(here, answers)
    except EndOfInput:
        raise InputError(
            "the input ended before the last answer.",
            kind="command-not-read",
            why="a plan is written when all is answered; nothing was written",
            fix="run it again, or without a terminal for a draft: discreet init DATA < /dev/null",
        ) from None
    return answers


def _of_files(here: Talk, answers: Answers, csv: Mapping[str, Any]) -> None:
    """Ask how cells are written, where the first line does not tell."""
    asks = {
        "decimal": ("What stands before decimals: , or . ?", "2,5 is otherwise no number."),
        "encoding": ("Which encoding: utf-8 or windows-1252?", "Letters are otherwise others."),
    }
    for name, value in csv.items():
        answers.csv[name] = here.ask(*asks[name], _given) if value is None else value


def _given(text: str) -> str:
    from ..schema import csv_options

    if text in (",", "."):
        return text
    if text == ASKED:
        return ASKED
    csv_options({"encoding": text})
    return text


def _who(here: Talk, answers: Answers) -> None:
    name = here.ask(
        "Who is protected: row, or the column that tells one person from another?",
        "A person with several rows needs the column: with row, each row is protected alone.",
        lambda text: text if text in (_ROW, ASKED) else here.column(text),
    )
    if name in (_ROW, ASKED):
        answers.unit = name
        return

    def rows(text: str) -> Any:
        if text == ASKED:
            return ASKED
        number = _whole(text)
        unit(name, max_rows=text if number is None else number)  # type: ignore[arg-type]
        return number

    most = here.ask(
        "At most how many rows of one person count?",
        "Noise grows with this number; rows beyond it are left out.",
        rows,
    )
    answers.unit = {"column": name, "max_rows": most}


def _what(here: Talk, answers: Answers) -> None:
    answers.by = here.ask(
        "Count by which columns? (names with commas; empty: all rows together)",
        "Each combination of their values gets a number with noise of its own.",
        here.columns,
    )
    for name in answers.by:
        answers.keys[name] = here.ask(
            f"Which values can {name} have? (A, B, C; or 1 to 20; or file zips.csv)",
            "From public knowledge, never from the data: each is released, with or without rows.",
            lambda text, name=name: ASKED if text == ASKED else here.public(name)(text),  # type: ignore[misc]
        )
    for name in here.ask(
        "The mean of which columns? (names with commas; empty: none)",
        "Each shares the cost with the count.",
        here.columns,
    ):
        answers.columns[name] = _range_of(here, name)


def _range_of(here: Talk, name: str) -> dict[str, Any]:
    def read(text: str) -> dict[str, Any]:
        low, is_range, high = text.partition(_RANGE)
        if text == ASKED or not is_range:
            if text == ASKED:
                return {"lower": ASKED, "upper": ASKED}
            raise InputError(
                f"{shown(text)} is no range.",
                kind="command-not-read",
                why="a range has a lower and an upper end",
                fix="type both ends, as in: 0 to 100",
            )
        bounds(low.strip(), high.strip())
        return {"lower": low.strip(), "upper": high.strip()}

    return here.ask(
        f"Between which ends does {name} lie? (0 to 100)",
        "From public knowledge: values beyond count as the end, and noise grows with the width.",
        read,
    )


def _cost(here: Talk, answers: Answers) -> None:
    def read(text: str) -> dict[str, Any]:
        pairs = [part.rpartition("=") for part in text.split(",")]
        options = {name.strip() or "rho": number.strip() for name, _, number in pairs}
        unknown = [name for name in options if name not in _LOSSES]
        if unknown:
            raise InputError(
                f"{shown(unknown[0])} is no loss.",
                kind="command-not-read",
                why=f"a release costs one of {', '.join(_LOSSES[:-1])}",
                fix="type rho = 1/50",
            )
        if ASKED not in options.values():
            loss_of(options, what=f"{shown(text)} is no loss.", why="it is rho or epsilon")
        return options

    answers.spend = here.ask(
        "What may it cost? (rho, such as 1/50; or epsilon = 1; or epsilon = 1, delta = 1e-6)",
        "The larger, the less noise, and the more it can tell of one person.",
        read,
    )
