"""Private integers made of private integers."""

import pytest

from discreet.aggregate import Exact
from discreet.releases.sealed import Aside, noise_of

KEYS = [b"a", b"b", b"c", b"d"]


class Keyed:
    """Keys of a pool, whose noise is drawn."""

    def noise(self, draw):
        return Exact(tuple(draw(KEYS)))


@pytest.mark.claim("C140")
@pytest.mark.parametrize(
    ("found", "aside", "expected"),
    [((), (), (97, 98, 99, 100)), ((1,), (), (97, 0, 99, 100)), ((1,), (0, 3), (0, 0, 99, 0)),
     ((), (0, 1, 2, 3), (0, 0, 0, 0))],
)  # fmt: skip
def test_noise_is_drawn_for_the_keys_that_are_asked_for_alone(found, aside, expected):
    """Each has the noise of its own name, whoever else is asked for."""
    asked = []

    def draw(keys):
        asked.extend(keys)
        return [key[0] for key in keys]

    noise = noise_of(Keyed(), draw, frozenset(found), Aside(frozenset(aside)))

    assert noise.opened_by_the_door() == expected
    assert asked == [key for key, drawn in zip(KEYS, expected, strict=True) if drawn]
