"""The words and signs of an expression, each with its place.

Rules of this module:
- what is no word, number, text or sign of the language is refused where it stands: no comment, no
  second statement, no cast and no escape passes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..errors import shown
from .refusals import refused

MAX_LETTERS = 4_000

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<quoted>"(?:[^"\x00]|"")+")
    |(?P<text>'(?:[^'\x00]|'')*')
    |(?P<sign><>|!=|<=|>=|[-+*/=<>(),])""",
    re.VERBOSE,
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_DOTTED = re.compile(r'\."?([^\W\d]\w*)')  # the column behind the name of its table
_BEFORE = re.compile(r'("[^"]*"|[^\W\d]\w*)$')  # the column whose method is called
_METHOD = re.compile(r"\.(?:str\.)?([^\W\d]\w*)\(")  # as data frames in Python write it
_OF_FRAMES = {  # methods of columns: what each is here
    **dict.fromkeys(("isna", "isnull", "is_null", "is_nan"), "{} IS NULL"),
    **dict.fromkeys(("notna", "notnull", "is_not_null"), "{} IS NOT NULL"),
    **dict.fromkeys(("isin", "is_in"), "{} IN (1, 2), with its values"),
    **dict.fromkeys(("between", "is_between"), "{} BETWEEN 18 AND 65, with its ends"),
    **dict.fromkeys(("startswith", "starts_with"), "starts_with({}, 'a'), with its beginning"),
    "contains": "contains({}, 'a'), with what is sought",
    **dict.fromkeys(("fillna", "fill_null"), "coalesce({}, 0), with what stands in"),
    **dict.fromkeys(("eq", "equals"), "{} = 1, with its value"),
    "ne": "{} <> 1, with its value",
}
_HINTS = {
    ";": ("nothing stands behind what is asked.", "leave ; and what follows out"),
    "--": (
        "comments have no place here.",
        "leave the comment out; write - (-x) for a double minus",
    ),
    "/*": ("comments have no place here.", "leave the comment out"),
    "==": ("this sign is not of the language.", "write ="),
    "%": ("this sign is not of the language.", "write x - n * floor(x / n)"),
    "::": (
        "there are no casts.",
        "leave :: and the type out: a column is read as what it is compared with, and a day "
        "is written DATE '2026-11-03'",
    ),
    "||": (
        "this sign is not of the language.",
        "write OR; texts are not joined: group by both columns",
    ),
    "//": ("this sign is not of the language.", "write floor(x / n)"),
    "**": ("this sign is not of the language.", "write x * x"),
    "&&": ("this sign is not of the language.", "write AND"),
    "=>": ("this sign is not of the language.", "write >="),
    "=<": ("this sign is not of the language.", "write <="),
    "><": ("this sign is not of the language.", "write <>"),
}
_QUOTES = "write text in ' ', and names as they are or in \" \": straight marks, not curly ones"
_VALUE = "write the public value itself"
_INSTEAD = {  # of one letter, what to do about it
    "&": "write AND",
    "|": "write OR",
    "!": "write NOT",
    "^": "write x * x",
    "~": "write NOT before a condition; a pattern is starts_with(name, 'a') or contains(name, 'a')",
    "\u2264": "write <=",
    "\u2265": "write >=",
    "\u2260": "write <>",
    "#": "leave it and what follows out",
    "\x00": "leave this character out: no text of the language holds a NUL",
    "`": 'write the name as it is, or in " "',
    "[": 'write a list as IN (1, 2), and a name as it is or in " "',
    ".": 'write the name of the column alone; a name with a dot stands in " "',
    **dict.fromkeys("?:$@{", _VALUE),
    **dict.fromkeys("\u2018\u2019\u201a\u201c\u201d\u201e\u00b4", _QUOTES),
}

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


def tokens(text: str) -> list[Token]:
    """Return the words and signs of a text, and its end.

    Raises:
        InputError: something in it is of no language, or of another one.
    """
    return [*_found(text), Token("end", "", len(text), len(text))]


def _found(text: str) -> Iterator[Token]:
    place = 0
    while place < len(text):
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
        if match.lastgroup != "blank":
            found = Token(_name(match.lastgroup), match[0], place, match.end())
            if found.kind == "number" and text[match.end() :][:1].isidentifier():
                raise _unread(text, match.end(), _behind_number(text[match.end() :]))
            yield found
        place = match.end()


def _behind_number(rest: str) -> str:
    """Return what to do about a word that stands at a number without a blank."""
    word = rest.split(maxsplit=1)[0].upper()
    if word in ("AND", "OR", "IN", "IS", "THEN", "ELSE", "END", "WHEN"):
        return f"write a blank before {word}"
    return "write the number in full, as in 30000"


def _name(group: str | None) -> Name:
    names: dict[str | None, Name] = {
        "number": "number",
        "word": "word",
        "quoted": "quoted",
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
    elif (method := _METHOD.match(text, place)) and (column := _BEFORE.search(text[:place])):
        said = _OF_FRAMES.get(method[1], f"{shown(method[1])}({{}})")
        fix = f"write {said.format(shown(column[1]))}"
    elif (dotted := _DOTTED.match(text, place)) is not None:
        fix = f'write {shown(dotted[1])} alone; a name with a dot stands in " "'
    return refused(
        text,
        place,
        place + 1,
        what,
        why="names stand as they are or in \" \", text in ' ', numbers as 1000.5 or 1e3",
        fix=fix or _INSTEAD.get(text[place], "leave it out, or write it in another way"),
    )
