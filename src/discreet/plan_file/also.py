"""[[also]] in a plan file: what is derived of the release, and saved beside it for nothing.

Rules of this module:
- it is tried on a rehearsal before anything is charged, so that a name that is not there costs
  nothing; of keys that are to be found nothing can be tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..derive.by_name import check_options, derived_by
from ..plans.plan import Plan
from .location import Place

if TYPE_CHECKING:
    from ..derive.derived import DerivedNumbers
    from ..releases.release import Release


@dataclass(frozen=True, slots=True)
class Also:
    """One entry: what is derived, of what, and where it stands in the file."""

    kind: str
    said: Mapping[str, Any]
    place: Place

    def made(self, release: "Release") -> "DerivedNumbers":
        """Return it of a release; an error names its place in the file."""
        with self.place.named():
            return derived_by(release.document, self.kind, self.said)


def also_of(parts: Sequence[Mapping[str, Any]], place: Place) -> tuple[Also, ...]:
    """Return the entries of a plan file, or raise InputError where one says what none takes."""
    found = []
    for number, part in enumerate(parts):
        said = {name: value for name, value in part.items() if name != "derive"}
        here = place.at("also", number)
        with here.named():
            check_options(str(part["derive"]), said)
        found.append(Also(str(part["derive"]), said, here))
    return tuple(found)


def tried(also: Sequence[Also], plan: Plan) -> None:
    """Raise InputError where an entry cannot be made of a release of this plan."""
    from ..releases.rehearsal import rehearse

    if also and not plan.findings:
        release = rehearse(plan)
        for one in also:
            one.made(release)
