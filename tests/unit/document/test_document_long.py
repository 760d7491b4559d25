"""A long release is read and hashed with few copies; what it says is the same."""

import json
from hashlib import sha256
from itertools import pairwise

import pytest

from discreet.document.document import canonical, document_of, pieces
from discreet.ledgers.entry import text_hash
from unit.document.test_document import small

pytestmark = pytest.mark.claim("C611")


def long(cells):
    """A release of so many keys, as text; nobody checks that it follows."""
    plain = json.loads(small().text())
    plain["statistics"] = plain["statistics"][:1]
    released = plain["statistics"][0]
    released["answer"]["rows"] = [[at, 7 * at + 300, 3, 5] for at in range(cells)]
    released["answer"]["columns"] = ["k", "value", "low", "high"]
    released["vectors"][0]["noisy"] = [7 * at + 300 for at in range(cells)]
    plain["plan"]["table"]["keys"] = {"k": [*range(cells)], "b": [True] * cells, "o": [1] * cells}
    released["answer"]["rows"] = [[*row, True] for row in released["answer"]["rows"]]
    released["answer"]["columns"] += ["b"]
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize("cells", [3, 20_000])
def test_the_pieces_of_a_release_are_its_canonical_text(cells):
    """A list of truth values is none of whole numbers."""
    text = long(cells)
    document = document_of(text)
    flags = canonical([True, False, 1])

    assert flags == "[true,false,1]"
    assert "".join(pieces(document)) == document.text() == canonical(document) == text
    assert text_hash(*pieces(document)) == sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"b": 1, "a": {"d": [], "c": [{}, {"y": 1, "x": [10**30, -5, 0]}]}},
        {
            "keys": {"é": [1, 2], 'a"b': ["é", "\x7f", "a"], "": [True, 1]},
            "none": None,
            "x": 1.5e300,
        },
        {"1": {"a": [1, None, 2.5]}, "0": [[1], [2]]},
        [{"b": 1, "a": 2}, 3],
    ],
)
def test_plain_data_has_the_text_of_the_encoder(plain):
    """Names in order, letters in ASCII, whatever the lists hold."""
    assert canonical(plain) == json.dumps(plain, sort_keys=True, separators=(",", ":"))


def test_long_lists_are_kept_once_and_only_where_their_cells_are_the_same():
    """Keys and noisy numbers are those of the answer; 1 is no True, and a short list is left."""
    document = document_of(long(20_000))
    keys, (vector,) = document.plan["table"]["keys"], document.statistics[0].vectors
    column, values = document.statistics[0].answer.rows.columns[:2]

    assert all(a is b for a, b in zip(keys["k"], column, strict=True))
    assert all(a is b for a, b in zip(vector.noisy, values, strict=True))
    assert {*map(type, keys["b"])} == {bool}
    assert {*map(type, keys["o"])} == {int}
    assert document.text() == long(20_000)


@pytest.mark.parametrize("edge", [0, 1, 2**20 - 1, 2**20, 2**20 + 1])
def test_a_hash_of_pieces_is_that_of_the_whole(edge):
    """However a text is cut, with letters of several bytes at the end of what is hashed at once."""
    text = "a" * edge + "€ü" * 2 + "b" * 2**20
    cuts = [0, 5, edge + 1, len(text)]

    whole = sha256(text.encode()).hexdigest()

    assert text_hash(text) == whole
    assert text_hash(*(text[a:b] for a, b in pairwise(sorted(cuts)))) == whole
