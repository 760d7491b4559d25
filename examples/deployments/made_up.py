"""Made-up data of the shape of real deployments: `python made_up.py` writes the CSV files.

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


def visits() -> Iterator[Row]:
    """A row for each kind of place that a user was at on a day; those at home and at work, too."""
    yield "user_day", "county", "state", "kind", "week", "weekday", "hours"
    for user_day in range(42_000):
        week, weekday, county = 1 + user_day % 7, 1 + user_day % 2, random.randint(1, 4)
        where = user_day, f"county {county}", "north" if county < 3 else "south"
        when, fewer = (week, weekday), 0.6 if week > 5 else 1.0
        for kind, chance in ("parks", 0.4), ("retail", 0.7), ("transit", 0.5):
            if random.random() < chance * fewer:
                yield *where, kind, *when, 0
        yield *where, "home", *when, min(24, max(0, round(random.gauss(15 / fewer**0.5, 3))))
        if random.random() < 0.6 * fewer:
            yield *where, "work", *when, 8


def searches() -> Iterator[Row]:
    """A row for each symptom that a user searched for on a day, and for any other search."""
    yield "user_day", "symptom", "state", "county", "day"
    for user_day in range(30_000):
        county, day = random.randint(1, 4), 1 + user_day % 3
        where = "north" if county < 3 else "south", f"county {county}", day
        yield user_day, "none", *where
        for symptom, chance in ("cough", 0.3), ("fever", 0.15), ("headache", 0.05):
            if random.random() < chance:
                yield user_day, symptom, *where


def topics() -> Iterator[Row]:
    """A row for each topic that a user searched for on a day, and for any other search."""
    yield "user_day", "topic", "county"
    for user_day in range(15_000):
        county = f"county {min(4, int(random.paretovariate(1)))}"
        yield user_day, "none", county
        for topic, chance in ("vaccination", 0.3), ("intent", 0.1), ("side effects", 0.02):
            if random.random() < chance:
                yield user_day, topic, county


def movement() -> Iterator[Row]:
    """A row for each user and day: in how many tiles of the map they were seen."""
    yield "user_day", "region", "week", "weekday", "tiles"
    for user_day in range(30_000):
        week = random.choice(["February", "February", "week 1", "week 2"])
        most = 12 if week == "February" else 7
        place = f"region {random.randint(1, 3)}", week, 1 + user_day % 2
        yield user_day, *place, min(200, 1 + int(random.expovariate(1 / most)))


PLACES = ["Africa", "Americas", "Asia", "Europe"]
PERIODS = ["2005-2009", "2010-2014", "2015-2018", "2019-2022"]


def victims() -> Iterator[Row]:
    """A row for each perpetrator of a victim: who both are, and how the victim was held."""
    yield (
        *("victim", "period", "gender", "minor", "citizenship", "perpetrator gender"),
        *("perpetrator citizenship", "relation", "sexual exploitation", "abuse", "kidnapping"),
        "money",
    )
    for victim in range(3_000):
        place, gender = random.choice(PLACES), random.choice(["woman", "woman", "man"])
        minor = "yes" if random.random() < 0.25 else "no"
        who = victim, random.choice(PERIODS), gender, minor, place
        sexual = "yes" if random.random() < (0.6 if gender == "woman" else 0.1) else "no"
        for _ in range(random.choice([1, 1, 2, 3])):
            near = random.random() < 0.8
            relation = random.choice(["family", "intimate partner", "friend", "stranger", ""])
            held = ["yes" if random.random() < chance else "no" for chance in (0.4, 0.1, 0.5)]
            other = place if near else random.choice(PLACES)
            yield *who, random.choice(["woman", "man", "man"]), other, relation, sexual, *held


FILES = {
    "views.csv": views,
    "households.csv": households,
    "earnings.csv": earnings,
    "evacuees.csv": evacuees,
    "energy.csv": energy,
    "trips.csv": trips,
    "editors.csv": editors,
    "broadband.csv": broadband,
    "visits.csv": visits,
    "searches.csv": searches,
    "topics.csv": topics,
    "movement.csv": movement,
    "victims.csv": victims,
}


def written(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name, rows in FILES.items():
        written(folder / name, rows())
