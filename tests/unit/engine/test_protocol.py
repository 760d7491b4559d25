"""What engines share: how many rows of numbers are read."""

import gc

import pytest

from discreet.engine.protocol import uncollected


def test_python_looks_for_no_cycles_meanwhile_and_does_as_before_afterwards():
    """Also where it did not look before, and where the reading ends in an error."""
    with uncollected(), uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()

    with pytest.raises(ValueError, match="cell"), uncollected():
        raise ValueError("cell")
    assert gc.isenabled()

    gc.disable()
    with uncollected():
        pass
    is_on = gc.isenabled()
    gc.enable()

    assert not is_on
