"""`discreet derive`: the words of whoever goes on from released numbers.

Rules of this module:
- it has an option for each that a kind of the register takes; the register is read when the word
  `derive` is typed, because it brings with it what derives.
"""

from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..derive.catalog import KINDS
from .words import Job, Json, Saved

if TYPE_CHECKING:
    from ..derive.derivation import Option

EXAMPLE = "discreet derive people.release intervals --together"
_METAVARS = {"axes": "COLUMN", "keys": "COLUMN=KEY", "alpha": "CHANCE"}  # by form, or by name


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
    """Show what follows from released numbers, with intervals of its own, for nothing.

    Totals, differences, ratios and shares have the interval of their own noise, and not the sum of
    others; intervals can have another alpha, or hold all at once. Nothing is charged or written.
    """
    from . import derive_command as room

    wanted = room.DeriveOptions(kind, name, other, less, typed)
    return Job(lambda screen: room.run_derive(screen, saved, wanted), as_json)


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
