"""Which text is a number: one ASCII grammar for every engine.

Rules of this module:
- optional spaces, a sign, digits with an optional point, an optional exponent: `1e+05`, `.5`, `-3`;
- all else is missing: `1_000`, `0x10`, `nan`, `inf`, `1,5`, digits of other scripts.
"""

import re

NUMBER = r"^ *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? *$"

_NUMBER = re.compile(NUMBER.removesuffix("$"), re.ASCII)


def is_number(text: str) -> bool:
    """Say whether text is a number.

    Example:
        >>> [is_number(text) for text in ("1e+05", " -.5 ", "1_000", "0x10", "nan", "1\\n")]
        [True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(text) is not None
