"""What is typed twice, where once is meant: it is refused, and nothing of it is dropped in silence.

Rules of this module:
- an option that takes one value is typed once; so is each name of an option that takes NAME=VALUE;
- a switch may be typed as often as one likes, and a list has all that is typed.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeVar

from ..errors import InputError, shown

Value = TypeVar("Value")


def refuse_twice(command: Any, name: str, within: Any, words: list[str]) -> None:
    """Refuse an option of a command that is typed twice and takes one value.

    Args:
        command: as Typer keeps it.
        name: of the command.
        within: the context that it is called in.
        words: what is typed behind it.
    """
    context = command.context_class(command, info_name=name, parent=within)
    _, _, order = command.make_parser(context).parse_args([*words])
    times = Counter(order)
    for option, many in times.items():
        takes_one = option.param_type_name == "option" and not (option.multiple or option.is_flag)
        if many > 1 and takes_one:
            raise InputError(
                f"{option.opts[-1]} is typed {'twice' if many == 2 else f'{many} times'}.",
                kind="named-twice",
                why="it takes one value, and the others would be dropped in silence",
                fix=f"type {option.opts[-1]} once",
            )


def each_once(option: str, pairs: Iterable[tuple[str, Value]]) -> dict[str, Value]:
    """Return what is typed as NAME=VALUE by name, or refuse a name that stands twice."""
    by_name: dict[str, Value] = {}
    for name, value in pairs:
        if name in by_name:
            raise InputError(
                f"{option} names {shown(name)} twice.",
                kind="named-twice",
                why=f"the first of them, {shown(str(by_name[name]))}, would be dropped in silence",
                fix=f"write {option} once for each name",
            )
        by_name[name] = value
    return by_name
