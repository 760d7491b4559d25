"""The functions of the language, by name, with the fewest and the most arguments of each."""

_MANY = 4_096

FUNCTIONS: dict[str, tuple[int, int]] = {
    "abs": (1, 1),
    "floor": (1, 1),
    "round": (1, 2),
    "least": (2, 50),
    "greatest": (2, 50),
    "coalesce": (2, 50),
    "band": (2, _MANY),
    "log2": (1, 1),
    "log10": (1, 1),
    "year": (1, 1),
    "month": (1, 1),
    "day": (1, 1),
    "weekday": (1, 1),
    "days": (1, 2),
    "hour": (1, 1),
    "seconds": (1, 2),
    "starts_with": (2, 2),
    "contains": (2, 2),
}
