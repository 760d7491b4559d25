"""Attributes of tables that add up."""

from discreet.post.tables.attribute import Attribute


def flat(keys: int) -> Attribute:
    """The attribute of so many keys without levels between them and everything."""
    return Attribute(((0,) * keys, tuple(range(keys))))
