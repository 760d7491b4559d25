"""Ask the calculator a grid of questions, and write down what it answers: `python make_calculator.py FILE`.

`calculator.json.gz` was written on commit a9b6403, when each of these functions was written out by
itself; since then they are made from the methods of `noise`. It is not to be written again.
"""

import gzip
import inspect
import json
import sys
import time
from pathlib import Path

from discreet import calculator
from discreet.errors import DiscreetError

SIZES = (
    {"epsilon": "0.5"},
    {"epsilon": "1", "delta": "1e-6"},
    {"rho": "1/50"},
    {"mu2": "1/25"},
    {"sigma": "4"},
    {"sigma2": "16"},
    {"scale": "3"},
    {"epsilon": "2.5"},
    {"epsilon": "0.1", "delta": "1e-9"},
    {"rho": "1/3"},
    {"sigma": "1.5"},
    {"sigma2": "2/3"},
)
WRONG_SIZES = (
    {},
    {"delta": "1e-6"},
    {"epsilon": "0"},
    {"epsilon": "1", "scale": "3"},
    {"sigma": "0"},
    {"epsilon": "1e7"},
)
PURE = {"epsilon", "scale"}
LAWS = {  # with what says its size, and what a law cannot be asked without
    "geometric": (PURE, {}),
    "discrete_laplace": (PURE, {}),
    "laplace": (PURE, {}),
    "gaussian": ({"epsilon", "delta", "rho", "mu2", "sigma"}, {}),
    "discrete_gaussian": ({"epsilon", "delta", "rho", "mu2", "sigma", "sigma2"}, {}),
    "clamped_geometric": (PURE, {"bounds": [0, 9]}),
    "truncated_geometric": (PURE, {"bounds": [0, 9]}),
    "poisson": (set(), {}),
}
MORE = ({}, {"sensitivity": "2"}, {"sensitivity": "1/2"}, {"bounds": [3, 8]})
OPTIONS = {  # the first is asked of every size, the others of sizes that go with the law
    "accuracy": (
        {"alpha": "0.05"},
        {"alpha": "0.001", "convention": "ge"},
        {"alpha": "0.05", "coordinates": 10},
        {"alpha": "0.05", "releases": 4},
        {"alpha": "0.05", "coordinates": 10, "norm": "l2"},
        {"alpha": "0.05", "truth": 3},
        {"alpha": "0.01", "coordinates": 3, "releases": 2, "convention": "ge"},
        {"alpha": "0"},
        {"alpha": "0.05", "convention": "lt"},
        {"alpha": "0.05", "norm": "l1"},
    ),
    "tail_of": (
        {"error": "3"},
        {"error": "3", "convention": "ge"},
        {"error": "3", "releases": 4},
        {"error": "1/2"},
        {"error": "-1"},
    ),
    "delta_of": (
        {"at_epsilon": "0.3"},
        {"at_epsilon": "0.3", "releases": 3},
        {"at_epsilon": "0.3", "chance": "1e-9"},
        {"at_epsilon": "-1"},
    ),
    "epsilon_of": (
        {"at_delta": "1e-6"},
        {"at_delta": "1e-6", "releases": 3},
        {"at_delta": "1e-6", "chance": "1e-9"},
        {"at_delta": "1e-6", "chance": "1e-6"},
        {"at_delta": "0"},
    ),
    "rho_of": ({}, {"releases": 3}, {"releases": 0}),
    "mu2_of": ({}, {"releases": 3}, {"releases": 0}),
    "sigma_for": (
        {},
        {"releases": 3},
        {"rule": "classical"},
        {"rule": "tight"},
        {"rule": "pinsker"},
        {"rule": "vinterbo"},
        {"rule": "guess"},
    ),
    "sigma2_for": ({}, {"releases": 3}),
    "scale_for": ({}, {"releases": 3}),
}


def questions():
    """Return each question as a function's name, a law and keywords, each once."""
    asked = {}
    for law, (sizes, own) in LAWS.items():
        for size in (*SIZES, *WRONG_SIZES):
            for function, options in OPTIONS.items():
                takes = inspect.signature(getattr(calculator, function)).parameters
                right = goes(size, sizes)
                if not right and function.endswith("_for"):  # two faults: the law's, the size's
                    continue
                for more in MORE if right else MORE[:1]:
                    for option in options if right and not more else options[:1]:
                        known = own | size | more | option
                        known = known if "bounds" in takes else without_bounds(known)
                        if {*known} <= {*takes} and needed(takes) <= {*known, "law"}:
                            asked[json.dumps([function, law, known])] = None
    return [json.loads(line) for line in asked]


EXPLAINED = {  # what `explain` and the command line are asked, beside a size of noise
    "accuracy": OPTIONS["accuracy"],
    "tail": ({"accuracy": "3"}, {"accuracy": "3", "releases": 4}, {"alpha": "0.05"}),
    "delta": ({"epsilon": "0.3"}, {"epsilon": "0.3", "releases": 3, "chance": "1e-9"}, {}),
    "epsilon": (
        {"delta": "1e-6"},
        {"delta": "1e-6", "releases": 3},
        {},
        {"accuracy": "10", "alpha": "0.05"},
    ),
    "rho": ({}, {"releases": 3}, {"rule": "tight"}),
    "mu2": ({}, {"releases": 3}),
    "sigma": (*OPTIONS["sigma_for"], {"accuracy": "10", "alpha": "0.05"}),
    "sigma2": (*OPTIONS["sigma2_for"], {"accuracy": "10", "alpha": "0.05"}),
    "scale": (*OPTIONS["scale_for"], {"accuracy": "10", "alpha": "0.05"}),
    "noise": ({},),
}


def explained():
    """Return each question to `explain` in the same form."""
    asked = {}
    for law, (sizes, own) in LAWS.items():
        for size in (*SIZES, *WRONG_SIZES[:3]):
            for wanted, options in EXPLAINED.items():
                for option in options if goes(size, sizes) else options[:1]:
                    for bounds in {json.dumps(own): own, "{}": {}}.values():
                        promised = "accuracy" in option and wanted != "tail"
                        known = (
                            bounds | ({} if promised and size != {"rho": "1/3"} else size) | option
                        )
                        asked[json.dumps([wanted, law, known])] = None
    return [["explain", *json.loads(line)] for line in asked]


def goes(size, sizes):
    """Say whether a size is one of a law's."""
    return size in SIZES and {*size} <= sizes


def without_bounds(known):
    return {name: value for name, value in known.items() if name != "bounds"}


def needed(takes):
    return {name for name, of in takes.items() if of.default is of.empty}


def answer(function, law, known):
    """Return what is answered: a number as Python writes it, or the three lines of a refusal."""
    try:
        return repr(getattr(calculator, function)(law, **known)), None
    except DiscreetError as error:
        return None, str(error)


def words(wanted, law, known):
    """Return what is told, or the three lines of a refusal."""
    try:
        return str(calculator.explain(wanted, law, known)), None
    except DiscreetError as error:
        return None, str(error)


def timed(ask, *question):
    start = time.perf_counter()
    number, refusal = ask(*question)
    took = time.perf_counter() - start
    if took > 1:
        sys.stdout.write(f"left out, {took:.2f} s: {question}\n")
        return None, None
    return number, refusal


def main(path):
    refusals, cases = {}, []
    for function, *question in [*questions(), *explained()]:
        if function == "explain":
            number, refusal = timed(words, *question)
        else:
            number, refusal = timed(answer, function, *question)
        if number is not None or refusal is not None:
            answered = number if refusal is None else refusals.setdefault(refusal, len(refusals))
            cases.append([function, *question, answered])
    taken = {name: inspect.signature(getattr(calculator, name)) for name in OPTIONS}
    signatures = {  # as Python writes them, and not as help() shows them
        name: str(
            inspect.Signature([*of.parameters.values()], return_annotation=of.return_annotation)
        )
        for name, of in taken.items()
    }
    text = json.dumps({"signatures": signatures, "refusals": [*refusals], "cases": cases})
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.stdout.write(f"{len(cases)} cases, {len(refusals)} refusals\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
