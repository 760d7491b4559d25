"""The list of mutants: `*.toml` beside this file, one file a group of rooms.

Rules of this module:
- the old text occurs in its file exactly once, else the mutant is stale;
- every claim of docs/claims.md has a mutant of its own.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_LISTED = re.compile(r"^\| (C\d+) \|", flags=re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One patch.

    Attributes:
        claim: what it breaks, such as "C07".
        name: what the broken code does, in words.
        file: what is patched, from the root of the checkout.
        old, new: the text that is there exactly once, and what takes its place.
        by: tests to try first, as pytest names them; if none kills it, all of the claim's are run.
    """

    claim: str
    name: str
    file: str
    old: str
    new: str
    by: tuple[str, ...] = ()

    def patched(self, root: Path) -> str | None:
        """Return the file's text with the patch, or None where the patch is stale."""
        path = root / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        stale = text.count(self.old) != 1 or self.old == self.new
        return None if stale else text.replace(self.old, self.new)


def mutants(wanted: Sequence[str] = ()) -> list[Mutant]:
    """Return the mutants of these claims, or all, in the order of their claims."""
    found = [
        Mutant(**{**entry, "by": tuple(entry.get("by", ()))})
        for path in sorted(Path(__file__).parent.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    ]
    chosen = [mutant for mutant in found if not wanted or mutant.claim in wanted]
    return sorted(chosen, key=lambda mutant: mutant.claim)


def claims() -> set[str]:
    """Return the numbers of all claims."""
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    return set(_LISTED.findall(text))
