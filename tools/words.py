"""Count how plainly docs, docstrings and messages are written. `make words` prints it, worst first.

Rules of this tool:
- a sentence has at most 25 words; a link, a piece of code and a number are one word each;
- a sentence does not begin with What, Who, Whoever, Whatever, That, Where: name the subject, or
  write "If"; a question may;
- code, output, tables and headings are no sentences; each item of a list begins a new one, and
  text that is indented under an item is no code;
- the shares of today are limits that may only fall (tests/house/test_words.py); `--limits` writes
  what stands.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "discreet"
LONG = 25
PROOFS = ("docs/laws/", "docs/decisions/")
MADE = {"docs/decisions/index.md", "docs/commands.md", "docs/api.md"}
HEAD = (
    "# Of 100 sentences of a page, so many may have more than 25 words; where it is not named: 12,",
    "# of laws and decisions 20. So many may begin without a subject. Limits may only fall.",
    "",
)
FORBIDDEN = {"what", "who", "whoever", "whatever", "that", "where", "whichever"}
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2", re.MULTILINE | re.DOTALL)
MARKS = [
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"``.*?``|`[^`]*`"), "code"),
    (re.compile(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}"), ""),
]
SHORT = re.compile(r"\b(e\.g|i\.e|vs|al|cf|no|Fig|Prop|Thm|Sec|St|Dr)\.$", re.IGNORECASE)
STOP = re.compile(r"(?<=[.!?])[\"')\]]*\s+")
WORD = re.compile(r"[A-Za-zÀ-ÿ0-9][\w'’.,/-]*")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
SECTIONS = re.compile(r"^(Args|Returns|Raises|Example|Examples|Source|Guarantee|Proof|Note)s?:")
FIELD = re.compile(r"^[a-z_][\w, .*]*: ")


@dataclass(frozen=True)
class Count:
    """How many sentences a text has, and which are long or begin badly."""

    sentences: int
    long: tuple[str, ...]
    badly: tuple[str, ...]

    @property
    def share(self) -> float:
        """Return how many of a hundred sentences are long."""
        return 100 * len(self.long) / max(1, self.sentences)


def counted(sentences: list[str]) -> Count:
    """Count the words of sentences."""
    return Count(
        len(sentences),
        tuple(each for each in sentences if len(WORD.findall(each)) > LONG),
        tuple(each for each in sentences if _badly(each)),
    )


def _badly(sentence: str) -> bool:
    words = WORD.findall(sentence)
    return bool(words) and words[0].lower() in FORBIDDEN and not sentence.rstrip().endswith("?")


def split(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph."""
    for mark, plain in MARKS:
        paragraph = mark.sub(plain, paragraph)
    sentences: list[str] = []
    for part in STOP.split(" ".join(paragraph.split())):
        if sentences and (SHORT.search(sentences[-1]) or not _begins(part)):
            sentences[-1] += f" {part}"
        else:
            sentences.append(part)
    return [each for each in sentences if len(WORD.findall(each)) > 1]


def _begins(part: str) -> bool:
    letters = re.sub(r"^[\"'(\[*]+", "", part)
    return bool(letters) and (not letters[0].islower() or letters.startswith(("code", "discreet ")))


def of_page(text: str) -> list[str]:
    """Return the sentences of a page of Markdown."""
    text = FENCE.sub("\n", text)
    paragraphs, lines, inside = [], [], False
    for raw in [*text.splitlines(), ""]:
        if raw.strip() and not raw.startswith(" "):
            inside = bool(ITEM.match(raw))
        line = raw.removeprefix("    ") if inside else raw
        apart = not line.strip() or line.lstrip().startswith(("#", "|", ">", "$$"))
        code = line.startswith("    ") and not lines
        if apart or code or ITEM.match(line):
            paragraphs.append(" ".join(lines))
            lines = [] if apart or code else [ITEM.sub("", line)]
        else:
            lines.append(line.strip())
    return [each for paragraph in paragraphs for each in split(paragraph)]


def of_docstring(text: str) -> list[str]:
    """Return the sentences of a docstring: of its text, and of what is said of each parameter."""
    paragraphs: list[str] = []
    lines: list[str] = []
    for raw in [*text.splitlines(), ""]:
        line = raw.strip()
        if not line or line.startswith((">>>", "...")):
            paragraphs.append(" ".join(lines))
            lines = []
            continue
        head = SECTIONS.match(line) or FIELD.match(line) or ITEM.match(raw)
        if head:
            paragraphs.append(" ".join(lines))
            lines = []
        lines.append(line[head.end() :] if head else line)
    return [each for paragraph in paragraphs for each in split(paragraph)]


def docstrings(tree: ast.AST) -> Iterator[str]:
    """Return the docstrings of a module that readers see: of it, and of public names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text and not getattr(node, "name", "").startswith("_"):
                yield text.partition("\nRules of this module:")[0]


def messages(tree: ast.AST) -> Iterator[str]:
    """Return what errors say: what happened, and why; a value that is put in is one word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node).endswith(("Error", "error", "refused")):
            said = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "why")]
            yield from filter(None, map(_text, said))


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "code" for p in node.values)
    return ""


def pages() -> dict[str, Count]:
    """Return the count of each page, by its path."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {
        path.relative_to(ROOT).as_posix(): counted(of_page(path.read_text("utf-8")))
        for path in paths
        if path.relative_to(ROOT).as_posix() not in MADE
    }


def code() -> dict[str, Count]:
    """Return the counts of all docstrings and of all messages."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    return {
        "docstrings": counted([s for t in trees for d in docstrings(t) for s in of_docstring(d)]),
        "messages": counted([s for t in trees for m in messages(t) for s in split(m)]),
    }


def limit(name: str) -> int:
    """Return how many of a hundred sentences of a page may be long, unless a limit names it."""
    return 20 if name.startswith(PROOFS) else 12


def limits() -> str:
    """Return the limits that hold today, as tests/house/words.toml has them."""
    counts = pages()
    proofs = sum(len(count.badly) for name, count in counts.items() if name.startswith(PROOFS))
    lines = [
        f'"{name}" = {ceil(count.share) + 1}'
        for name, count in counts.items()
        if count.share > limit(name) and len(count.long) > 2
    ]
    badly = {"pages": sum(len(count.badly) for count in counts.values()) - proofs, "proofs": proofs}
    for name, count in code().items():
        lines.append(f"{name} = {ceil(10 * count.share + 1) / 10}")
        badly[name] = len(count.badly)
    begin = [f"{name} = {number}" for name, number in badly.items()]
    return "\n".join([*HEAD, "[long]", *lines, "", "[beginnings]", *begin, ""])


def main(arguments: list[str]) -> None:
    """Print the counts, worst first, or the sentences of the pages that are named."""
    if arguments == ["--limits"]:
        (ROOT / "tests" / "house" / "words.toml").write_text(limits(), encoding="utf-8")
        return
    counts = {**pages(), **code()}
    for name in arguments:
        for sentence in sorted({*counts[name].long, *counts[name].badly}):
            print(f"{len(WORD.findall(sentence)):3} {sentence}")
    if not arguments:
        for name, count in sorted(counts.items(), key=lambda item: -item[1].share):
            print(f"{count.share:5.1f} % {len(count.badly):3} {count.sentences:5}  {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
