"""A file of words alone, for a release that is there: titles, labels and sources in TOML.

Rules of this module:
- what is said of a question stands under the name that the release has for it;
- a plan file will do, too: it says the same things under its questions.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..plans.plan import Plan
from ..schema import About, heading
from .derive_part import about_of
from .location import Place, from_pydantic
from .plan_file import read_plan_file
from .schema import AboutPart
from .written import parsed, read_text


def read_words(path: Path) -> tuple[About, Plan | None]:
    """Return what a publisher says in a file of words alone, or in a plan file, and its plan.

    Raises:
        InputError: the file cannot be read, or says what is no word.
    """
    written = parsed(read_text(path), path.name)
    if {"data", "ask", "spend"} & {*written.said}:
        plan_file = read_plan_file(path)
        return plan_file.about or About(), plan_file.plan
    place = Place(path.name, (), written)
    for name in written.said:
        if name not in AboutPart.model_fields:
            raise place.unknown(name, [*AboutPart.model_fields])
    try:
        parts = AboutPart.model_validate(written.said)
    except ValidationError as error:
        faults: Any = error.errors(include_url=False, include_context=False)
        raise from_pydantic(place, faults) from None
    over = {}
    for name, text in parts.questions.items():
        with place.at("questions", name).named():
            over[name] = heading(text)
    return replace(about_of(parts, place, path.parent), questions=over), None
