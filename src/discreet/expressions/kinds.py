"""The types of the language, and the bounds that make every number operator total.

A column is read as a label where keys are made of it: text, or the digits of a whole number or a
truth value. No expression that is typed reads one so.

A number is NULL, 0, or a double of a size from 10^-150 to 10^150: each cell and each result beyond
is NULL, each below is 0. Of two such numbers + - * / give 0, or a double between 10^-300 and
2 * 10^300: so no operator overflows or underflows, which some engines answer with an error.
"""

from typing import Literal

Kind = Literal["number", "text", "truth", "day", "moment", "label"]

WORDS: dict[Kind, str] = {
    "number": "a number",
    "text": "text",
    "truth": "true or false",
    "day": "a day",
    "moment": "a moment",
    "label": "text or a whole number",
}
MOST_POWER = 150  # of ten: the size of the largest number, and of the smallest one but 0
FIRST_DAY = -719_162  # 0001-01-01, counted from 1970-01-01
LAST_DAY = 2_932_896  # 9999-12-31
DAY_SECONDS = 86_400
