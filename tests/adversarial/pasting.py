"""What a person does with the last line of an error: it is pasted where the error points to.

Rules of this module:
- a plan file's fix is "write X", "write X in place of Y", "under [part], write X", "... above the
  first [part]" or "remove NAME"; alternatives stand after ", or ", and what a person alone can
  answer is "?";
- whatever reads otherwise is prose, and nothing is pasted.
"""

import re
import tomllib

PLACE = re.compile(r", line (\d+)")
KEY = re.compile(r"""^\s*("[^"]*"|[\w-]+)\s*=""")


def ways(text: str, what: str, fix: str) -> list[tuple[str, str]]:
    """Return what was pasted, and the plan file after it, for each way that a fix shows."""
    found = []
    part = "write "
    for way in fix.split(", or "):
        said = way if re.match(r"(under|write|remove) ", way) else part + way
        part = re.match(r"(under [^,]*,? )?write |", said)[0] or part
        pasted = one(text, what, said)
        if pasted is not None:
            found.append(pasted)
    return found


def one(text: str, what: str, said: str) -> tuple[str, str] | None:
    lines = text.split("\n")
    place = PLACE.search(what)
    at = int(place[1]) - 1 if place else None
    if removed := re.fullmatch(r"remove ([\w-]+(?: and [\w-]+)*)", said):
        names = removed[1].split(" and ")
        gone = [line for line in lines[at:] if key_of(line) in names][: len(names)]
        return said, "\n".join(line for line in lines if line not in gone)
    if swapped := re.fullmatch(r"write (.+) in place of (.+)", said):
        assert swapped[2] in lines[at], (said, lines[at])
        lines[at] = lines[at].replace(swapped[2], swapped[1], 1)
        return swapped[1], "\n".join(lines)
    shape = re.fullmatch(r"(?:under (\[\w+\]|that \[\[ask\]\]),? )?write (.*)", said)
    snippet = toml_of(shape[2]) if shape else None
    if snippet is None:
        return None
    if "above the first [part]" in said:
        first = next(n for n, line in enumerate([*lines, "["]) if line.startswith("["))
        lines.insert(first, snippet)
    elif shape[1] == "that [[ask]]":
        start = max(n for n in range(at + 1) if lines[n] == "[[ask]]")
        end = next(
            (n for n in range(start + 1, len(lines)) if lines[n].startswith("[")), len(lines)
        )
        names = [*map(key_of, snippet.split("\n"))]
        kept = [line for line in lines[start + 1 : end] if key_of(line) not in names]
        lines[start + 1 : end] = [*snippet.split("\n"), *kept]
    elif shape[1] and snippet.split(" = ")[0] not in map(key_of, lines):
        lines.insert(lines.index(shape[1]) + 1, snippet)
    else:
        start = lines.index(shape[1]) if shape[1] else at
        same = [n for n in range(start, len(lines)) if key_of(lines[n]) == snippet.split(" = ")[0]]
        lines[same[0] if same else start : (same[0] if same else start) + 1] = [snippet]
    return snippet, "\n".join(lines)


def key_of(line: str) -> str | None:
    found = KEY.match(line)
    return found[1] if found else None


def toml_of(words: str) -> str | None:
    """Return the longest beginning of some words that is TOML, if any is."""
    parts = words.split(" ")
    for length in range(len(parts), 2, -1):
        text = " ".join(parts[:length]).rstrip(",")
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        return text
    return None
