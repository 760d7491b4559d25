"""How a plan is changed where it was typed: in its plan file, or by the options of a command.

Rules of this module:
- what is said can be pasted; a loss that only the budget's owner can choose is a question mark.
"""

from collections.abc import Callable
from dataclasses import dataclass
from shlex import quote

from ..errors import shown
from ..fix import Ways, in_python
from .in_file import Speller
from .options import as_options
from .written import Written

_LONGEST = 2_000  # characters of a path or a name that shall be pasted


@dataclass(frozen=True, slots=True)
class Face:
    """Where a plan was typed: `spell` says there what to do about an error."""

    spell: Callable[[Ways], str]


def file_face(written: Written) -> Face:
    """Return the face of a plan file; what no file can say is said as Python."""
    return Face(lambda ways: Speller(written)(ways) or in_python(ways))


OPTIONS = Face(as_options)


def typed(text: object) -> str:
    """Return a path or a name as it is typed in a shell."""
    return quote(shown(text, _LONGEST))
