"""What a person does with a fix of Python: the call that was refused is changed as the fix says.

Rules of this module:
- a slip is the text of a call; it is worked out from the inside, so that the call that was refused
  is known, and so are the table, the plan and the question around it;
- a fix is followed to the letter: settings are written, renamed, exchanged or left out, and a call
  stands in the place of the one that it is instead of;
- what only a person can answer is answered by ANSWERS, by the setting that it stands in, and by
  nothing else; what is prose is not followed.
"""

import ast
import copy
import re
from dataclasses import dataclass

import discreet as dp
from discreet.errors import DiscreetError
from discreet.fix import Do, Instead, Remove, Rename, Say, Set, in_python, python_of

ROUNDS = 4
TABLES, PLANS = ("declared", "table"), ("planned", "plan")
MERGED = ("columns", "keys")  # settings of a table that hold others
ANSWERS = {  # who is protected, bounds, keys, limits and losses
    **dict.fromkeys(("lower", "missing"), "0"),
    "upper": "5000",
    "ball": "1000",
    **dict.fromkeys(("step",), '"0.25"'),
    **dict.fromkeys(("max_rows", "max_groups", "max_rows_per_group", "units"), "3"),
    **dict.fromkeys(("spend", "budget"), "dp.pure(1)"),
    **dict.fromkeys(("epsilon", "rho", "mu2", "within"), "1"),
    **dict.fromkeys(("delta", "chance"), '"1e-6"'),
    "alpha": '"0.05"',
    "keys": '"K%d"',
    "unit": '"person"',
    "behind": "5001",  # the last edge of bins
}
LOSSES = {"pure": ["epsilon"], "zcdp": ["rho", "delta"], "gdp": [], "approx": ["epsilon", "delta"]}
PLACES = {"bounds": ["lower", "upper"], "unit": ["unit"], "sorted": ["keys"], **LOSSES}
PLACES["range"] = ["lower", "behind"]  # of edges
MARK = "UNANSWERED"


@dataclass
class Refusal(Exception):
    """A call that was refused, and the node that it is."""

    node: ast.Call
    error: DiscreetError


def result(tree, names):
    """Return what a call gives, or raise Refusal for the call inside of it that is refused."""
    if isinstance(tree, ast.Call):
        function = result(tree.func, names)
        args = [
            one
            for arg in tree.args
            for one in (
                result(arg.value, names) if isinstance(arg, ast.Starred) else [result(arg, names)]
            )
        ]
        options = {}
        for one in tree.keywords:
            value = result(one.value, names)
            options |= value if one.arg is None else {one.arg: value}
        try:
            return function(*args, **options)
        except DiscreetError as error:
            raise Refusal(tree, error) from error
    if isinstance(tree, (ast.List, ast.Tuple)):
        return type(ast.literal_eval("[]" if isinstance(tree, ast.List) else "()"))(
            result(one, names) for one in tree.elts
        )
    if isinstance(tree, ast.Dict):
        pairs = zip(tree.keys, tree.values, strict=True)
        return {result(key, names): result(value, names) for key, value in pairs}
    if isinstance(tree, ast.Attribute):
        return getattr(result(tree.value, names), tree.attr)
    return eval(compile(ast.Expression(tree), "slip", "eval"), names)


def name_of(node):
    """Return what is called: the last name of it."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def answered(text, counted, setting=""):
    """Return a value as Python, each question mark in it answered by where it stands."""
    marked = re.sub(r"""(["'])\?\1|\?""", MARK, text.replace("discreet.", "dp."))
    tree = ast.parse(marked, mode="eval").body
    return fill(tree, setting, counted)


def fill(tree, setting, counted):
    if isinstance(tree, ast.Name) and tree.id == MARK:
        counted.append(setting)
        if setting not in ANSWERS:
            raise AssertionError(f"a question mark stands for {setting or 'nothing'}")
        text = ANSWERS[setting]
        return ast.parse(text % len(counted) if "%" in text else text, mode="eval").body
    if isinstance(tree, ast.Call):
        places = [*PLACES.get(name_of(tree), []), *[setting] * 9]
        tree.args = [
            fill(arg, place, counted) for arg, place in zip(tree.args, places, strict=False)
        ]
        for one in tree.keywords:
            one.value = fill(one.value, one.arg, counted)
    elif isinstance(tree, (ast.List, ast.Tuple)):
        tree.elts = [fill(one, setting, counted) for one in tree.elts]
    elif isinstance(tree, ast.Dict):
        tree.values = [fill(one, setting, counted) for one in tree.values]
    return tree


def followed(whole, refusal, way, counted):
    """Return the whole text's tree after one way out was followed; None where it is prose."""
    if isinstance(way, Say):
        return None
    tree = copy.deepcopy(whole)
    node = calls(tree)[calls(whole).index(refusal.node)]
    if isinstance(way, Set):
        for name, value in way.settings.items():
            remove(tree, node, [name] if name in without(way.note) else [])
            write(tree, node, way.of, name, answered(python_of(value), counted, name))
        remove(tree, node, [one for one in without(way.note) if one not in way.settings])
    elif isinstance(way, Remove):
        remove(tree, node, way.names)
    elif isinstance(way, Rename):
        for one in holding(tree, node, way.old).keywords:
            one.arg = way.new if one.arg == way.old else one.arg
    elif isinstance(way, Instead):
        swap(tree, way)
    elif isinstance(way, Do):
        return called(tree, node, way, counted)
    return tree


def remove(tree, node, names):
    for name in names:
        holder = holding(tree, node, name)
        holder.keywords = [one for one in holder.keywords if one.arg != name]


def without(note):
    """Return the settings that a note says to leave out, too."""
    left = re.fullmatch(r"[^,]*, and leave (.*) out", note)
    return left[1].split(" and ") if left else []


def write(tree, node, of, name, value):
    """Write a setting of what was refused, of its question, its table or its plan."""
    target = node
    if of in ("table", "plan"):
        kinds = TABLES if of == "table" else PLANS
        target = (
            table_of(tree)
            if of == "table"
            else next(one for one in calls(tree) if name_of(one) in kinds)
        )
    elif of == "ask" or (not of and name_of(node) in (*PLANS, *TABLES) and not takes(node, name)):
        target = next(
            one
            for one in calls(node)
            if one is not node and takes(one, name) and (of != "ask" or name_of(one) not in TABLES)
        )
    there = next((one for one in target.keywords if one.arg == name), None)
    place = position(target, name)
    if there is None and place is not None and place < len(target.args):
        target.args[place] = value
    elif there is None:
        target.keywords.append(ast.keyword(name, value))
    elif name in MERGED and isinstance(there.value, ast.Dict) and isinstance(value, ast.Dict):
        kept = {
            ast.unparse(key): (key, one)
            for key, one in zip(there.value.keys, there.value.values, strict=True)
        }
        kept |= {
            ast.unparse(key): (key, one) for key, one in zip(value.keys, value.values, strict=True)
        }
        there.value = ast.Dict([key for key, _ in kept.values()], [one for _, one in kept.values()])
    else:
        there.value = value


SETTINGS = {  # of the short words of the tables of slips
    "declared": ("source", "unit", "columns", "keys", "neighbors", "name", "csv", "rows", "units"),
    "planned": ("spend", "within", "kind", "delta", "alpha", "share", "together", "table"),
}


def settings_of(node):
    import inspect

    name = name_of(node)
    if name in SETTINGS:
        return [*SETTINGS[name]]
    made = getattr(dp, name, None)
    return [] if made is None else [*inspect.signature(made).parameters]


def takes(node, name):
    return name in settings_of(node)


def position(node, name):
    """Return where a setting stands without its name."""
    if name_of(node) in ("declared", "planned", "plan"):
        return None
    known = settings_of(node)
    return known.index(name) if name in known[:2] and name not in ("by",) else None


def table_of(tree):
    """Return the call that declares the table; a plan of the usual one is given it."""
    there = next((one for one in calls(tree) if name_of(one) in TABLES), None)
    if there is None:
        there = ast.parse("declared()", mode="eval").body
        plan = next(one for one in calls(tree) if name_of(one) == "planned")
        plan.keywords.append(ast.keyword("table", there))
    return there


def holding(tree, node, name):
    """Return the call that says a setting: the one refused, or one inside or around it."""
    inside = [one for one in calls(node) if any(word.arg == name for word in one.keywords)]
    around = [one for one in calls(tree) if any(word.arg == name for word in one.keywords)]
    return [*inside, *around][0]


def swap(tree, way):
    """Exchange one text for another wherever it stands as a value."""
    places = [
        one for one in ast.walk(tree) if isinstance(one, ast.Constant) and one.value == way.old
    ]
    assert places, way
    for one in places:
        one.value = way.new


def called(tree, node, way, counted):
    """Put the call that a fix shows in the place of the one that it is instead of."""
    made = answered(python_of(way.call), counted)
    name = name_of(made)
    around = {"table": [], "questions": [], "plan": []}
    for one in calls(node):
        if name_of(one) in TABLES:
            around["table"].append(one)
    if name_of(node) in PLANS:
        around["questions"] = [
            one.elts if isinstance(one, ast.List) else [one]
            for one in node.args
            if name_of(one) not in TABLES
        ]
    made = fitted(made, node, around)
    if name == "derive":
        table = table_of(tree)
        old = copy.deepcopy(table)
        made.func.value = old
        replace(tree, table, made)
        name_derived(tree, made.keywords[0].arg, ast.literal_eval(made.keywords[0].value.args[0]))
        return tree
    target = node
    if name not in (name_of(node), *PLANS) and name_of(node) in PLANS and name != "run":
        target = next(one for one in node.args if name_of(one) not in TABLES)
    return made if target is tree else replace(tree, target, made)


def name_derived(tree, column, formula):
    """Write the name of a derived column where a question named its formula, or grouped by it."""
    for one in calls(tree):
        if name_of(one) == "derived":
            continue
        one.args = [named(arg, column, formula) for arg in one.args]
        for word in one.keywords:
            alone = word.arg == "by" and isinstance(word.value, ast.Constant)
            word.value = ast.Constant(column) if alone else named(word.value, column, formula)


def named(value, column, formula):
    if isinstance(value, (ast.List, ast.Tuple)):
        value.elts = [named(one, column, formula) for one in value.elts]
    return (
        ast.Constant(column)
        if isinstance(value, ast.Constant) and value.value == formula
        else value
    )


def fitted(made, node, around):
    """Return a call with the caller's own table, questions and plan for the names of the docs."""
    args = []
    for arg in made.args:
        if isinstance(arg, ast.Starred) and isinstance(arg.value, ast.Call):
            args.append(ast.Starred(fitted(arg.value, node, around)))
        elif isinstance(arg, ast.Starred):
            args += [one for part in around["questions"] for one in part]
        elif isinstance(arg, ast.Name) and arg.id == "table":
            args.append((around["table"] or [ast.parse("declared()", mode="eval").body])[0])
        elif isinstance(arg, ast.Name) and arg.id == "plan":
            args.append(node.args[0] if node.args else ast.parse("planned()", mode="eval").body)
        else:
            args.append(fitted(arg, node, around) if isinstance(arg, ast.Call) else arg)
    made.args = args
    return made


def replace(tree, old, new):
    class Put(ast.NodeTransformer):
        def visit_Call(self, node):
            return new if node is old else self.generic_visit(node)

    return Put().visit(tree)


def outcomes(text, names, counted, rounds=ROUNDS):
    """Yield, for each way that each refusal shows, what comes out in the end, and its text."""
    tree = ast.parse(text, mode="eval").body
    yield from _outcomes(tree, names, counted, rounds)


def _outcomes(tree, names, counted, rounds):
    ast.fix_missing_locations(tree)
    refusal = None
    try:
        yield ast.unparse(tree), result(tree, names)
    except Refusal as caught:
        refusal = caught
    for way in () if refusal is None else refusal.error.ways:
        assert rounds, (ast.unparse(tree), str(refusal.error))
        after = followed(tree, refusal, way, counted)
        if after is not None:
            assert ast.dump(after) != ast.dump(tree), (ast.unparse(tree), in_python((way,)))
            yield from _outcomes(after, names, counted, rounds - 1)
