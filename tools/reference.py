"""Write the pages that are made: what stands in the code stands on them. `make reference` runs it.

Rules of this tool:
- a page is made from the code alone, and is the same on every machine;
- a test makes each page again and compares it, so that none is behind the code;
- each page says at its head what it is made from.

Decisions 123, 147.
"""

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import getdoc, isclass, signature
from pathlib import Path
from typing import Any

from typer.main import get_command

import discreet as dp
from discreet.cli import derive
from discreet.cli.cli import app
from discreet.cli.explain import explanations
from discreet.cli.output import Interrupted
from discreet.derive.catalog import derivations
from discreet.document.document import Document, json_schema
from discreet.help_text import help_text
from discreet.plan_file.schema import FilePart
from discreet.statistic.catalog import ASKED

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OLDER = re.compile(r"decisions? ((?:\d+|, | and )+)|\[(?:decision )?\d+\]")
HEAD_OF_DECISIONS = (
    "# Decisions",
    "",
    "Why discreet is built as it is. Each record gives a decision, its reasons, and what was",
    "weighed. A number that is missing was never used. `make reference` makes this page.",
    "",
    "| number | decision | status | later records about it |",
    "| ---: | --- | --- | --- |",
)


HEAD_OF_PLANS = (
    "# Plan file",
    "",
    "This page lists every setting of a plan file. `make reference` makes the page from the code.",
    "Editors can use [the JSON schema](plan-schema.json) to complete and check a file.",
    "",
    "A plan file is TOML. This plan file asks for a count and a mean by schooling:",
    "",
    "```toml",
    'title = "Schooling and work"',
    "",
    "[data]",
    'source = "census2000.csv"',
    'unit = "row"',
    "",
    "[columns]",
    "exper = { lower = 0, upper = 50, step = 1 }",
    "",
    "[keys]",
    "educ = { from = 9, to = 16 }",
    "",
    "[spend]",
    'rho = "1/50"',
    "",
    "[[ask]]",
    'statistic = "count"',
    'by = "educ"',
    "",
    "[[ask]]",
    'statistic = "mean"',
    'column = "exper"',
    'by = "educ"',
    "```",
    "",
    "`discreet init DATA.csv` drafts a file, and `discreet plan FILE` checks it. discreet refuses",
    'a name that is not on this page. Numbers may be text: `"1/50"` and `"0.05"` are exact.',
)
TABLES = (  # as they are written, and the part of the schema
    ("[data]", "DataPart"),
    ("[data.unit]", "UnitPart"),
    ("[data.csv]", "CsvPart"),
    ("[data.csv.columns.NAME]", "CsvColumnPart"),
    ("[columns.NAME]", "BoundsPart"),
    ("[keys.NAME] with from and to", "RangePart"),
    ("[keys.NAME] with a file", "ListPart"),
    ("[keys.NAME] with unknown = true", "UnknownPart"),
    ("[join.NAME]", "JoinPart"),
    ("[owner.NAME]", "OwnerPart"),
    ("[derive.NAME]", "DerivePart"),
    ("[levels.NAME]", "LevelsPart"),
    ("[spend]", "SpendPart"),
    ("[publish]", "PublishPart"),
    ("[[ask]]", "AskPart"),
    ("[[also]]", "AlsoPart"),
)
_TITLES = {part: f"a table `{name.split(' ')[0]}`" for name, part in reversed(TABLES)}
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "`true` or `false`",
    "number": "a number",
    "object": "a table",
}
STATISTICS_OF_PLANS = (
    "A question takes `statistic`, mostly `column` and `by`, `title` and `chart`, and these",
    "options. The function of the same name has the same options: [Python API](python.md).",
)
DERIVED_OF_PLANS = (
    "Each `[[also]]` takes `derive` and these options: [between groups](between-groups.md).",
)
HEAD_OF_RELEASES = (
    "# release.json",
    "",
    "This page lists every field of `release.json`. `make reference` makes the page from the code.",
    "Programs can use [the JSON schema](release-schema.json).",
    "",
    'Integers are integers. Exact rationals are text, as in `"1/50"`. The file is canonical:',
    "sorted names, no blanks, ASCII. A ledger stores this text, and digests are of this text.",
)
HEAD_OF_COMMANDS = (
    "# Commands and options",
    "",
    "This page lists each command. `make reference` makes the page from the code, and `-h` says",
    "the same. [Exit codes, paths and environment variables](command-line.md) have a page of",
    "their own.",
)

HEAD_OF_API = (
    "# Python API in full",
    "",
    "This page has every public name, in the order of the alphabet. `make reference` makes the",
    "page from the docstrings: `help()` says the same. [The names by step](python.md) are a",
    "shorter list.",
    "",
    "Examples use `import discreet as dp`. Examples of methods use the table, plan, ledger and",
    "release of the example of [Release](#release). Noise differs from run to run.",
)
TITLES = {
    "Args": "Parameters.",
    "Attributes": "Attributes.",
    "Returns": "Returns",
    "Raises": "Raises.",
    "Example": "Example.",
    "Source": "Source:",
    "Guarantee": "Guarantee:",
}
LISTS = ("Args", "Attributes", "Raises")
HEAD_OF_ERRORS = (
    "# Errors by kind",
    "",
    "Each error of discreet has three lines: what happened, why, and what to type next. Each",
    "error has a kind, too: `error.kind` in Python, `kind` under `--json`. This page explains",
    "every kind. `discreet explain KIND` prints the same text. `make reference` makes the page",
    "from the code.",
    "",
    "An error never quotes a row. discreet withholds messages of libraries, which could quote a",
    "row. If an error names no charge, nothing was charged: discreet checks before it charges.",
    "[Exit codes](command-line.md#exit-codes) belong to the classes, and",
    "[errors and recovery](ledger.md) says what stands after a charge.",
    "",
    "Each code block below fails with the kind of its heading. The blocks use these names:",
    "",
    "```py",
    "import discreet as dp",
    "",
    "people = dp.table(",
    '    "people.csv",',
    '    unit="row",',
    '    keys={"city": ["Riga", "Turku"]},',
    '    columns={"age": dp.bounds(0, 120, step=1), "income": dp.bounds(0, 100_000, step=1)},',
    ")",
    "visits = dp.table(",
    '    "visits.csv", unit=dp.unit("person", max_rows=3), keys={"city": ["Riga", "Turku"]}',
    ")",
    'loss = dp.zcdp("1/50")',
    'plan = dp.plan(people, dp.count(by="city"), spend=loss)',
    'book = dp.ledger("people.ledger", budget=dp.zcdp("1/8"))',
    'dp.ledger("other.ledger", budget=dp.zcdp("1/8"))',
    "release = dp.run(plan, ledger=book)",
    'release.save("people.release")',
    'dp.rehearse(plan).save("trial.release")',
    "```",
)
OF_ROOT = {
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
ERRORS = {  # the classes, as they are raised in the code
    *("InputError", "CallError", "UnknownNameError", "BudgetError", "LedgerError", "EngineError"),
    *("VerifyError", "InternalError", "Interrupted"),
}
METHODS = {  # of what one gets back
    "Cleaned": ("table", "save"),
    "DerivedNumbers": ("table", "plot"),
    "Microdata": ("analyses",),
    "Result": ("table", "total", "crossed", "plot", "to_pandas", "to_polars"),
    "Tidy": ("column", "to_pandas", "to_polars"),
    "Ledger": ("left", "spent", "verify", "void", "add_anchor", "restored"),
    "Plan": ("price", "explore", "with_spend"),
    "Release": (
        *("keys", "table", "plot", "save", "export", "annotate", "microdata", "intervals", "total"),
        *("difference", "ratio", "share", "relative", "change", "rate", "standardized"),
        *("median", "ranks"),
    ),
    "Table": ("where", "derive", "joined"),
}


CODES = {name: getattr(dp.errors, name, Interrupted).exit_code for name in ERRORS}


@dataclass(frozen=True)
class Raise:
    """A place that makes an error."""

    error: str
    kind: str
    words: str
    line: str


def decisions() -> str:
    """Return the index of the decision records: number, title and status of each."""
    titles, stands = {}, {}
    for path in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        title, _, body = path.read_text("utf-8").partition("\n")
        number = int(path.name[:4])
        titles[number] = f"[{re.sub(r'^# 0*[0-9]+[.:] ', '', title)}]({path.name})"
        head = [part for part in body.strip().split("\n\n") if re.match(r"\*[^*]", part)]
        stands[number] = " ".join(" ".join(head).replace("*", "").split()) if head else "Accepted."
    later: dict[int, list[str]] = {number: [] for number in titles}
    for number, text in stands.items():
        for older in {
            int(name) for run in OLDER.finditer(text) for name in re.findall(r"\d+", run[0])
        }:
            if older < number:
                later[older].append(str(number))
    rows = [
        f"| {number} | {title} | {stands[number]} | {', '.join(later[number])} |"
        for number, title in titles.items()
    ]
    return "\n".join([*HEAD_OF_DECISIONS, *rows, ""])


def plan_file() -> str:
    """Return the page of the plan file: each table and each of its settings, from its schema."""
    schema = FilePart.model_json_schema()
    tables = {"the whole file": schema, **{name: schema["$defs"][part] for name, part in TABLES}}
    lines = [*HEAD_OF_PLANS]
    for name, part in tables.items():
        title = name if name == "the whole file" else f"`{name}`"
        lines += ["", f"## {title[0].upper()}{title[1:]}", "", _plain(part["description"]), ""]
        lines += ["| setting | takes | what it is |", "| --- | --- | --- |"]
        needed = part.get("required", ())
        for field, about in part["properties"].items():
            must = " (needed)" if field in needed else ""
            lines.append(f"| `{field}`{must} | {_type(about)} | {about['description']} |")
    lines += ["", "## Statistics and their options", "", *STATISTICS_OF_PLANS, ""]
    lines += ["| statistic | options |", "| --- | --- |"]
    for name, ask in ASKED.items():
        options = [option for option in signature(ask).parameters if option not in ("column", "by")]
        lines.append(f"| `{name}` | {', '.join(f'`{option}`' for option in options)} |")
    lines += ["", "## What can be derived", "", *DERIVED_OF_PLANS, ""]
    lines += ["| kind | options |", "| --- | --- |"]
    for name, kind in derivations().items():
        lines.append(f"| `{name}` | {', '.join(f'`{option}`' for option in kind.takes)} |")
    return "\n".join([*lines, ""])


def release_json() -> str:
    """Return the page of release.json: each object and each of its fields, from its schema."""
    schema = Document.model_json_schema()
    lines = [*HEAD_OF_RELEASES]
    for name, part in {"Document": schema, **schema["$defs"]}.items():
        lines += ["", f"## {name}", "", _plain(part["description"]), ""]
        lines += ["| field | type | what it is |", "| --- | --- | --- |"]
        for field, about in part["properties"].items():
            lines.append(f"| `{field}` | {_type(about)} | {about['description']} |")
    return "\n".join([*lines, ""])


def _plain(text: str) -> str:
    return " ".join(text.split())


def _type(about: dict[str, Any]) -> str:
    """Return in words what a field of a JSON schema takes."""
    for several in ("anyOf", "oneOf"):
        if several in about:
            kinds = [_type(each) for each in about[several] if each.get("type") != "null"]
            null = ", or null" if len(kinds) < len(about[several]) and several == "anyOf" else ""
            return " or ".join(dict.fromkeys(kinds)) + (
                null if null and "default" not in about else ""
            )
    if "$ref" in about:
        return _TITLES.get(about["$ref"].rsplit("/", 1)[1], "a table")
    if "enum" in about:
        return " or ".join(f'`"{value}"`' for value in about["enum"])
    if "const" in about:
        return f"`{json.dumps(about['const'])}`"
    if about.get("type") == "array":
        inner = _type(about["items"]) if about.get("items") else ""
        return (
            f"a list of {inner.removeprefix('a ')}s"
            if inner in ("text", "a whole number")
            else "a list"
        )
    return _TYPES.get(about.get("type", ""), "a number or text")


def commands() -> str:
    """Return the page of commands: what each does, its arguments and its options."""
    lines = [*HEAD_OF_COMMANDS]
    for words, command in _commands():
        lines += ["", f"## discreet {words}", ""]
        for paragraph in (command.help or "").split("\n\n"):
            lines += [*_paragraph(paragraph), ""]
        context = command.context_class(command, info_name=words)
        records = [param.get_help_record(context) for param in command.params]
        lines += ["| argument or option | what it is |", "| --- | --- |"]
        lines += [_row(name, text) for name, text in filter(None, records)]
        if command.epilog:
            lines += ["", command.epilog.replace("Example: ", "Example: `", 1) + "`"]
    return "\n".join([*lines, ""])


def _row(name: str, text: str) -> str:
    """Return one argument or option; what only one version of Typer prints is left out."""
    name = re.sub(r" <[^>]*>|[\[\]{}]", "", name).replace("|", " or ")
    must = " (needed)" if "[required]" in text else ""
    plain = re.sub(r"  \[[^]]*\]$", "", text).replace("|", " or ")
    return f"| `{name}`{must} | {plain} |"


def _paragraph(text: str) -> list[str]:
    """Return a paragraph of help; lines that are typed stand as they are."""
    rows = [row.strip() for row in text.replace("\b", "").strip().splitlines()]
    if rows and all(row.startswith("discreet ") for row in rows):
        return ["```sh", *rows, "```"]
    return [" ".join(rows)]


def _commands() -> list[tuple[str, Any]]:
    """Return each command with its words, those of the ledger after it."""
    listed: list[tuple[str, Any]] = []
    for name, known in get_command(app).commands.items():
        command = derive.command() if name == "derive" else known
        listed.append((name, command))
        for word, below in getattr(command, "commands", {}).items():
            listed.append((f"{name} {word}", below))
            deeper = getattr(below, "commands", {})
            listed += [(f"{name} {word} {last}", lowest) for last, lowest in deeper.items()]
    return listed


def api() -> str:
    """Return the page of all public names, and of the public methods of what they return."""
    lines = [*HEAD_OF_API]
    for name in sorted(set(dp.__all__) - {"errors"}, key=lambda name: (name.lower(), name)):
        thing = getattr(dp, name)
        lines += ["", f"## {name}", ""]
        lines += [] if isclass(thing) else ["```py", _call(name, thing), "```", ""]
        lines += _documented(getdoc(thing) or "")
        if isclass(thing):
            for method in METHODS.get(name, ()):
                made = getattr(thing, method)
                lines += [
                    "",
                    f"### {name}.{method}",
                    "",
                    "```py",
                    _call(method, made),
                    "```",
                    "",
                ]
                lines += _documented(getdoc(made) or "")
    lines += ["", "## errors", "", *_documented(getdoc(dp.errors) or "")]
    for name, error in vars(dp.errors).items():
        if isclass(error) and issubclass(error, Exception) and not name.startswith("_"):
            lines.append(f"- `{name}` (exit code {error.exit_code}): {_plain(getdoc(error) or '')}")
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


@cache
def raised(source: Path = ROOT / "src" / "discreet") -> list[Raise]:
    """Return each place of the code that makes an error, with its class, its kind and its words."""
    places = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text("utf-8")
        names = [name for name in ERRORS if f"{name}(" in text]
        for node in ast.walk(ast.parse(text)) if names else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                kind = next((each.value for each in node.keywords if each.arg == "kind"), None)
                if node.func.id in names and node.keywords:
                    line = f"{path.relative_to(source).as_posix()}:{node.lineno}"
                    places.append(Raise(node.func.id, _text(kind), _words(node), line))
    return places


def _text(node: ast.expr | None) -> str:
    """Return a constant, "" where there is nothing, and the code of anything else in brackets."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return f"<{ast.unparse(node)}>"


def _words(node: ast.Call) -> str:
    """Return the first line of an error, with … in each place that is filled; "" if it is made."""
    what = node.args[0] if node.args else None
    if isinstance(what, ast.Constant):
        return str(what.value)
    if not isinstance(what, ast.JoinedStr):
        return ""
    parts = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in what.values]
    return "".join(parts)


def errors() -> str:
    """Return the catalogue of errors: each kind with its class, its text and its messages."""
    lines, chapter = [*HEAD_OF_ERRORS], ""
    places = raised()
    for kind, known in explanations().items():
        if known.chapter != chapter:
            chapter = known.chapter
            lines += ["", f"## {chapter}"]
        own = [place for place in places if place.kind == kind]
        classes = dict.fromkeys(place.error for place in own)
        names = [f"`{name}`, exit code {CODES[name]}" for name in classes]
        lines += ["", f"### {kind}", "", *([f"*{'; '.join(names)}*", ""] if names else [])]
        lines += [known.text]
        messages = dict.fromkeys(place.words for place in own if place.words)
        lines += ["", "Messages:", ""] if messages else []
        lines += [f"- `{words}`" for words in messages]
    return "\n".join([*lines, ""])


def _call(name: str, thing: Any) -> str:
    """Return a signature as help() shows it: types by their short names."""
    plain = signature(thing)
    parameters = [each for each in plain.parameters.values() if each.name != "self"]
    return name + help_text(plain.replace(parameters=parameters))


def _documented(text: str) -> list[str]:
    """Return a docstring as Markdown: parameters and errors as lists, an example as code."""
    lines: list[str] = []
    inside, code = "", False
    for raw in text.partition("\nRules of this module:")[0].splitlines():
        line = raw.strip()
        head = re.match(r"(Args|Attributes|Returns|Raises|Example|Source|Guarantee): ?(.*)$", line)
        if head and not raw.startswith(" "):
            lines += ["```"] if code else []
            inside, code = head[1], False
            text = head[2][:1].upper() + head[2][1:] if inside == "Example" else head[2]
            lines += ["", f"**{TITLES[inside]}** {text}".rstrip(), *([] if text else [""])]
            continue
        if line.startswith(">>>") and not code:
            lines += ["", "```pycon"]
            code = True
        if inside in ("Args", "Attributes", "Raises") and (
            item := re.match(r"    ([\w*][\w, *]*): (.*)$", raw)
        ):
            lines.append(f"- `{item[1]}`: {item[2]}")
        else:
            lines.append(raw[4:] if code else f"  {line}" if inside in LISTS and line else line)
    return [*lines, "```"] if code else lines


def of_root(name: str) -> Callable[[], str]:
    """Return what makes a page of a text that lies at the root, where code hosts look for it."""

    def page() -> str:
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        for other, made in OF_ROOT.items():
            text = text.replace(f"]({other})", f"]({made})")
        return re.sub(r"\[([^\]]+)\]\(([A-Z][\w.-]*)\)", r"`\2`", text)

    return page


PAGES: dict[str, Callable[[], str]] = {
    "decisions/index.md": decisions,
    "plan-file.md": plan_file,
    "plan-schema.json": lambda: json.dumps(FilePart.model_json_schema(), indent=1) + "\n",
    "release-json.md": release_json,
    "release-schema.json": lambda: json.dumps(json_schema(), indent=1, sort_keys=True) + "\n",
    "commands.md": commands,
    "api.md": api,
    "errors.md": errors,
    **{made: of_root(name) for name, made in OF_ROOT.items()},
}


def main() -> None:
    """Write each page that is made."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
