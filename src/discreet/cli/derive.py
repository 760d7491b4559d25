"""`discreet derive`: what follows from the numbers of a saved release, and other intervals of it.

Rules of this module:
- it opens the release and nothing else; nothing is charged, and nothing is written;
- it has an option for each that a kind of the register takes; the register is read when the word
  `derive` is typed, because it brings with it what derives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..derive.catalog import KINDS
from ..errors import InputError, shown
from .output import Job, Json, Saved, Screen

if TYPE_CHECKING:
    from ..derive.derivation import Option
    from ..derive.derived import DerivedNumbers
    from ..releases.release import Release
    from .json_replies import DeriveReply


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """The options as they were typed."""

    kind: str
    name: str | None
    other: str | None
    less: str | None
    typed: Mapping[str, Any]  # by option; nothing, or False, where it was not typed


def run_derive(screen: Screen, path: Path, wanted: DeriveOptions) -> "DeriveReply":
    """Show what follows from released numbers, with its intervals."""
    from ..releases.release import load
    from .json_replies import DeriveReply

    derived = _made(load(path), wanted)
    screen.show(derived.sheet())
    return DeriveReply(recipe=dict(derived.recipe), answers=derived.plain()["answers"])


def _made(release: "Release", wanted: DeriveOptions) -> "DerivedNumbers":
    from ..derive.by_name import derived_by
    from ..derive.catalog import derivations, options

    kinds, operands = derivations(), {"of": wanted.name, "other": wanted.other}
    _refuse_key(release, wanted)
    if wanted.less is not None:
        _refuse_three(wanted)
        operands["other"] = None
    asked: dict[str, Any] = {name: typed for name, typed in operands.items() if typed}
    for name, option in options().items():
        typed = wanted.typed[name]
        if option.form == "keys":
            typed = _chosen(release, typed or ())
        if option.form == "numbers":
            typed = dict(text.rpartition("=")[::2] for text in typed or ())
        if typed or (option.form == "value" and typed is not None):
            asked[name] = typed
    if wanted.less is not None:
        asked |= _as_keys(release, wanted)
    if wanted.kind in kinds:
        kind = kinds[wanted.kind]
        asked |= {name: operands[name] or "" for name in kind.operands if kind.takes[name].needed}
    return derived_by(release.document, wanted.kind, asked)


def _refuse_three(wanted: DeriveOptions) -> None:
    from ..plan_file.in_file import typed as quoted

    if wanted.kind != "difference":
        raise InputError(
            f"{shown(wanted.less)} is one name too many for {shown(wanted.kind)}.",
            kind="settings-clash",
            why="two keys behind the name of a statistic are the sides of a difference",
            fix=f"leave {quoted(wanted.less)} out",
        )
    if wanted.typed["first"] or wanted.typed["second"]:
        raise InputError(
            "the sides of the difference are named twice.",
            kind="settings-clash",
            why="two keys behind the name of a statistic are its sides, and so are --first and "
            "--second",
            fix="leave --first and --second out",
        )


def _as_keys(release: "Release", wanted: DeriveOptions) -> dict[str, Any]:
    """Return two keys that were typed as the keys of the statistic's axis, where they are some."""
    from ..document.numbers import plainly

    asked = [release[label].document.statistics[0] for label in release if label == wanted.name]
    cells = {
        plainly(row[0]): row[0]
        for statistic in asked
        for row in statistic.answer.rows
        if statistic.answer.axes
    }
    sides = {"first": wanted.other, "second": wanted.less}
    return {name: cells.get(str(text), text) for name, text in sides.items()}


def _refuse_key(release: "Release", wanted: DeriveOptions) -> None:
    """Refuse a key behind the name of what is added up: it is said with its column."""
    from ..plan_file.in_file import typed as quoted

    asked = [release[name].document.statistics[0] for name in release if name == wanted.name]
    axes = [axis.name for statistic in asked for axis in statistic.answer.axes]
    if wanted.kind == "total" and wanted.other and len(axes) == 1:
        raise InputError(
            f"total takes one name, and {shown(wanted.other)} is a second one.",
            kind="settings-clash",
            why="which keys are added up is said with their column",
            fix=f"write --only {quoted(f'{axes[0]}={wanted.other}')} in its place",
        )


def _chosen(release: "Release", typed: Sequence[str]) -> Mapping[str, list[object]]:
    """Return which keys were typed, as `column=key`, several of one column more than once."""
    from ..document.numbers import plainly

    keys = release.document.plan["table"]["keys"]
    selection: dict[str, list[object]] = {}
    for text in typed:
        column, equals, key = text.partition("=")
        if not equals:
            raise InputError(
                f"{shown(text)} selects nothing.",
                kind="selects-nothing",
                why="a selection names a column and one of its keys",
                fix="write --only 'ward=A'",
            )
        named = {plainly(cell): cell for cell in keys.get(column, [])}
        selection.setdefault(column, []).append(named.get(key, key))
    return selection


EXAMPLE = "discreet derive people.release intervals --together"
_METAVARS = {
    "axes": "COLUMN",
    "keys": "COLUMN=KEY",
    "numbers": "KEY=NUMBER",
    "alpha": "CHANCE",
}  # by form, or by name


def derive(
    saved: Saved,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"{', '.join(KINDS)}.")],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The statistic: 'count by ward'.")
    ] = None,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[OTHER]", help="What it is divided by, or less; or one key, and"),
    ] = None,
    less: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="another one: their difference.")
    ] = None,
    *,
    as_json: Json = False,
    **typed: Any,
) -> Job:
    """Show numbers that follow from released numbers, with intervals, at no cost.

    Totals, differences, ratios and shares have intervals for their own noise, and not added
    intervals. Intervals can have another alpha, or hold all at once. Nothing is charged or written.
    """

    wanted = DeriveOptions(kind, name, other, less, typed)
    return Job(lambda screen: run_derive(screen, saved, wanted), as_json)


*_WORDS, _AS_JSON, _ = signature(derive).parameters.values()
derive.__signature__ = Signature([*_WORDS, _AS_JSON])  # type: ignore[attr-defined]


def _typed(option: "Option") -> Parameter:
    """Return an option as Typer reads it."""
    name, form = f"--{option.name.replace('_', '-')}", option.form
    if form == "flag":
        read: Any = Annotated[bool, typer.Option(name, help=option.words)]
        return Parameter(option.name, Parameter.KEYWORD_ONLY, default=False, annotation=read)
    metavar = _METAVARS.get(form) or _METAVARS.get(option.name, option.name.upper())
    kind = str if form == "value" else list[str]
    read = Annotated[kind | None, typer.Option(name, metavar=metavar, help=option.words)]
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=None, annotation=read)


def command() -> Any:
    """Return the command with all options of all kinds."""
    from ..derive.catalog import options

    def derived(**words: Any) -> Job:
        return derive(**words)

    derived.__doc__ = derive.__doc__
    typed = [_typed(option) for option in options().values()]
    derived.__signature__ = Signature([*_WORDS, *typed, _AS_JSON])  # type: ignore[attr-defined]
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    app.command("derive", epilog=f"Example: {EXAMPLE}")(derived)
    return typer.main.get_command(app)
