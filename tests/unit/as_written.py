"""What becomes of a condition as people write it: the checks of all lists of them."""

import pytest

from discreet.errors import InputError


def check_kept(table, text, written):
    """A condition is kept as one text, and is the same tree as that text."""
    condition = table.where(text).condition

    assert condition == table.where(written).condition
    assert condition.expression.text == written


def check_refused(table, text, lines):
    """A condition is refused in three lines, of which the last types each of these."""
    with pytest.raises(InputError) as told:
        table.where(text)

    assert len(str(told.value).splitlines()) == 3
    assert all(line in str(told.value).splitlines()[2] for line in lines)
