"""The line to type where a word or a sign cannot stand: by what is before it, and belongs there.

Rules of this module:
- each fix is a line to type, or says which sign to leave out.
"""

import re
from collections.abc import Sequence

from ..errors import InputError, shown
from .refusals import OUTSIDE, refused, unknown_function
from .tokens import Token

OPERAND = "a column, a number, a text or a function"
BEHIND = "the end, AND, OR or an operator"
_WHY = (
    "an expression says something of one row: comparisons, AND, OR, NOT, CASE, + - * / and "
    "the functions of docs/rows.md"
)
_SAMPLE = "age >= 18"
_PATTERNS = ("ilike", "similar", "regexp", "rlike", "glob")
_WRITTEN = {  # what stands where it cannot, and what to write
    **dict.fromkeys(("none", "na", "nan", "nil", "missing"), "NULL"),
    "unknown": "NULL",
    "symmetric": "BETWEEN with the lower end first, as in BETWEEN 18 AND 65",
    **dict.fromkeys(("$", ":"), "the public value itself"),
    ".": "x IS NULL or x IS NOT NULL where a missing value is meant",
    "!": "NOT before a condition",
    **dict.fromkeys(
        ("ge", "gt", "le", "lt", "eq", "ne"),
        ">= > <= < = or <>: SAS counts a "
        "missing number as less than all others, and here it is none",
    ),
    "~": "NOT before a condition; a pattern is starts_with(name, 'a') or contains(name, 'a')",
    "{": "x IN (1, 2) of a list, CASE sex WHEN 1 THEN 'm' WHEN 2 THEN 'f' END of codes",
    "[": "left(name, 1) for letters of a text; a list stands in IN (1, 2)",
    "xor": "<> between the two, each in parentheses",
    "isnull": "IS NULL",
    "notnull": "IS NOT NULL",
    "collate": "nothing there: text is compared byte by byte",
    "interval": "the day itself, as in DATE '2026-11-03'; days(d, DATE '2026-11-03') counts days",
    "where": "the condition alone, without WHERE",
    "then": "CASE WHEN age >= 18 THEN 1 ELSE 0 END",
    **dict.fromkeys(
        ("select", "exists", "any", "all", "some"),
        "a public value or a list: there are no sub-queries. Other tables are joined: docs/rows.md",
    ),
}
_BEHIND = {  # the same, of what stands behind a part that is complete
    **dict.fromkeys(("<", "<=", ">", ">=", "=", "<>", "!="), "two comparisons with AND"),
    ",": "a number without commas, as in 30000; a list stands in IN (1, 2)",
}
_AS_IN = {"AND": "BETWEEN 18 AND 65", "WHEN": f"CASE WHEN {_SAMPLE} THEN 1 ELSE 0 END"}
_SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/")
_ENDING = ("ASC", "DESC", "IS", "IN", "BETWEEN", "THEN", "ELSE", "END", "WHEN", "LIKE", "AS")
_OF_SAS = ("GE", "GT", "LE", "LT", "EQ", "NE")
_JOINING = ("AND", "OR", "NOT", "WHERE", "WHEN", "FILTER")


def misplaced(
    text: str, tokens: Sequence[Token], place: int, wanted: str, *, why: str = _WHY
) -> InputError:
    """Return the error for a word or a sign that cannot stand where it does."""
    here = tokens[place]
    there = "the end" if here.kind == "end" else shown(here.text, 30)
    if there.lower() in _PATTERNS:
        return refused(
            text,
            here.start,
            here.end,
            "patterns are not of the language.",
            why="engines differ in what they escape, and in which letters are alike",
            fix=_searched(tokens, place)
            or "write starts_with(name, 'a'), contains(name, 'a') or starts_with(lower(name), 'a')",
        )
    if here.says("%NIN%", "%NOTIN%", "%INRANGE%") and place > 0:
        return _of_r(text, tokens, place)
    if there.lower() in OUTSIDE:
        return unknown_function(text, here.start, here.end, "")
    return refused(
        text,
        here.start,
        here.end,
        f"{wanted} belongs here, not {there}.",
        why=why,
        fix=_fix(tokens[:place], here, wanted, tokens[place + 1 :]),
    )


def _of_r(text: str, tokens: Sequence[Token], place: int) -> InputError:
    """Return the error for %nin%, %notin% and %inrange% of R, with lines of what stands there."""
    sign, left = tokens[place], _left_of(text, tokens, place - 1)
    listed = _LIST_OF_R.match(text[sign.end :])
    values = [value.strip() for value in listed[1].split(",")] if listed else []
    inside = shown(", ".join(values or ["1", "2"]).replace('"', "'"), 60)
    if sign.says("%INRANGE%"):
        are_typed = len(values) == len(("low", "high")) and all(map(_NUMBER.fullmatch, values))
        ends = values if are_typed else ["18", "65"]
        why = "data.table looks at the ends of all rows, and takes a missing one as open"
        fix = f"{left} BETWEEN {' AND '.join(ends)}"
    else:
        why = "R counts a missing cell, as it is none of the list, and SQL does not"
        fix = f"{left} NOT IN ({inside}) without them, NOT coalesce({left} IN ({inside}), FALSE)"
    return refused(
        text, sign.start, sign.end, "this operator of R is not taken.", why=why,
        fix=f"write {fix}" + " with them" * (not sign.says("%INRANGE%")),
    )  # fmt: skip


def _left_of(text: str, tokens: Sequence[Token], place: int) -> str:
    """Return the column, or the function of one, that ends at a place; x where none does."""
    begin = place
    while begin > 1 and tokens[place].says(")") and not tokens[begin].says("("):
        begin -= 1
    begin -= begin < place
    is_name = tokens[begin].kind in ("word", "quoted")
    return text[tokens[begin].start : tokens[place].end] if is_name else "x"


_NUMBER = re.compile(r"-?[0-9.]+")
_LIST_OF_R = re.compile(r"\s*(?:c|list)\(([^()]*)\)")
_SEARCHES = {(0, 0): "", (0, 1): "starts_with", (1, 0): "ends_with", (1, 1): "contains"}


def _searched(tokens: Sequence[Token], place: int) -> str:
    """Return what to type for a column ILIKE a plain pattern, whose letters are of ASCII."""
    after = tokens[place + 1]
    is_no = place > 0 and tokens[place - 1].says("NOT")
    column = tokens[place - 1 - is_no] if place > is_no else after
    pattern = after.text[1:-1].lower()
    ends = int(pattern.startswith("%")), int(len(pattern) > 1 and pattern.endswith("%"))
    letters = pattern[ends[0] : len(pattern) - ends[1]]
    is_plain = letters.isascii() and not {*letters} & {*"%_\\'"} and bool(letters)
    if not tokens[place].says("ILIKE") or not is_plain or after.kind != "text":
        return ""
    if column.kind != "word":
        return ""
    name, search = shown(column.text), _SEARCHES[ends]
    if not search:
        return f"write lower({name}) {'<>' if is_no else '='} '{shown(letters)}'"
    return f"write {'NOT ' * is_no}{search}(lower({name}), '{shown(letters)}')"


def _fix(gone: Sequence[Token], here: Token, wanted: str, after: Sequence[Token]) -> str:
    before = gone[-1] if gone else None
    named = (
        _of_sas(gone, here, after)
        or _as_name(gone, here, wanted, after)
        or _sought(gone, here, wanted)
        or _framed(wanted, before, here)
    )
    if named:
        return named
    known = _WRITTEN.get(here.text.lower()) if here.kind in ("word", "sign") else None
    known = "what it gives, as in floor(age / 10)" if before and before.says("LAMBDA") else known
    if before is not None and before.says(",") and (here.kind == "end" or here.says(")", "FROM")):
        return "leave the last comma out"
    if known:
        return f"write {known}"
    if wanted == BEHIND:
        return _joined(before, here, after)
    if wanted == OPERAND or before is None:
        is_upper_end = len(gone) > 2 and gone[-3].says("BETWEEN")
        fix = "write the upper end, as in BETWEEN 18 AND 65"
        return fix if is_upper_end else _completed(before, here)
    return _inserted(here, wanted)


def _as_name(gone: Sequence[Token], here: Token, wanted: str, after: Sequence[Token]) -> str:
    """Return what to type where a column is called by a word of the language, or by two words."""
    is_word = here.kind == "word" and here.text.isidentifier()
    compared = bool(after) and after[0].says(*_SIGNS, "IS", "IN", "BETWEEN")
    if wanted == OPERAND and is_word and (compared or here.text.lower() not in _WRITTEN):
        starts = not gone or gone[-1].says("(", ",", *_JOINING, *_SIGNS)
        starts &= not (after and after[0].says("BY"))
        quoted = f'write "{here.text}", in quotation marks, where it is a column'
        return quoted if starts or compared else ""
    words = [
        token.text for token in gone[-1:] if token.kind == "word" and not token.says(*_JOINING)
    ]
    if wanted == BEHIND and is_word and words and not here.says(*_ENDING, *_OF_SAS):
        name = f"{words[0]} {here.text}"
        return (
            f'write "{name}", in quotation marks, where that is a column, or AND, OR or an '
            f"operator before {here.text}"
        )
    return ""


def _of_sas(gone: Sequence[Token], here: Token, after: Sequence[Token]) -> str:
    """Return what to type for =: and in: of SAS, which compare beginnings, and behind its texts."""
    before = gone[-1] if gone else here
    is_text = before.kind in ("text", "quoted") and before.end == here.start
    if is_text and here.says("D", "DT", "T"):
        return "write DATE '2026-11-03' or TIMESTAMP '2026-11-03 10:30:00'"
    if here.says("(") and gone[-2:-1] and gone[-2].says("::"):
        return "leave ( and what follows out: a type has no length here"
    if not here.says(":") or not before.says("=", "IN") or before.end != here.start:
        return ""
    if gone[-2:-1] and gone[-2].kind in ("word", "quoted"):
        begun = [token.text[1:-1] for token in after if token.kind in ("text", "quoted")]
        begun = begun[: 1 if before.says("=") else None]
        asked = " OR ".join(f"starts_with({gone[-2].text}, '{text}')" for text in begun)
        return f"write {shown(asked, 100)}" if asked else ""
    return ""


def _framed(wanted: str, before: Token | None, here: Token) -> str:
    """Return what to type where rows of a frame are chosen in brackets."""
    is_located = here.says("[") and before is not None and before.says("LOC", "ILOC", "DF")
    if not is_located and not wanted.startswith("the name of a column"):
        return ""
    return f'write the condition alone, as in {_SAMPLE}; a column stands as it is, or in " "'


def _sought(gone: Sequence[Token], here: Token, wanted: str) -> str:
    """Return what to type where a text is looked for IN a column, as Python says it."""
    before = [*gone[:-1]] if wanted == "(" and here.kind == "word" else []
    no = "NOT " if before and before[-1].says("NOT") else ""
    sought = before[-2:-1] if no else before[-1:]
    if not sought or sought[0].kind not in ("text", "quoted"):
        return ""
    quoted = shown("'" + sought[0].text[1:-1] + "'", 30)
    return f"write {no}contains({shown(here.text, 30)}, {quoted})"


def _inserted(here: Token, wanted: str) -> str:
    """Return what to type where one word or sign is missing."""
    quoted = shown(here.text, 30)
    if here.kind in ("number", "text") and wanted in ("NULL", "("):
        return f"write = {quoted}" if wanted == "NULL" else f"write ({quoted})"
    if wanted == "NULL":
        return "write IS NULL"
    if wanted == "ELSE":
        return "write AND in the place of IF, between two conditions; or ELSE and a value behind it"
    end = "at the end" if here.kind == "end" else f"before {quoted}"
    sample = f", as in {_AS_IN[wanted]}" if wanted in _AS_IN else ""
    return f"write {wanted} {end}{sample}"


def _joined(before: Token | None, here: Token, after: Sequence[Token]) -> str:
    """Return what to type where a complete part goes on."""
    if here.says("IS"):
        return "write the comparison in parentheses, as in (age >= 18) IS TRUE"
    if here.says(",") and after[0].kind != "number":
        return "write AND or OR in the place of the comma"
    if here.text in _BEHIND:
        return f"write {_BEHIND[here.text]}"
    if here.says(")"):
        return "leave ) out, or write ( where its part begins"
    if before is not None and before.kind == here.kind == "number":
        return "write the number in full, with one point, as in 18000.5"
    return f"write AND, OR or an operator before {shown(here.text, 30)}, as in {_SAMPLE}"


def _completed(before: Token | None, here: Token) -> str:
    """Return what to type where a part is missing."""
    if before is None:
        return f"write a column or a value before {shown(here.text, 30)}, as in {_SAMPLE}"
    last = shown(before.text, 30)
    if here.says(")") and before.says("("):
        return "write what belongs between ( and ), or leave both out"
    if before.says(*_JOINING):
        last = last.upper()
        return f"write a condition behind {last}, as in {_SAMPLE}, or leave {last} out"
    return f"write a column or a value behind {last}, as in {_SAMPLE}"
