"""The words and signs of an expression, each with its place.

Rules of this module:
- what is no word, number, text or sign of the language is refused where it stands: no second
  statement and no escape passes; a comment between /* and */ and a last ; say nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .literals import named_day
from .refusals import refused

MAX_LETTERS = 4_000

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
    |(?P<comment>/\*(?![!+])(?:[^*/]|\*(?!/)|/(?!\*))*\*/|;[ \t\r\n]*\Z)
    |(?P<number>[0-9]+(?=L\b)|(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<whole>(?<=[0-9])L\b)
    |(?P<raw>[rR](?=['"]))
    |(?P<word>[^\W\d]\w*)
    |(?P<table>\[@(?:\[[^\[\]`"\x00]+\]|[^\[\]`"\x00]+)\])
    |(?P<quoted>"(?:[^"\x00]|"")*"|`[^`\x00]+`)
    |(?P<text>'(?:[^'\x00]|'')*')
    |(?P<sign><=>|<>|!=|==|<=|>=|&&|\*\*|//|::|%in%|%between%|%inrange%|%like%|%nin%|%notin%|%/%|%%
        |[-+*/=<>(),%&|~.!$:\[\]{}\u2264\u2265\u2260])""",
    re.VERBOSE,
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_WHOLE = re.compile(r"L\b")  # behind a whole number, in R and in Spark
_HINTS = {
    "--": (
        "this is a comment in SQL, and two signs in Python.",
        "leave the comment out, or write it as /* */; write - (-x) for a double minus",
    ),
    "||": (
        "this sign is not of the language.",
        "write OR; texts are not joined: group by both columns",
    ),
    **dict.fromkeys(
        ("%>%", "|>"),
        (
            "this hands one value to the call behind it.",
            "write it as the first argument, as in between(age, 18, 65)",
        ),
    ),
    "[[#": (
        "this names a part of a table of a spreadsheet.",
        "write [@age], the column in this row",
    ),
    "=>": ("this sign is not of the language.", "write >="),
    "=<": ("this sign is not of the language.", "write <="),
    **dict.fromkeys(
        ("^=", "~="),
        (
            "this sign is not of the language.",
            "write <>, or IS DISTINCT FROM, which counts a missing cell as SAS and Stata do",
        ),
    ),
    "><": ("this sign is not of the language.", "write <>"),
}
_QUOTES = "write text in ' ', and names as they are or in \" \": straight marks, not curly ones"
_VALUE = "write the public value itself"
_INSTEAD = {  # of one letter, what to do about it
    "^": "write x ** 2 where a power is meant; there are no operations on bits",
    **dict.fromkeys("#;", "leave it and what follows out"),
    "\x00": "leave this character out: no text of the language holds a NUL",
    **dict.fromkeys("?@", _VALUE),
    **dict.fromkeys("\u2018\u2019\u201a\u201c\u201d\u201e\u00b4", _QUOTES),
}

_AHEAD = 4  # more than a reader looks ahead
Name = Literal["number", "word", "quoted", "text", "sign", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign: what it is, what it says, and where it stands."""

    kind: Name
    text: str
    start: int
    end: int

    def says(self, *words: str) -> bool:
        """Tell whether it is one of these words, in any case, or signs."""
        return self.kind in ("word", "sign") and self.text.upper() in words


def tokens(text: str, *, is_select: bool = False) -> list[Token]:
    """Return the words and signs of a text, and its end, several times: who reads looks ahead.

    Args:
        text: an expression, or a SELECT.
        is_select: whether -- begins a comment, as in SQL.

    Raises:
        InputError: something in it is of no language, or of another one.
    """
    return [*_found(text, is_select=is_select), *[Token("end", "", len(text), len(text))] * _AHEAD]


def _found(text: str, *, is_select: bool) -> Iterator[Token]:
    place = 0
    while place < len(text):
        if is_select and text.startswith("--", place):
            place = text.find("\n", place) % (len(text) + 1)
            continue
        for sign, (what, fix) in _HINTS.items():
            if text.startswith(sign, place):
                raise refused(
                    text,
                    place,
                    place + len(sign),
                    what,
                    why="it looks at one row and does no more",
                    fix=fix,
                )
        if (day := _DAY.match(text, place)) is not None:
            raise refused(
                text,
                place,
                day.end(),
                "this would be a difference of numbers.",
                why="days are marked, so that nobody takes one for the other",
                fix=f"write DATE '{day[0]}', or blanks around each -",
            )
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unread(text, place)
        if match.lastgroup not in ("blank", "comment", "whole", "raw"):
            token = Token(_name(match.lastgroup), match[0], place, match.end())
            if match.lastgroup == "table":  # [@age] of a spreadsheet
                token = replace(token, text=f"`{match[0].strip('[@]')}`")
            behind = text[match.end() :][:40]
            is_whole = _WHOLE.match(behind) and token.text.isdecimal()
            if token.kind == "number" and behind[:1].isidentifier() and not is_whole:
                raise _unread(
                    text, match.end(), _behind_number(behind, named_day(match[0] + behind[:7]))
                )
            yield token
        place = match.end()


def _behind_number(rest: str, written: str | None) -> str:
    """Return what to do about a word that stands at a number without a blank."""
    word = rest.split(maxsplit=1)[0].upper()
    if written is not None:
        return f"write DATE '{written}'"
    if word in ("AND", "OR", "IN", "IS", "THEN", "ELSE", "END", "WHEN"):
        return f"write a blank before {word}"
    return "write the number in full, as in 30000"


def _name(group: str | None) -> Name:
    names: dict[str | None, Name] = {
        "number": "number",
        "word": "word",
        "quoted": "quoted",
        "table": "quoted",
        "text": "text",
        "sign": "sign",
    }
    return names[group]


def _unread(text: str, place: int, fix: str = "") -> Exception:
    what = "this sign is not of the language."
    held = text.find("\x00", place)
    if text[place] in "'\"" and held >= 0:
        place, what = held, "a NUL is no character of a text."
    elif text[place] in "'\"":
        what = "this quotation mark stays open."
        fix = "close it; inside of a text it stands twice, as in 'O''Brien'"
    return refused(
        text,
        place,
        place + 1,
        what,
        why="names stand as they are or in \" \", text in ' ', numbers as 1000.5 or 1e3",
        fix=fix or _INSTEAD.get(text[place], "leave it out, or write it in another way"),
    )
