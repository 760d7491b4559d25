"""What an engine pools so that keys can be found: no engine knows more of finding."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairs:
    """What an engine pools to find keys that nobody knows: pairs of a unit and a key, each once.

    Of the keys of one unit as many stay as `weights` has numbers, chosen by a keyed hash of the
    unit and the key; once, so that no key takes the place of another later. A unit of which d keys
    are still asked for adds weights[d - 1] to each of these.

    Attributes:
        column: the column that holds the keys.
        weights: from one key of a unit to as many as may stay.
    """

    column: str
    weights: tuple[int, ...]
