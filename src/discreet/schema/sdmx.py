"""Names of an agency's data structure for the parts of a release: for SDMX-CSV.

Rules of this module:
- the structure, its dimensions and its codes are the agency's: none is made up here, but for the
  codes of questions, which a release alone knows;
- a code is what SDMX allows as an identifier, so that no reader, and no spreadsheet, takes it for
  something else.

Decision 130. Source: SDMX 3.0, sections 3 and 5; the SDMX-CSV field guide 2.0.0.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from ..errors import InputError, as_given, shown
from ..fix import Rename, Set, leave_out, nearest_name

Kind = Literal["dataflow", "datastructure", "dataprovision"]
IDENTIFIER = re.compile(r"[A-Za-z0-9_@$\-]{1,200}", re.ASCII)
_COMPONENT = re.compile(r"[A-Za-z][A-Za-z0-9_\-]{0,199}", re.ASCII)
_STRUCTURE = re.compile(
    r"[A-Za-z][A-Za-z0-9_\-]*(\.[A-Za-z][A-Za-z0-9_\-]*)*:[A-Za-z0-9_@$\-]+"
    r"(\(\d+(\.\d+){0,2}(-[A-Za-z0-9\-.]+)?\+?\))?",
    re.ASCII,
)
_VALUE = re.compile(r"[A-Za-z0-9_][^\x00-\x1f\x7f;|]{0,199}")
_SAYS = ("structure", "kind", "dimensions", "codes", "constants", "attributes")
ATTRIBUTES = {  # what stands beside a value, and what it is called where nobody says
    "value": "OBS_VALUE",
    "low": "LOWER_BOUND",
    "high": "UPPER_BOUND",
    "rows": "ROWS",
    "status": "OBS_STATUS",
    "flag": "RELIABILITY",
}
_TAKEN = ("STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION", "SERIES_KEY", "OBS_KEY")


@dataclass(frozen=True, slots=True)
class Sdmx:
    """The names of a data structure.

    Attributes:
        structure: agency, identifier and version: "ABC:WAGES(1.0.0)".
        kind: its kind: "dataflow", "datastructure" or "dataprovision".
        dimensions: of each column of the long table, the dimension that it is: {"educ": "EDUC"}.
        codes: of each column, the codes of its values, by the value as it prints.
        constants: dimensions and attributes that are the same in all rows: {"FREQ": "A"}.
        attributes: other names for value, low, high, rows, status and flag.
    """

    structure: str
    kind: Kind = "dataflow"
    dimensions: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return what is said, as plain data."""
        words: dict[str, Any] = {"structure": self.structure, "kind": self.kind}
        words["codes"] = {column: {**codes} for column, codes in self.codes.items()}
        for name in ("dimensions", "constants", "attributes"):
            words[name] = {**getattr(self, name)}
        return {name: value for name, value in words.items() if value}

    def attribute(self, name: str) -> str:
        """Return what stands over a number of a row."""
        return self.attributes.get(name, ATTRIBUTES[name])


def sdmx(argument: object) -> Sdmx:
    """Return the names of a data structure, from their plain data.

    Raises:
        InputError: a name that is not known, or what SDMX does not allow.

    Example:
        >>> sdmx({"structure": "ABC:WAGES(1.0.0)"}).kind
        'dataflow'
    """
    if isinstance(argument, Sdmx):
        return argument
    parts = _mapping("sdmx", argument)
    for name in map(str, parts):
        if name not in _SAYS:
            near = nearest_name(name, _SAYS)
            raise InputError(
                f"about.sdmx has no {shown(name)}.",
                kind="publishers-words",
                why=f"it says {', '.join(_SAYS)}",
                fix=Rename(name, near) if near else leave_out(name),
            )
    structure, kind = parts.get("structure", ""), parts.get("kind", "dataflow")
    if not isinstance(structure, str) or not _STRUCTURE.fullmatch(structure):
        raise InputError(
            f"structure = {as_given(structure)} names no structure.",
            kind="publishers-words",
            why="SDMX names one by its agency, its identifier and its version",
            fix=Set({"structure": "ABC:WAGES(1.0.0)"}),
            at="structure",
        )
    if kind not in get_args(Kind):
        raise InputError(
            f"kind = {as_given(kind)} is no kind of structure.",
            kind="publishers-words",
            why=f"there are {', '.join(get_args(Kind))}",
            fix=tuple(Set({"kind": known}) for known in get_args(Kind)),
            at="kind",
        )
    every_code = _mapping("codes", parts.get("codes", {})).items()
    made = Sdmx(
        structure,
        cast("Kind", kind),
        _texts("dimensions", parts.get("dimensions", {}), _COMPONENT),
        {str(column): _texts("codes", of, IDENTIFIER) for column, of in every_code},
        _texts("constants", parts.get("constants", {}), _VALUE),
        _texts("attributes", parts.get("attributes", {}), _COMPONENT),
    )
    _check_names(made)
    return made


def _check_names(made: Sdmx) -> None:
    """Refuse names that stand for nothing, or for two things."""
    for name in made.attributes:
        if name not in ATTRIBUTES:
            raise InputError(
                f"attributes has no {shown(name)}.",
                kind="publishers-words",
                why=f"beside a number stand {', '.join(ATTRIBUTES)}",
                fix=Rename(name, nearest_name(name, ATTRIBUTES) or "low"),
                at="attributes",
            )
    for name in made.constants:
        if not _COMPONENT.fullmatch(name):
            raise _no_identifier("constants", name)
    names = [*made.dimensions.values(), *made.constants, *map(made.attribute, ATTRIBUTES)]
    twice = next((name for name in names if names.count(name) > 1 or name in _TAKEN), None)
    if twice is not None:
        raise InputError(
            f"{shown(twice)} is the name of two columns.",
            kind="publishers-words",
            why="each dimension, constant and attribute of SDMX-CSV has a column of its own",
            fix="give each of them a name of its own",
        )


def _mapping(name: str, argument: object) -> Mapping[str, Any]:
    if isinstance(argument, Mapping):
        return argument
    raise InputError(
        f"{name} = {as_given(argument)} names nothing.",
        kind="publishers-words",
        why="SDMX-CSV has a column for each dimension, and a code for each key",
        fix='write sdmx = { structure = "ABC:WAGES(1.0.0)", dimensions = { educ = "EDUC" } }',
    )


def _texts(name: str, argument: object, form: re.Pattern[str]) -> dict[str, str]:
    texts = {}
    for key, text in _mapping(name, argument).items():
        if not isinstance(text, str) or not form.fullmatch(text):
            raise _no_identifier(name, text)
        texts[str(key)] = text
    return texts


def _no_identifier(name: str, text: object) -> InputError:
    return InputError(
        f"{as_given(text)} is no identifier of SDMX.",
        kind="publishers-words",
        why="it is made of letters, digits, _, -, @ and $; names of columns begin with a letter",
        fix=f"write another one in {name}",
        at=name,
    )
