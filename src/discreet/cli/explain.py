"""`discreet explain`: a kind of error in a paragraph, with an example.

Rules of this module:
- the paragraphs stand in `errors.md`, one for each kind that a raise names; nothing else reads it;
- the catalogue of the docs is made of the same text (tools/reference.py).

Decision 127.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from .output import Job, Json, width

if TYPE_CHECKING:
    from ..errors import InputError
    from .json_replies import ExplainReply
    from .output import Screen

EXAMPLE = "discreet explain bounds-missing"
TEXT = Path(__file__).parents[1] / "errors.md"
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
_NEAR = 3
_NAMES = (
    "In examples, people is a table with keys of city and bounds of age and income, visits one of "
    'which the unit is a person, plan counts people by city, loss is dp.zcdp("1/50"), book the '
    "ledger that paid for the plan, and release what it gave."
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one kind of error.

    Attributes:
        chapter: the heading that it stands under.
        text: its paragraphs and its example, as Markdown.
    """

    chapter: str
    text: str


def explanations() -> dict[str, Explanation]:
    """Return the explanation of each kind, in the order of the catalogue."""
    listed = {}
    for chapter in re.split(r"^# ", TEXT.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, *parts = re.split(r"^## ", chapter, flags=re.MULTILINE)
        for part in parts:
            kind, _, text = part.partition("\n")
            listed[kind.strip()] = Explanation(title.strip(), text.strip())
    return listed


def explain(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="A kind of error; none lists them all.")
    ] = None,
    as_json: Json = False,
) -> Job:
    """Explain a kind of error, with an example.

    The kind of an error is in `error.kind`, in the output of --json, and below the three lines on a
    terminal.
    """
    return Job(lambda screen: _explain(screen, kind), as_json)


def _explain(screen: "Screen", kind: str | None) -> "ExplainReply":
    from .json_replies import ExplainReply

    known = explanations()
    if kind is None:
        for chapter in dict.fromkeys(each.chapter for each in known.values()):
            kinds = [name for name, each in known.items() if each.chapter == chapter]
            screen.say(f"{chapter}\n{_filled(', '.join(kinds), '  ')}\n")
        screen.say(f"discreet explain KIND explains one: {EXAMPLE}")
        return ExplainReply(kinds=[*known], chapter=None, text=None)
    name = re.sub(r"[\s_]+", "-", kind.strip().casefold())
    if name not in known:
        raise _unknown(kind, name, [*known])
    screen.say(f"{name}\n")
    screen.say(_plain(known[name].text))
    if "```py" in known[name].text:
        screen.say(f"\n{_filled(_NAMES)}")
    return ExplainReply(kinds=[name], chapter=known[name].chapter, text=known[name].text)


def _unknown(kind: str, name: str, known: list[str]) -> "InputError":
    """Return the error for a kind that is not there, with those that it resembles."""
    from ..errors import InputError, shown

    words = {*name.split("-")} - {"not", "no", "is", "a", "the", "of"}
    alike = [other for other in known if words & {*other.split("-")}]
    near = [*dict.fromkeys([*get_close_matches(name, known, _NEAR), *alike])][:_NEAR]
    return InputError(
        f"there is no kind of error {shown(kind)!r}.",
        kind="unknown-choice",
        why=f"close to it are {', '.join(near)}" if near else "no kind has a name like it",
        fix=f"type: discreet explain {near[0]}" if near else "type: discreet explain",
    )


def _plain(text: str) -> str:
    """Return Markdown as a terminal shows it: paragraphs filled, code set in, links with places."""
    parts = []
    for number, part in enumerate(re.split(r"^```\w*\n?", text, flags=re.MULTILINE)):
        if number % 2:
            parts.append("\n".join(f"    {line}" for line in part.rstrip().split("\n")))
        else:
            parts += [_filled(_linked(each)) for each in part.strip().split("\n\n") if each]
    return "\n\n".join(parts)


def _linked(text: str) -> str:
    return _LINK.sub(r"\1 (docs/\2)", text)


def _filled(text: str, indent: str = "") -> str:
    plain = text.replace("`", "")
    return fill(
        plain,
        width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
