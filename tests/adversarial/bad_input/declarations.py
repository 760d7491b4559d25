"""Slips in Python: what is declared, asked and spent."""

import datetime as dt
import decimal

import numpy as np

import discreet as dp
from discreet.errors import InputError

from .world import Refused, declared, planned

NAN, INF = float("nan"), float("inf")
NOT_A_NUMBER = "is not a finite number"
WIDE = {f"k{i}": range(1000) for i in range(3)}


def no(what, act):
    return act, Refused(InputError, what)


def bounded(*ends, **step):
    return lambda: dp.bounds(*ends, **step)


def keyed(values):
    return lambda: declared(keys={"ward": values})


def asking(make, *words, **options):
    return lambda: planned(make(*words, **options))


def of_units(make, *words, **options):
    return lambda: planned(make(*words, **options), table=declared(unit=dp.unit("person")))


# fmt: off
BOUNDS = {
    "bounds reversed": no(r"^lower = 1 is not below upper = 0\.$", bounded(1, 0)),
    "bounds of no width": no("^lower = 5 is not below upper = 5", bounded(5, 5)),
    "lower bound NaN": no(f"^lower = nan {NOT_A_NUMBER}", bounded(NAN, 1)),
    "upper bound NumPy NaN": no(f"^upper = nan {NOT_A_NUMBER}", bounded(0, np.nan)),
    "upper bound infinite": no(f"^upper = inf {NOT_A_NUMBER}", bounded(0, INF)),
    "lower bound minus infinite": no(f"^lower = -inf {NOT_A_NUMBER}", bounded(-INF, 0)),
    "bound is a word": no(f"^lower = Miller {NOT_A_NUMBER}", bounded("Miller", 1)),
    "bound is empty": no(f"^lower = '' {NOT_A_NUMBER}", bounded("", 1)),
    "bound is None": no(f"^upper = None {NOT_A_NUMBER}", bounded(0, None)),
    "bound is a truth value": no(f"^upper = True {NOT_A_NUMBER}", bounded(0, True)),
    "bound with an underscore": no(f"^upper = 1_000 {NOT_A_NUMBER}", bounded(0, "1_000")),
    "bound in hexadecimal": no(f"^upper = 0x10 {NOT_A_NUMBER}", bounded(0, "0x10")),
    "bound over zero": no(f"^upper = 1/0 {NOT_A_NUMBER}", bounded(0, "1/0")),
    "bound is a date": no("^lower is a number, and upper is a day", bounded(0, dt.date(2026, 1, 1))),
    "bound of 5,000 digits": no("^upper has too many digits", bounded(0, 10**5000)),
    "bound of 5,000 digits as text": no("^upper has too many digits", bounded(0, "1e5000")),
    "bounds beyond 128 bits": no(r"more than 2\^52 steps from zero", bounded(0, 2**60, step=1)),
    "step zero": no("^step = 0 must be above 0", bounded(0, 1, step=0)),
    "step negative": no("^step = -1 must be above 0", bounded(0, 1, step=-1)),
    "step NaN": no(f"^step = nan {NOT_A_NUMBER}", bounded(0, 1, step=NAN)),
    "step off the grid": no("^upper = 100 is not a multiple of step = 3", bounded(0, 100, step=3)),
    "step too long": no("^step = 1e299 is no fraction", bounded(0, "1e300", step="1e299")),
    "step too fine": no(r"more than 2\^52 steps", bounded(0, 100, step="1e-300")),
}
KEYS = {
    "key listed twice": no("^the key A of ward is listed twice", keyed(["A", "B", "A"])),
    "day listed twice": no("2026-01-04 of ward is listed twice", keyed([dt.date(2026, 1, 4)] * 2)),
    "negative zero is zero": no("^the key 0 of ward is listed twice", keyed([0, -0])),
    "keys of two types": no("^the keys of ward are of several types: int, str", keyed(["A", 1])),
    "keys 1 and True": no("are of several types: bool, int", keyed([1, True])),
    "keys as one text": no("^the keys of ward are not a list", keyed("ABC")),
    "keys as bytes": no("^the keys of ward are not a list", keyed(b"ABC")),
    "keys as a number": no("^the keys of ward are not a list", keyed(3)),
    "keys as None": no("^the keys of ward are not a list", keyed(None)),
    "keys as a set": no("^the keys of ward are a set", keyed({"A", "B"})),
    "no keys": no("^the keys of ward are an empty list", keyed([])),
    "endless keys": no("^the keys of ward are more than 10,000,000", keyed(range(10**12))),
    "key is None": no("^the keys of ward list a missing cell", keyed([None])),
    "key is NaN": no("^the keys of ward list a missing cell", keyed(["A", NAN])),
    "key is a float": no("^a key of ward is of type float", keyed([0.5])),
    "key is a decimal": no("^a key of ward is of type Decimal", keyed([decimal.Decimal("0.5")])),
    "key is a list": no("^a key of ward is of type list", keyed([["A"]])),
    "keys are a matrix": no("^a key of ward is of type ndarray", keyed(np.array([[1], [2]]))),
    "key beyond 2^53": no(r"^a key of ward is 2\^53 or beyond", keyed([2**60])),
    "key is half a character": no("^the key .ud800 of ward is not Unicode text", keyed(["\ud800"])),
    "keys are a list": no("^keys is a list, not a dict", lambda: declared(keys=["ward"])),
}
DECLARATIONS = {
    "columns are a list": no("^columns is a list, not a dict", lambda: declared(columns=["cost"])),
    "bounds are a tuple": no(r"^columns\['cost'\] is not made by bounds", lambda: declared(columns={"cost": (0, 1)})),
    "column named by nothing": no("^'' in columns is not a column name", lambda: declared(columns={"": dp.bounds(0, 1)})),
    "column named by a number": no("^5 in columns is not a column name", lambda: declared(columns={5: dp.bounds(0, 1)})),
    "column name with NUL": no("in keys is not a column name", lambda: declared(keys={"a\0b": ["A"]})),
    "unit is only a name": no("^unit = 'person' does not say who is protected", lambda: declared(unit="person")),
    "unit is None": no("^unit = None does not say who is protected", lambda: declared(unit=None)),
    "unit column is a number": no("^5 in unit is not a column name", lambda: dp.unit(5)),
    "max_rows zero": no("^max_rows = 0 must be a whole number of at least 1", lambda: dp.unit("person", max_rows=0)),
    "max_rows a fraction": no("^max_rows = 1.5 must be a whole number", lambda: dp.unit("person", max_rows=1.5)),
    "max_rows a word": no("^max_rows = 'x' must be a whole number", lambda: dp.unit("person", max_rows="x")),
    "max_rows NaN": no("^max_rows = nan must be a whole number", lambda: dp.unit("person", max_rows=NAN)),
    "neighbors unknown": no("^neighbors = both is not a relation", lambda: declared(neighbors="both")),
    "name is a number": no("^name = 5 cannot name a data set", lambda: declared(name=5)),
    "name is blank": no("^name = ' ' cannot name a data set", lambda: declared(name=" ")),
}
QUESTIONS = {
    "no question": no("^the plan asks nothing", lambda: dp.plan(declared(), spend=dp.pure(1))),
    "a question twice": no("^the plan asks one question twice", lambda: planned(dp.count(by="ward"), dp.count(by=["ward"]))),
    "a question as text": no("^'count' is not a question", lambda: planned("count")),
    "a function for a question": no("is not a question", lambda: planned(dp.count)),
    "questions as a list": no("is not a question", lambda: planned([dp.count()])),
    "a path for a table": no("^plan was given a str where a declared table belongs", lambda: planned(table="people.csv")),
    "by without keys": no("^there are no public keys for 'nowhere'", asking(dp.count, by="nowhere")),
    "by misspelled": no("public keys for 'wrad'. Did you mean 'ward'", asking(dp.count, by="wrad")),
    "by in other case": no("Did you mean 'ward'", asking(dp.count, by="WARD")),
    "by given twice": no(r"^by = \['ward', 'ward'\] is not a list of different columns", asking(dp.count, by=["ward", "ward"])),
    "by a number": no("^by = 5 is not a list of different columns", asking(dp.count, by=5)),
    "by bytes": no("^by = b'ward' is not a list of different columns", asking(dp.count, by=b"ward")),
    "hostile by that is not there": no("no public keys for 'a;", asking(dp.count, by='a;"\'\n--DROP TABLE x')),
    "mean without bounds": no("^there are no bounds for 'price'", asking(dp.mean, "price")),
    "mean misspelled": no("Did you mean 'cost'", asking(dp.mean, "Cost")),
    "mean of nothing": no(r"^column = \[\] is not a list of different columns", asking(dp.mean, [])),
    "mean of one twice": no(r"^column = \['cost', 'cost'\] is not a list", asking(dp.mean, ["cost", "cost"])),
    "mean of columns without bounds": no("^there are no bounds for 'price'", asking(dp.mean, ["cost", "price"])),
    "ball of one column": no("^ball = 3 is given, but there is one column", asking(dp.mean, "cost", ball=3)),
    "ball of a word": no("^ball = round is not a finite number", asking(dp.mean, ["cost", "price"], ball="round")),
    "ball of minus one": no("^ball = -1 must be above 0", asking(dp.mean, ["cost", "price"], ball=-1)),
    "sum of a number": no("^5 in a question is not a column name", asking(dp.sum, 5)),
    "histogram of a list": no("in a question is not a column name", asking(dp.histogram, ["cost"])),
    "weight zero": no("^weight = 0 must be a whole number of at least 1", asking(dp.count, weight=0)),
    "weight a fraction": no("^weight = 0.5 must be a whole number", asking(dp.count, weight=0.5)),
    "max_groups zero": no("^max_groups = 0 must be", asking(dp.count, by="ward", max_groups=0)),
    "max_groups for rows": no("are given, but the unit is a row", asking(dp.count, by="ward", max_groups=1)),
    "nothing limits a unit": no("^nothing limits how many rows one person adds", of_units(dp.count, by="ward")),
    "too many cells": no("makes 1,000,000,000 cells, more than 10,000,000", lambda: planned(dp.count(by=list(WIDE)), table=declared(keys=WIDE))),
    "too many bins": no("cells, more than 10,000,000", lambda: planned(dp.histogram("cost", by=["k0", "k1"], bins=11), table=declared(keys=WIDE))),
    "bins zero": no("^bins = 0 must be a whole number of at least 1", asking(dp.histogram, "cost", bins=0)),
    "bins a word": no("^bins = x is neither", asking(dp.histogram, "cost", bins="x")),
    "bins reversed": no("^the bin edges of cost do not cut its bounds", asking(dp.histogram, "cost", bins=[5000, 0])),
    "bins off the grid": no("^the bin edges of cost", asking(dp.histogram, "cost", bins=[0, "0.1", 5000])),
    "bins short of a bound": no("^the bin edges of cost", asking(dp.histogram, "cost", bins=[0, 50])),
    "bins with NaN": no(f"^a bin edge = nan {NOT_A_NUMBER}", asking(dp.histogram, "cost", bins=[0, NAN, 5000])),
}
SPENDS = {
    "spend zero epsilon": no("^a spend of epsilon = 0 buys no answer", lambda: planned(spend=dp.pure(0))),
    "spend zero rho": no("^a spend of rho = 0 buys no answer", lambda: planned(spend=dp.zcdp(0))),
    "spend no delta": no("buys no answer", lambda: planned(spend=dp.approx(0, 0))),
    "spend negative": no("^epsilon = -1 must be at least 0", lambda: dp.pure(-1)),
    "spend NaN": no(f"^rho = nan {NOT_A_NUMBER}", lambda: dp.zcdp(NAN)),
    "spend infinite": no(f"^epsilon = inf {NOT_A_NUMBER}", lambda: dp.pure(INF)),
    "spend a bare number": no("^spend = 1 is not a loss", lambda: planned(spend=1)),
    "spend a text": no("^spend = 'rho' is not a loss", lambda: planned(spend="rho")),
    "spend None": no("^spend = None is not a loss|^a plan needs spend=, or within=", lambda: planned(spend=None)),
    "spend far too little": no("^noise with scale = 2e300 is outside", lambda: planned(spend=dp.pure("1e-300"))),
    "spend far too much": no("^noise with sigma2 = 1e-300 is outside", lambda: planned(spend=dp.zcdp(10**300))),
    "spend of 9,999 digits": no("^epsilon has too many digits", lambda: dp.pure("1e9999")),
    "delta one": no("^delta = 1 must be below 1", lambda: dp.approx(1, 1)),
    "delta negative": no("^delta = -1 must be at least 0", lambda: dp.approx(1, -1)),
    "alpha zero": no("^alpha = 0 must be above 0 and at most 1/2", lambda: planned(alpha=0)),
    "alpha one": no("^alpha = 1 must be above 0", lambda: planned(alpha=1)),
    "alpha two": no("^alpha = 2 must be above 0", lambda: planned(alpha=2)),
    "alpha a word": no(f"^alpha = x {NOT_A_NUMBER}", lambda: planned(alpha="x")),
    "alpha NaN": no(f"^alpha = nan {NOT_A_NUMBER}", lambda: planned(alpha=NAN)),
}
# fmt: on
CASES = {**BOUNDS, **KEYS, **DECLARATIONS, **QUESTIONS, **SPENDS}
