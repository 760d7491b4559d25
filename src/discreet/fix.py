"""What to do about an error, as data: which setting to change, and to what.

Rules of this module:
- a setting is called as Python calls it; each face (Python, a plan file, the command line) spells a
  fix in its own way, and none reads the words of an error;
- what only a person can answer is BLANK, or "?" where text belongs; it is never made up;
- what no face spells differently is plain text.

Decision 14.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

_MOST_TEXT = 200  # letters of a text that is quoted
_FEWEST = 3  # letters of a name of which another can be a slip
_NO_SLIP = frozenset(  # words of other tools for what is not here, or is called otherwise
    ("seed", "weights", "start", "stop", "level", "levels", "shape", "space", "label", "width")
)
_WRITE = "write "
_JOINS = ("join", "owner")  # calls that declare a joined table
_SIGNS = (",", ";", ":")  # a note that begins with one follows without a blank
_OURS: Final[dict[str, tuple[str, ...]]] = {  # what other tools call a setting: what it is here
    **dict.fromkeys(
        (
            *("group_by", "groupby", "groups", "group", "grouping", "grouped_by", "partition_by"),
            *("partitions", "strata", "per", "over", "dims", "dimensions", "facet", "facets"),
        ),
        ("by", "keys"),
    ),
    **dict.fromkeys(
        ("filter", "condition", "query", "predicate", "subset", "mask", "filters", "if_"),
        ("where",),
    ),
    **dict.fromkeys(
        (
            *("col", "column_name", "col_name", "colname", "cols", "field", "variable", "var"),
            *("measure", "measure_column", "value_column", "target", "response", "y"),
        ),
        ("column",),
    ),
    "columns": ("column",),
    **dict.fromkeys(("x", "features", "predictors", "regressors", "covariates"), ("on",)),
    **dict.fromkeys(
        (
            *("budget", "loss", "privacy_budget", "privacy_loss", "spend", "total_budget"),
            *("cost", "price"),
        ),
        ("spend", "budget"),
    ),
    **dict.fromkeys(
        ("data", "df", "path", "file", "filename", "dataset", "file_name", "folder"),
        ("source", "path"),
    ),
    **dict.fromkeys(
        (
            *("privacy_unit", "privacy_id", "privacy_id_column", "unit_column", "id", "entity"),
            *("id_column", "user_id", "user", "person", "individual", "protected_change"),
        ),
        ("unit",),
    ),
    **dict.fromkeys(("max_contributions", "l0", "max_partitions"), ("max_groups", "max_rows")),
    **dict.fromkeys(
        ("rows", "max_ids", "contributions", "max_rows_per_unit", "contribution_bound"),
        ("max_rows",),
    ),
    **dict.fromkeys(
        ("max_contributions_per_partition", "linf", "max_per_group"), ("max_rows_per_group",)
    ),
    **dict.fromkeys(
        ("q", "quantile", "quantiles", "percentile", "percentiles", "p", "prob", "probs"), ("at",)
    ),
    **dict.fromkeys(("min", "minimum", "low", "lo", "start", "from_", "lower_bound"), ("lower",)),
    **dict.fromkeys(("max", "maximum", "high", "hi", "stop", "to", "upper_bound"), ("upper",)),
    **dict.fromkeys(("granularity", "increment", "resolution"), ("step",)),
    **dict.fromkeys(("accuracy", "error", "tolerance", "margin", "margin_of_error"), ("within",)),
    **dict.fromkeys(("relation", "adjacency", "neighbor", "neighbours"), ("neighbors",)),
    **dict.fromkeys(("type", "function", "aggregate", "question"), ("statistic",)),
    **dict.fromkeys(("bounds", "ranges", "schema", "limits", "metadata"), ("columns",)),
    **dict.fromkeys(("categories", "keyset", "public_partitions", "domains"), ("keys",)),
    **dict.fromkeys(("average", "avg"), ("mean",)),
    **dict.fromkeys(("sd", "stdev", "stddev"), ("std",)),
    **dict.fromkeys(
        (
            *("edges", "cuts", "breaks", "bin_edges", "cut_points", "buckets", "n_bins", "nbins"),
            *("num_bins", "number_of_bins", "bin_count", "n_buckets"),
        ),
        ("bins",),
    ),
    **dict.fromkeys(("top", "head", "n"), ("k",)),
    "limit": ("max_rows", "k"),
    "method": ("how",),
    "eps": ("epsilon",),
}


class Blank:
    """The place of a value that only a person can tell."""

    def __repr__(self) -> str:
        return "?"


BLANK: Final = Blank()


@dataclass(frozen=True, slots=True)
class Variable:
    """What stands in a fix as it is: a name that the docs give a table or a plan, or a call."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Call:
    """A call in Python, as a value: `discreet.unit("person", max_rows=?)`."""

    name: str
    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Say:
    """What every face says alike."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Set:
    """Give settings a value.

    Attributes:
        settings: by name; a dict sets only what stands in it: {"keys": {"city": ["?"]}}.
        of: whose they are: "table", "plan", "ask", "run", "join.people" and "owner.orders" of
            joined tables; "" for those of what was called.
        verb: what comes before.
        note: what comes after.
    """

    settings: Mapping[str, Any]
    of: str = ""
    verb: str = "write"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """Leave settings out."""

    names: tuple[str, ...]
    of: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Instead:
    """Use another name in a setting, which lists it or is it."""

    setting: str
    old: str
    new: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    """Write a name that is known in place of one that is not."""

    old: str
    new: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """Call something in Python."""

    call: Call
    note: str = ""


Way = Say | Set | Remove | Instead | Rename | Do
Ways = tuple[Way, ...]
Fix = str | Way | tuple[str | Way, ...]


def call(name: str, /, *args: object, **options: object) -> Call:
    """Return a call as a value.

    Example:
        >>> python_of(call("discreet.unit", "person", max_rows=BLANK))
        'discreet.unit("person", max_rows=?)'
    """
    return Call(name, args, options)


def write(note: str = "", /, *, of: str = "", verb: str = "write", **settings: object) -> Set:
    """Return the advice to write settings of something.

    Example:
        >>> in_python((write(epsilon="1", delta="1e-6"), write(of="plan", spend=BLANK)))
        'write epsilon="1" and delta="1e-6", or spend=? in discreet.plan'
    """
    return Set(settings, of, verb, note)


def leave_out(*names: str, of: str = "", note: str = "") -> Remove:
    """Return the advice to leave settings out."""
    return Remove(names, of, note)


def of_join(ways: Ways, verb: str, name: str) -> Ways:
    """Return ways out in which settings of a table are those of a table that is joined to it."""
    return tuple(
        replace(way, of=f"{verb}.{name}")
        if isinstance(way, (Set, Remove)) and way.of == "table"
        else way
        for way in ways
    )


def joined_place(of: str) -> tuple[str, ...]:
    """Return the part of a plan file of a joined table whose settings these are; () for none.

    Example:
        >>> joined_place("owner.orders.csv"), joined_place("table")
        (('owner', 'orders.csv'), ())
    """
    verb, _, name = of.partition(".")
    return (verb, name) if verb in _JOINS else ()


def renamed(ways: Ways, names: Mapping[str, str]) -> Ways:
    """Return ways out in which settings have other names."""
    return tuple(_renamed(way, names) for way in ways)


def _renamed(way: Way, names: Mapping[str, str]) -> Way:
    if not isinstance(way, Set):
        return way
    return replace(way, settings={names.get(k, k): value for k, value in way.settings.items()})


def ways_of(fix: Fix) -> Ways:
    """Return a fix as the ways out that it names; text stands for itself."""
    ways = fix if isinstance(fix, tuple) else (fix,)
    return tuple(Say(way) if isinstance(way, str) else way for way in ways)


def and_then(ways: Ways, text: str) -> Ways:
    """Return ways out that all end with one more sentence."""
    return (*ways[:-1], replace(ways[-1], note=f"{ways[-1].note}; {text}"))


def at_fault(ways: Ways) -> tuple[str, ...]:
    """Return the setting that the first way is about, one name for each depth; () for none."""
    first = ways[0]
    if isinstance(first, Instead):
        return (first.setting,)
    if isinstance(first, Rename):
        return (first.old,)
    if isinstance(first, Remove) and not first.of:
        return first.names[:1]
    if not isinstance(first, Set) or first.of:
        return ()
    name, value = next(iter(first.settings.items()))
    return (name, *([str(next(iter(value)))] if isinstance(value, Mapping) and value else []))


def in_python(ways: Ways) -> str:
    """Return ways out as Python spells them, the first one first."""
    return joined(with_note(_one(way), way.note) for way in ways)


def _one(way: Way) -> str:
    if isinstance(way, Say):
        return way.text
    if isinstance(way, Do):
        return f"write {python_of(way.call)}"
    if isinstance(way, Rename):
        return f"write {way.new} in place of {way.old}"
    if isinstance(way, Instead):
        return f"write {python_of(way.new)} in place of {python_of(way.old)}"
    call_of = way.of.partition(".")[0]
    is_elsewhere = call_of in ("table", *_JOINS) or (
        call_of == "plan" and getattr(way, "verb", "") == "write"
    )
    of = f" in discreet.{call_of}" if is_elsewhere else ""
    if isinstance(way, Remove):
        return f"leave {' and '.join(way.names)} out{of}"
    settings = (f"{name}={python_of(value)}" for name, value in way.settings.items())
    return f"{way.verb} {' and '.join(settings)}{of}"


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the known name of which a written one is a slip, or nothing.

    A slip is another case or sign between words, or one letter more, less or other, or two that
    changed places. Short words and other digits make other names: a wage is no age.

    Example:
        >>> nearest_name("wieght", ["weight", "within"]), nearest_name("width", ["within"])
        ('weight', '')
    """
    written = _letters(name)
    near = {_letters(item): item for item in known}
    return near.get(written) or next(
        (near[other] for other in near if _is_slip(written, other)), ""
    )


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign not in "_- ")


def _is_slip(word: str, other: str) -> bool:
    """Tell whether two words differ by one slip of the pen."""
    short, long = sorted((word, other), key=len)
    if any(
        short == long[:n] + long[n + 1 :] for n in range(1, len(long)) if long[n - 1] == long[n]
    ):
        return len(short) > 1  # a letter typed twice
    if len(short) < _FEWEST or len(long) - len(short) > 1 or _digits(word) != _digits(other):
        return False
    at = next((n for n, sign in enumerate(short) if sign != long[n]), len(short))
    if len(short) == _FEWEST and not at:
        return False  # of a word so short the first letter stands
    if len(long) > len(short):
        return short[at:] == long[at + 1 :]
    swapped = short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long[at:]


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdigit())


def our_name(name: str, known: Iterable[str]) -> str:
    """Return the known name of which a written one is a slip, or what other tools call it."""
    word, names = name.casefold(), [*known]
    synonyms = _OURS.get(word, ())
    meant = next((synonym for synonym in synonyms if synonym in names), "")
    return meant or ("" if word in _NO_SLIP or synonyms else nearest_name(name, names))


def name_columns(
    setting: str, value: object, *, least: int = 1, most: int = 1, listed: bool = False
) -> Way:
    """Return the advice to name columns: those that were meant, where that can be told.

    Args:
        setting: what takes them.
        value: what was given in their place; it may say one of them twice, or say other things.
        least, most: how many columns it takes.
        listed: whether one column stands in a list, too.
    """
    each = [*value] if isinstance(value, (list, tuple, set)) else [value]
    texts = [
        column.decode("utf-8", "replace") if isinstance(column, bytes) else column
        for column in each
    ]
    names = [
        text for text in texts if isinstance(text, str) and text.strip() and "\x00" not in text
    ]
    names = [*dict.fromkeys(names)]
    if not least <= len(names) <= most:
        number = (
            "one column" if most == 1 else f"{least} or more columns" if least > 1 else "columns"
        )
        return Say(f"name {number} of the data in {setting}")
    return Set({setting: names[0] if len(names) == 1 and not listed else names})


def joined(ways: Iterable[str]) -> str:
    """Return ways out as one sentence, in which "write" stands once for all that follow it."""
    texts = [*ways]
    pairs = zip(["", *texts], texts, strict=False)
    again = (before.startswith(_WRITE) and way.startswith(_WRITE) for before, way in pairs)
    return ", or ".join(
        way.removeprefix(_WRITE) if is_again else way
        for way, is_again in zip(texts, again, strict=True)
    )


def with_note(text: str, note: str) -> str:
    """Return what a way says and what comes after it."""
    return f"{text}{'' if not note or note.startswith(_SIGNS) else ' '}{note}"


def python_of(value: object) -> str:
    """Return a value as Python writes it; what a person must fill in is a question mark."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Call):
        options = (f"{name}={python_of(option)}" for name, option in value.options.items())
        return f"{value.name}({', '.join([*map(python_of, value.args), *options])})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{python_of(k)}: {python_of(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(python_of, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(python_of, value))})"
    return repr(value)


def quoted(text: str) -> str:
    """Return text in the quotation marks of Python; too long a text is a question mark."""
    if len(text) > _MOST_TEXT:
        return '"?"'
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal.startswith("'") and '"' not in text else literal
