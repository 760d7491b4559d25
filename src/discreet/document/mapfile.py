"""map.geojson: the places of a released heat map with their raw and cleaned numbers.

Rules of this module:
- all but the cleaned numbers is made of the release, so that `verify` can make it again;
- the cleaned numbers, their expected error and the words about the denoiser belong to cleaning,
  which may be done again and costs nothing: they are taken as they are, and said to be so.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from .accessors import keys_of
from .document import Document

NAME = "map.geojson"
_LONGEST = 2_000  # letters of the words about a denoiser
_PLACE = 2  # a longitude and a latitude


@dataclass(frozen=True, slots=True)
class CleanedMap:
    """What cleaning adds: a number for each place, the error expected of one, and words."""

    values: Sequence[float]
    error: float
    words: str


def places_of(document: Document) -> list[list[float]] | None:
    """Return the longitude and latitude of each place; None where a release is no heat map."""
    if len(document.statistics) != 1 or len(keys_of(document.statistics[0])) != 1:
        return None
    places = list[list[float]]()
    for row in document.statistics[0].answer.rows:
        try:
            places.append([float(part) for part in str(row[0]).split(" ")])
        except ValueError:
            return None
        if len(places[-1]) != _PLACE:
            return None  # the rest of a million keys is not worth its time
    return places


def map_text(document: Document, cleaned: CleanedMap) -> str:
    """Return map.geojson: a feature for each place.

    low and high are the interval of the raw number; error is the cleaned number's expected one.
    """
    statistic = document.statistics[0]
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": place},
            "properties": {
                "raw": raw,
                "low": row[-2],
                "high": row[-1],
                "cleaned": value,
                "error": cleaned.error,
            },
        }
        for place, raw, row, value in zip(
            places_of(document) or [],
            statistic.vectors[0].noisy,
            statistic.answer.rows,
            cleaned.values,
            strict=True,
        )
    ]
    about = {
        "kind": document.kind,
        "digest": document.digest,
        "protection": document.protection.sentence,
        "loss": dict(sorted(document.protection.loss.items())),
        "alpha": document.alpha,
        "question": statistic.label,
        "denoiser": cleaned.words,
    }
    made = {"type": "FeatureCollection", "discreet": about, "features": features}
    return json.dumps(made, allow_nan=False)


def same_map(document: Document, content: bytes) -> bool:
    """Tell whether a map.geojson is that of a release, whatever cleaning made of its numbers."""
    try:
        geojson = json.loads(content)
        numbers = [feature["properties"] for feature in geojson["features"]]
        values = [number["cleaned"] for number in numbers]
        error, words = numbers[0]["error"], geojson["discreet"]["denoiser"]
        plain = all(_is_number(value) for value in (*values, error))
        if not plain or not isinstance(words, str) or len(words) > _LONGEST:
            return False
        return map_text(document, CleanedMap(values, error, words)).encode("ascii") == content
    except (ValueError, TypeError, LookupError, RecursionError):
        return False


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
