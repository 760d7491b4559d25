"""Made-up data of the shape of eight real deployments: `python made_up.py` writes the CSV files.

Nothing here is anybody's data. Sizes are small, so that all plans run in seconds.
"""

import csv
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

Row = Sequence[object]
COUNTRIES = [f"country {n}" for n in range(1, 21)]


def views() -> Iterator[Row]:
    """A row for each page that a device looked at on one day."""
    yield "device", "page", "country"
    for device in range(4_000):
        country = random.choice(COUNTRIES)
        for _ in range(random.randint(1, 12)):
            yield device, f"page {min(200, int(random.paretovariate(0.8)))}", country


def households() -> Iterator[Row]:
    """A row for each person; those with one household live together."""
    yield "household", "state"
    for household in range(3_000):
        state = random.randint(1, 6)
        for _ in range(random.choice([1, 1, 2, 2, 2, 3, 4, 5, 9])):
            yield household, state


def earnings() -> Iterator[Row]:
    """A row for each graduate of a programme."""
    yield "programme", "earnings"
    for programme in range(1, 21):
        for _ in range(400):
            yield programme, round(min(250_000, random.lognormvariate(10.6 + programme / 50, 0.4)))


def evacuees() -> Iterator[Row]:
    """A row for each device and day, with how far from home it was seen."""
    yield "device", "county", "day", "km"
    for device in range(3_000):
        county, leaves = random.randint(1, 5), random.randint(2, 9)
        for day in range(1, 8):
            yield device, county, day, round(random.expovariate(1 / (300 if day >= leaves else 8)))


def energy() -> Iterator[Row]:
    """A row for each customer and hour of a day: the load in kWh."""
    yield "customer", "hour", "programme", "kwh"
    for customer in range(4_948):
        programme = "yes" if customer % 2 else "no"
        for hour in range(24):
            load = 0.4 + (0.6 if 17 <= hour < 21 and programme == "no" else 0.2)
            yield customer, hour, programme, f"{min(5, random.gammavariate(4, load / 4)):.2f}"


def trips() -> Iterator[Row]:
    """A row for each trip between two cells of a grid."""
    yield "from", "to"
    for _ in range(20_000):
        start, end = (f"cell {min(60, int(random.paretovariate(1)))}" for _ in range(2))
        yield start, end


def editors() -> Iterator[Row]:
    """A row for each account that edited in one month."""
    yield "account", "kind"
    for account in range(9_000):
        yield account, random.choice(["new", "casual", "casual", "active", "very active"])


def broadband() -> Iterator[Row]:
    """A row for each device, and whether it is on broadband."""
    yield "device", "zip", "broadband"
    for device in range(20_000):
        area = random.randint(1, 40)
        yield device, area, "yes" if random.random() < 0.3 + area / 80 else "no"


FILES = {
    "views.csv": views,
    "households.csv": households,
    "earnings.csv": earnings,
    "evacuees.csv": evacuees,
    "energy.csv": energy,
    "trips.csv": trips,
    "editors.csv": editors,
    "broadband.csv": broadband,
}


def written(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name, rows in FILES.items():
        written(folder / name, rows())
