"""Plain data as TOML, in one line.

Rules of this module:
- what is written reads back as the same, whatever a name or a text holds; halves of characters,
  which no file can hold, become the sign for what is not known.
"""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any


def toml(value: Any) -> str:
    """Return plain data as TOML writes it, in one line.

    Example:
        >>> print(toml({"a b": [1, Decimal("0.5"), "x"], "c": True}))
        { "a b" = [1, 0.5, "x"], c = true }
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, date)):
        return str(value)
    if isinstance(value, Decimal):
        return str(value).lower().replace("infinity", "inf")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key_of(k)} = {toml(v)}' for k, v in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return text_of(str(value))


def key_of(name: str) -> str:
    """Return a name as TOML writes it before the equals sign."""
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else text_of(name)


def text_of(text: str) -> str:
    """Return text in the quotes of TOML; JSON's escapes are TOML's, for what can be printed."""
    plain = all(c.isprintable() for c in text) and not has_half_characters(text)
    return json.dumps(text, ensure_ascii=False) if plain else f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    """Return a character as its code point, where it cannot stand for itself."""
    if 0xD800 <= ord(character) < 0xE000:
        return "\\uFFFD"
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08X}"


def has_half_characters(text: str) -> bool:
    """Tell whether a text holds halves of characters, which no file can."""
    return any(0xD800 <= ord(character) < 0xE000 for character in text)
