"""A map for keys: GeoJSON becomes small outlines; what is no map is refused, and none is markup."""

import json
from pathlib import Path

import pytest

from discreet import about
from discreet.errors import InputError
from discreet.schema.outline import MOST_REGIONS, Outline, outline
from unit.made_country import country

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]


def feature(geometry: object, **known: object) -> dict[str, object]:
    return {"type": "Feature", "properties": known, "geometry": geometry}


def collection(*features: object) -> dict[str, object]:
    return {"type": "FeatureCollection", "features": [*features]}


def square(**known: object) -> dict[str, object]:
    return feature({"type": "Polygon", "coordinates": [SQUARE]}, **known)


def test_regions_are_named_by_a_property(tmp_path: Path):
    """The one that is named; else the one of the column's own name; or each feature's id."""
    path = tmp_path / "map.geojson"
    path.write_text(json.dumps(country(2, 2)))

    assert [*outline("name", path).regions] == ["r0", "r1", "r2", "r3"]
    assert [*outline("ward", {"file": path, "property": "code"}).regions] == ["0", "1", "2", "3"]
    named = collection({**square(), "id": 7})
    assert [*outline("ward", {"file": named, "property": "id"}).regions] == ["7"]


def test_what_has_a_geo_interface_is_a_map():
    """Frames of geometries give themselves as GeoJSON."""

    class Frame:
        __geo_interface__ = country(1, 2)

    assert [*outline("name", Frame()).regions] == ["r0", "r1"]


def test_regions_of_several_parts_are_one():
    """Parts of a multipolygon, of a collection, and of two features with one name; holes are lines."""
    hole = [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.4]]
    several = {"type": "MultiPolygon", "coordinates": [[SQUARE, hole], [[[3, 0], [4, 0], [4, 1]]]]}
    whole = {"type": "GeometryCollection", "geometries": [several]}
    made = outline("name", collection(feature(whole, name="a"), square(name="a")))

    assert [*made.regions] == ["a"]
    assert made.regions["a"].count("M") == made.regions["a"].count("z") == 4


def test_words_hold_the_whole_map():
    """What is written beside a release is read again as the same."""
    words = about(labels={"name": {"map": country(3, 2)}})
    plain = json.loads(json.dumps(words.plain()))

    again = about(**plain)
    assert again == words
    assert isinstance(again.labels["name"].map, Outline)
    assert again.plain() == words.plain()


@pytest.mark.claim("C590")
@pytest.mark.parametrize(
    "d",
    [
        'M0 0"/><script>alert(1)</script>',
        "M0 0&quot;",
        "url(http://example.invalid)",
        "M0 0\n",
        "",
        7,
        None,
        "M٣ 0z",
        "M0 0z" * 50_000,
    ],
)
def test_an_outline_is_no_markup(d: object):
    """Words that somebody else wrote cannot bring another sign into a picture."""
    plain = {"width": 10, "height": 10, "regions": {"a": "M0 0l1 0 0 1z", "b": d}}
    with pytest.raises(InputError, match="no outlines"):
        about(labels={"name": {"map": plain}})


@pytest.mark.parametrize(
    "plain",
    [
        {"width": 0, "height": 10, "regions": {"a": "M0 0z"}},
        {"width": "10", "height": 10, "regions": {"a": "M0 0z"}},
        {"width": 10, "height": True, "regions": {"a": "M0 0z"}},
        {"width": 10, "height": 10, "regions": {}},
        {"width": 10, "height": 10, "regions": ["a"]},
        {"width": 10, "height": 10, "regions": {"a": "M0 0z"}, "more": 1},
        {"width": 10, "regions": {"a": "M0 0z"}},
        {
            "width": 10,
            "height": 10,
            "regions": {str(n): "M0 0z" for n in range(MOST_REGIONS + 1)},
        },
    ],
)
def test_an_outline_that_is_none_is_refused(plain: object):
    with pytest.raises(InputError, match="no outlines"):
        outline("name", plain)


BAD = {
    "a list": ([1], "no map"),
    "a number": (7, "no map"),
    "another name": ({"file": "x", "projection": "x"}, "no map"),
    "no file": ({"property": "name"}, "no map"),
    "no name": ({"file": country(1, 1), "property": 7}, "is no name"),
    "a topology": ({"type": "Topology", "objects": {}}, "Topology"),
    "features of nothing": ({"type": "FeatureCollection", "features": [1]}, "no collection"),
    "no features": (collection(), "0 regions"),
    "no property": (collection(square(title="a")), "has no"),
    "a property that is none": (collection(square(name=None)), "has no"),
    "no properties": (collection({"geometry": {"type": "Polygon"}}), "has no"),
    "a point": (collection(feature({"type": "Point", "coordinates": [0, 0]}, name="a")), "Point"),
    "text": (collection(feature("here", name="a")), "a region is"),
    "no lists": (collection(feature({"type": "Polygon", "coordinates": 7}, name="a")), "no lists"),
    "no pair": (
        collection(feature({"type": "Polygon", "coordinates": [[[1, True]]]}, name="a")),
        "no pair",
    ),
    "one number": (
        collection(feature({"type": "Polygon", "coordinates": [[[1]]]}, name="a")),
        "no pair",
    ),
    "too far": (
        collection(feature({"type": "Polygon", "coordinates": [[[1e300, 0]]]}, name="a")),
        "no pair",
    ),
    "nothing drawn": (collection(feature(None, name="a")), "0 regions"),
    "an empty ring": (
        collection(feature({"type": "Polygon", "coordinates": [[]]}, name="a")),
        "0 regions",
    ),
    "too many": (
        collection(*(square(name=str(n)) for n in range(MOST_REGIONS + 1))),
        "401 regions",
    ),
}


@pytest.mark.parametrize(("argument", "says"), BAD.values(), ids=BAD)
def test_what_is_no_map_is_refused(argument: object, says: str):
    """In three lines, before anything is paid."""
    with pytest.raises(InputError, match=says) as refusal:
        about(labels={"name": {"map": argument}})
    assert refusal.value.kind == "publishers-words"
    assert "write" in str(refusal.value)


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2", '{"type": NaN}', "[" * 100_000, "\xff"], ids=range(6)
)
def test_a_broken_file_is_refused(text: str, tmp_path: Path):
    path = tmp_path / "map.geojson"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="map"):
        outline("name", path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"the map none\.geojson cannot be read") as refusal:
        outline("name", tmp_path / "none.geojson")
    assert "GeoJSON" in str(refusal.value)


def test_a_number_of_a_billion_digits_is_no_place(tmp_path: Path):
    """It is refused before it is written out."""
    path = tmp_path / "map.geojson"
    text = json.dumps(collection(square(name="a"))).replace("[1, 0]", "[1e999999999, 0]")
    path.write_text(text)
    with pytest.raises(InputError, match="no pair"):
        outline("name", path)
