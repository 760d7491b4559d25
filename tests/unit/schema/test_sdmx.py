"""The names of a data structure: what may stand in them, and what is refused."""

import pytest

import discreet as dp
from discreet.errors import InputError

pytestmark = pytest.mark.claim("C567")
NAMED = {
    "structure": "ABC.DE:WAGES(1.0.0)",
    "kind": "datastructure",
    "dimensions": {"educ": "EDUC"},
    "codes": {"educ": {"9": "ED0-2"}},
    "constants": {"FREQ": "A", "TIME_PERIOD": "2000-Q1"},
    "attributes": {"low": "CI_LOW"},
}


def test_names_are_the_same_again():
    """What about.json keeps is read as it was declared; attributes have names without any."""
    words = dp.about(sdmx=NAMED)

    assert dp.about(**words.plain()) == words
    assert words.sdmx.attribute("low") == "CI_LOW"
    assert words.sdmx.attribute("high") == "UPPER_BOUND"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"structure": "WAGES"}, "names no structure"),
        ({"structure": "ABC:WAGES(one)"}, "names no structure"),
        ({"kind": "flow"}, "no kind of structure"),
        ({"dimension": {}}, "has no dimension"),
        ({"dimensions": "EDUC"}, "names nothing"),
        ({"dimensions": {"educ": "=1+1"}}, "no identifier"),
        ({"codes": {"educ": {"9": "up to 8"}}}, "no identifier"),
        ({"constants": {"TIME_PERIOD": "=1+1"}}, "no identifier"),
        ({"constants": {"TIME PERIOD": "2000"}}, "no identifier"),
        ({"constants": {"EDUC": "9"}}, "two columns"),
        ({"dimensions": {"educ": "OBS_VALUE"}}, "two columns"),
        ({"dimensions": {"educ": "ACTION"}}, "two columns"),
        ({"attributes": {"middle": "X"}}, "attributes has no middle"),
    ],
)
def test_what_sdmx_does_not_allow_is_refused(change, what):
    """In three lines, before anything is paid."""
    with pytest.raises(InputError, match=what):
        dp.about(sdmx={**NAMED, **change})
