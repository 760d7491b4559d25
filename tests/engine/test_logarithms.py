"""The logarithms of the language: near to the truth, exact at powers, and alike on every engine."""

import math
import random
from fractions import Fraction

import pyarrow as pa
import pytest
from flint import arb, ctx

import discreet as dp
from discreet.engine.evaluate import value
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.expressions import typing
from discreet.expressions.kinds import FUNCTIONS
from engine.sources import opened
from servers import placed

LOGS = {"log2": 2, "log10": 10}
BOUNDS = [
    dp.bounds(0, 2, step="0.001"),
    dp.bounds(1, 1_000_000, step=1),
    dp.bounds(-50, 40, step="1/3"),
    dp.bounds("0.5", "0.75", step="0.25"),
    dp.bounds(0, Fraction(2**60), step=Fraction(2**20)),
]
ENDS = [-1.0, 0.0, -0.0, 5e-324, 1e-151, 1e-150, 1e150, 1e151, math.inf, -math.inf, math.nan, None]


def made(source, bounds, by):
    """A table with a logarithm, in steps that are finer than any other function's."""
    found = dp.table(source, unit="row", name="t", columns={"b": bounds})
    return found.derive(l=dp.derived(f"{by}(b)", bounds=dp.bounds(-512, 512, step="1/1048576")))


def cells(bounds, by):
    """Numbers within bounds and beyond them, each cut and each power, and what is beside it."""
    chance = random.Random(0)
    low, high = float(max(bounds.lower, bounds.step)), float(bounds.upper)
    found = [low * (high / low) ** chance.random() for _ in range(150)]
    near = typing.centres(LOGS[by], max(bounds.lower, Fraction(bounds.step)), bounds.upper)
    places = [float(one) for cut, centre, _ in near for one in (cut, centre)]
    places += [low, high, low / 3, high * 3]
    found += [math.nextafter(one, to) for one in places for to in (0.0, math.inf)] + places
    return [*found, *ENDS]


def real(cell, bounds, base):
    """The logarithm of what a cell counts as, in 200 bits."""
    low, high = max(bounds.lower, 0) or bounds.step, bounds.upper
    x = min(max(Fraction(cell), Fraction(low)), Fraction(high))
    return arb(x.numerator).log() / arb(base).log() - arb(x.denominator).log() / arb(base).log()


@pytest.mark.claim("C290")
@pytest.mark.parametrize("by", LOGS)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_a_logarithm_is_near_to_the_truth(by, bounds):
    """Within 2^-50 of it, or of its own size; NULL where there is none, or below 1e-150."""
    table = made([], bounds, by)
    for cell in cells(bounds, by):
        found = value(table, {"b": cell}, "l")
        if cell is None or not 1e-150 <= cell <= 1e150:
            assert found is None, cell
            continue
        with ctx.workprec(200):
            true = real(cell, bounds, LOGS[by])
            off = abs(arb(found) - true)
            assert off < arb(2) ** -50 * max(arb(1), abs(true)), (cell, found)


@pytest.mark.claim("C290")
def test_powers_have_exact_logarithms():
    """All powers of 2, and those of 10 whose doubles are nearest: `floor(log10(b))` counts digits."""
    for by, powers in (("log2", range(-52, 100)), ("log10", range(-15, 31))):
        for power in powers:
            cell = Fraction(LOGS[by]) ** power
            step = Fraction(2) ** (cell.numerator.bit_length() - 50) if power > 0 else cell
            ends = [cell, 8 * cell] if step == cell else [0, 2**50 * step]
            table = made([], dp.bounds(*ends, step=step), by)
            assert value(table, {"b": float(cell)}, "l") == power


@pytest.mark.exhaustive
@pytest.mark.claim("C290")
@pytest.mark.slow
@pytest.mark.parametrize("where", ["arrow", "postgres", "spark"])
@pytest.mark.parametrize("by", LOGS)
def test_every_engine_gives_the_same_doubles(where, by):
    """Bit by bit: each is among those that the reference gives, and the sums are equal."""
    for bounds in BOUNDS:
        data = [{"b": cell} for cell in cells(bounds, by)]
        there = pa.Table.from_pylist(data, schema=pa.schema({"b": pa.float64()}))
        source = there if where == "arrow" else placed(where, there)
        given = {value(made([], bounds, by), row, "l") for row in data} - {None}
        same = f"l IN ({', '.join(map(repr, sorted(given)))})"
        asked = [dp.count(where=same), dp.count(where="l IS NULL"), dp.sum("l")]

        def counted(source, engine, bounds=bounds, asked=asked):
            table = made(source, bounds, by)
            aggregates = tuple(a for one in asked for a in one.aggregates(table))
            return opened(engine(source).prepare(table, aggregates).count(0))

        expected = counted(data, lambda _: MemoryEngine())
        assert counted(source, engine_for) == expected
        assert expected[0][0] + expected[1][0] == len(data)


@pytest.mark.claim("C290")
def test_a_mean_of_logarithms_is_in_the_declared_step():
    """1,000 rows of 3 and steps of 0.001: 0.477 is what is counted, where steps of 1/32 gave 0.469."""
    table = made([{"b": 3}] * 1_000, dp.bounds(0, 2_000, step=1), "log10")
    table = table.derive(fine=dp.derived("log10(b)", bounds=dp.bounds(0, 2, step="0.001")))
    (total, *_) = opened(MemoryEngine().prepare(table, dp.sum("fine").aggregates(table)).count(0))

    assert total == (477_000,)


@pytest.mark.claim("C290")
def test_no_function_moves_in_steps_that_nobody_wrote():
    """Every function of the language: between two numbers near 3 each that is not whole by its
    meaning, or cut by what the text says, gives two."""
    whole = {"floor", "round", "band", "year", "month", "day", "weekday", "days", "hour", "seconds"}
    whole |= {"ceil", "trunc", "sign", "div", "quarter", "minute", "second", "length"}
    whole |= {"dayofyear", "isoweek", "isoyear", "date_trunc"}
    other = {"starts_with", "contains", "ends_with"}  # truth values, and texts
    other |= {"lower", "upper", "trim", "left", "right", "substr"}
    texts = {"least": "least(b, 9)", "greatest": "greatest(b, 1)", "coalesce": "coalesce(b, 1)"}
    texts["mod"] = "mod(b, 9)"
    table = dp.table([], unit="row", name="t", columns={"b": dp.bounds(1, 9, step="0.001")})
    for name in {*FUNCTIONS} - whole - other:
        text = texts.get(name, f"{name}(b)")
        derived = table.derive(z=dp.derived(text, bounds=dp.bounds(0, 9, step="0.001")))
        assert value(derived, {"b": 3.0}, "z") != value(derived, {"b": 3.0 + 1e-12}, "z"), name
    derived = table.derive(z=dp.derived("round(b, 12)", bounds=dp.bounds(0, 9, step="0.001")))
    assert value(derived, {"b": 3.0}, "z") != value(derived, {"b": 3.0 + 2e-12}, "z")
