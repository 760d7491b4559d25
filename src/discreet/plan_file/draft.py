"""`discreet init`: a plan file drafted from names and types, with question marks where only a
person can know.

Rules of this module:
- names and types only: no value, no bound, no key and no count comes from the data;
- whatever decides privacy is a question mark, which `discreet plan` refuses until it is answered;
- the draft is TOML, whatever the columns are called.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from .examples import ASKED
from .schema import has_half_characters, key_of, text_of, toml

_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL", "NUMERIC")
_KEYS = ("INT", "VARCHAR", "CHAR", "CSV", "OBJECT", "BOOL", "DATE", "ENUM")
_TIMES = ("DATE", "TIMESTAMP", "DATETIME")
_GROUPS = ("VARCHAR", "CHAR", "CSV", "OBJECT", "BOOL", "ENUM")  # types of what people group by
_ID = re.compile(r"(?i:(?:.*[_\W])?(?:[pu]?id|uuid|guid|ident)(?:[_\W].*)?)|.*[a-z]I[Dd]")
_TEXTS = ("VARCHAR", "CHAR", "CSV", "OBJECT")  # what says nothing of its cells

_HEAD = """\
# A plan for {shown}, drafted by discreet from the names and types of its columns;
# none of its values is in here. Answer each "?", take away the # of the lines you want, then:
#
#     discreet plan {plan}

title = {title}

[data]
source = {source}    # from the folder of this file; "*" stands for several files
{csv}unit = "?"    # who is protected: "row", or {{ column = {unit}, max_rows = "?" }}
# neighbors = "replace"    # without this line: "add_remove", one unit more or less

{untyped}# Public ranges, from knowledge, never from the data; a value beyond an end counts as it.
[columns]
{columns}

# Public values, from knowledge, never from the data. Each is released, with or without rows.
[keys]
{keys}

[spend]
rho = "?"    # for example "1/50"; or epsilon = 1; or epsilon = 1 and delta = "1e-6"
ledger = {ledger}    # started once: discreet plan says how, with the name of the data

[[ask]]
statistic = "count"
{asks}"""

_UNTYPED = """\
# Such a file does not say which columns are numbers, so each is listed under both headings.
"""

_ASK = """
# [[ask]]
# statistic = "mean"
# column = "?"
# by = "?"
"""


def drafted(
    source: str,
    schema: Mapping[str, str],
    *,
    plan: str,
    csv: Mapping[str, str | None] | None = None,
    twice: Sequence[str] = (),
    table: str | None = None,
) -> str:
    """Return the draft of a plan file.

    A column that is called as ids are (`id`, `person_id`, `userId`) is no number and no group of
    the draft; the only one of them is shown as a unit's column, behind the question mark.

    Args:
        source: the path of the data as the plan file will say it.
        schema: the name and the engine's type of each column.
        plan: the name that the plan file will have.
        csv: how its cells are written, as far as the first line tells; None is for a person.
        twice: the names that stand twice in the first line, of which no column can be used.
        table: of a file with several tables, which of them.

    Example:
        >>> print(drafted("people.csv", {"age": "BIGINT"}, plan="people.toml").splitlines()[-3])
        # [[ask]]
    """
    stem = stem_of(source)
    schema = {name: kind for name, kind in schema.items() if name not in twice}
    typed = any(not kind.startswith(_TEXTS) for kind in schema.values())
    ids = [name for name in schema if is_id(name)]
    ranges = [name for name, kind in schema.items() if _has_range(kind) or not typed]
    keys = [name for name, kind in schema.items() if _can_be_key(kind)]
    ledger = f"{stem}.ledger"
    return _HEAD.format(
        shown=_comment(source),
        plan=_comment(plan),
        title=text_of(stem),
        source=text_of(source),
        csv=("" if table is None else f"table = {text_of(table)}\n") + _options(csv or {}),
        untyped=("" if typed else _UNTYPED) + _twice(twice),
        unit=text_of(ids[0]) if len(ids) == 1 else text_of(ASKED),
        columns="\n".join(_range(name, schema[name]) for name in ranges if name not in ids)
        or "# (no numbers)",
        keys="\n".join(_values(name, schema[name]) for name in keys if name not in ids)
        or "# (no columns)",
        ledger=text_of(ledger),
        asks=_asks({name: kind for name, kind in schema.items() if name not in ids})
        if typed
        else _ASK,
    )


def answered(parts: Mapping[str, Any], *, shown_as: str, plan: str) -> str:
    """Return a plan file of answers: a header and a line for each name.

    Example:
        >>> print(answered({"title": "t", "ask": [{"statistic": "count"}]}, shown_as="p", plan="q"))
        # A plan for p, written by discreet init from your answers: discreet plan q
        <BLANKLINE>
        title = "t"
        <BLANKLINE>
        [[ask]]
        statistic = "count"
        <BLANKLINE>
    """
    head = f"# A plan for {_comment(shown_as)}, written by discreet init from your answers: "
    lines = [f"{head}discreet plan {_comment(plan)}", ""]
    for name, part in parts.items():
        if not isinstance(part, (Mapping, list)):
            lines += [f"{key_of(name)} = {toml(part)}", ""]
            continue
        for each in part if isinstance(part, list) else [part]:
            header = f"[[{name}]]" if isinstance(part, list) else f"[{name}]"
            pairs = [f"{key_of(key)} = {toml(value)}" for key, value in each.items()]
            lines += [header, *pairs, ""] if pairs else []
    return "\n".join(lines)


def is_id(name: str) -> bool:
    """Tell whether a column is called as ids of units or rows are.

    Example:
        >>> [name for name in ("id", "person_id", "userId", "idea", "paid", "grid") if is_id(name)]
        ['id', 'person_id', 'userId']
    """
    return _ID.fullmatch(name) is not None


def _twice(names: Sequence[str]) -> str:
    """Return a comment on columns whose name stands twice, so that it says neither of them."""
    if not names:
        return ""
    named = _comment(", ".join(names))
    return f"# Left out, since the first line names them twice: {named}. Rename one of each.\n"


def _options(csv: Mapping[str, str | None]) -> str:
    pairs = ", ".join(f"{name} = {text_of(value or ASKED)}" for name, value in csv.items())
    asked = {"encoding": '"utf-8" or "windows-1252"', "decimal": '"," for 2,5, or "."'}
    notes = "; ".join(note for name, note in asked.items() if csv.get(name, "") is None)
    note = f"    # {notes}" if notes else ""
    return f"csv = {{ {pairs} }}{note}\n" if csv else ""


def stem_of(source: str) -> str:
    """Return a short name for a source: its file's name without a pattern and an ending."""
    path = PurePath(source)
    plain = path.name.split(".")[0].replace("*", "").replace("?", "").strip("-_ ")
    return plain or path.parent.name or "data"


def _asks(schema: Mapping[str, str]) -> str:
    """Return a mean of the first number, by the first column that people group by."""
    column = next((name for name, kind in schema.items() if _is_number(kind)), None)
    if column is None:
        return ""
    by = next((name for name, kind in schema.items() if _is_group(kind) and name != column), None)
    lines = ["", "# [[ask]]", '# statistic = "mean"', f"# column = {text_of(column)}"]
    return "\n".join([*lines, f"# by = {text_of(by)}"] if by else lines) + "\n"


def _range(name: str, kind: str) -> str:
    if _is_time(kind):
        return f'# {key_of(name)} = {{ lower = "?", upper = "?" }}{_type(kind)}, as in 2020-01-31'
    step = "1" if "INT" in kind.upper() else "0.01"
    return f'# {key_of(name)} = {{ lower = "?", upper = "?", step = "{step}" }}{_type(kind)}'


def _values(name: str, kind: str) -> str:
    whole = "INT" in kind.upper()
    example = "[1, 2], or { from = 1, to = 20 }" if whole else '["A", "B"]'
    if _is_time(kind):
        example = "[2020-01-01, 2020-01-02]"
    if kind.upper().startswith("BOOL"):
        example = "[false, true]"
    return f'# {key_of(name)} = "?"    # for example {example}{_type(kind)}'


def _type(kind: str) -> str:
    return "" if kind.startswith(_TEXTS) else f"    # {_comment(kind)}"


def _is_number(kind: str) -> bool:
    return not _is_nested(kind) and any(word in kind.upper() for word in _NUMBERS)


def _is_time(kind: str) -> bool:
    return not _is_nested(kind) and kind.upper().startswith(_TIMES)


def _has_range(kind: str) -> bool:
    return _is_number(kind) or _is_time(kind)


def _is_group(kind: str) -> bool:
    return not _is_nested(kind) and kind.upper().startswith(_GROUPS)


def _can_be_key(kind: str) -> bool:
    return not _is_nested(kind) and any(word in kind.upper() for word in _KEYS)


def _is_nested(kind: str) -> bool:
    return any(sign in kind for sign in ("[", "STRUCT", "MAP", "UNION"))


def _comment(text: str) -> str:
    """Return text that stays on its line of a comment."""
    return "".join(c if c.isprintable() and not has_half_characters(c) else "?" for c in text)
