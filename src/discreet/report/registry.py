"""A record for the public registry of deployments of differential privacy, as YAML.

Rules of this module:
- each field names where its words come from: the release, its ledger, what the publisher says
  (`about`), or the publisher alone: then it is a question mark. Nothing is guessed;
- the names of the fields and what may stand in them are those of opendp/deployments-registry-data
  (tiers 1 to 3), written down here anew; a field that may not hold a question mark is left out,
  as a comment;
- numbers are rounded up, so that a record never says less loss than there is;
- no number of the release is in it, and no data.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction
from typing import Any, Literal

from ..document.document import Document
from ..errors import InputError, visible
from ..exact.number import decimal_of, text_of
from ..fix import BLANK
from ..noise.registry import law_of
from ..privacy.conversion import epsilon_up as rho_read
from ..privacy.gdp import epsilon_up as mu2_read
from ..privacy.loss import Loss, loss_of
from ..schema import About

Source = Literal["release", "ledger", "about", "publisher"]  # who says it, or must
VARIANTS = {
    "pure": "Pure DP",
    "approx": "Approximate DP",
    "zcdp": "Zero-concentrated DP",
}
CHOICES: dict[str, tuple[str, ...]] = {  # what may stand in a field, and a question mark may not
    "status": ("Draft",),
    "data_product_type": ("Summary statistics",),
    "data_product_sector": (
        *("Technology", "Healthcare", "Education", "Government", "Energy", "Finance"),
    ),
    "variant_name": (*VARIANTS.values(), "Custom"),
    "model_name": ("Central",),
    "release_type": ("One release", "Many releases"),
    "data_source_type": ("Static", "Dynamic"),
    "access_type": ("Non-interactive",),
}
_BLANK = str(BLANK)
_READ_AT = Fraction(1, 10**6)
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """What a ledger says of the releases that it paid for."""

    budget: Loss
    spent: Loss
    answered: int


@dataclass(frozen=True, slots=True)
class Field:
    """One field: where it stands, what it says, and who says so; None for a comment alone."""

    path: tuple[str, ...]
    value: object
    source: Source


def record_of(document: Document, about: About, account: LedgerFacts | None) -> list[Field]:
    """Return the fields of a record, in the order in which the registry has them.

    Raises:
        InputError: it is a rehearsal, which is no deployment.
    """
    if document.ledger is None:
        raise InputError(
            "a rehearsal is no deployment.",
            kind="rehearsal-only",
            why="its numbers are made up, and nobody paid for them",
            fix="give a release that was paid for",
        )
    basic = [*_basic(document, about)]
    texts = {field.path[-1]: field.value for field in basic}
    year = document.created[:4]
    parts = [str(texts["name"]), "-".join(_texts(texts["data_curators"])), year]
    slug = "_".join(re.sub(r"\W+", "_", part.lower()) for part in parts).replace("_", "-")
    return [
        Field(("url_slug",), slug, "release"),
        Field(("status",), "Draft", "release"),
        Field(("tier",), 3, "release"),
        *(Field(("deployment", *field.path), field.value, field.source) for field in basic),
        *(
            Field(("deployment", *path), value, source)
            for part in (_variant, _loss, _model, _accounting, _implementation)
            for path, value, source in part(document, about, account)
        ),
        *_administrative(document, about),
    ]


def yaml_of(fields: list[Field]) -> str:
    """Return a record as YAML: a comment on each field says who says it."""
    lines = [
        "# A record for the registry of deployments of differential privacy (tiers 1 to 3).",
        f"# Behind each field: who says it. A field that says {_BLANK} is the publisher's to fill.",
    ]
    before: tuple[str, ...] = ()
    for field in fields:
        lines += _heads(field.path, before)
        before = field.path
        indent, name = "  " * (len(field.path) - 1), field.path[-1]
        if field.value is None:
            choices = ", ".join(CHOICES[name])
            lines.append(
                f"{indent}# {name}: {_BLANK}  (only the publisher knows; one of: {choices})"
            )
        elif isinstance(field.value, list):
            lines += [f"{indent}{name}:  # {field.source}"]
            lines += [f"{indent}  - {_scalar(item)}" for item in field.value]
        else:
            lines.append(f"{indent}{name}: {_scalar(field.value)}  # {field.source}")
    return "\n".join(lines) + "\n"


def _heads(path: tuple[str, ...], before: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of the groups that begin with a field."""
    for depth, name in enumerate(path[:-1]):
        if path[: depth + 1] != before[: depth + 1]:
            yield f"{'  ' * depth}{name}:"


def blanks(fields: list[Field]) -> list[str]:
    """Return the names of the fields that only the publisher can fill."""
    return [field.path[-1] for field in fields if field.source == "publisher"]


def _scalar(value: object) -> str:
    """Return a number as a decimal, rounded up; a text in double quotes, as JSON and YAML read."""
    if isinstance(value, Fraction):
        return f"{decimal_of(value, _DIGITS, ROUND_CEILING):f}"
    return (
        str(value)
        if isinstance(value, int)
        else json.dumps(visible(str(value)), ensure_ascii=False)
    )


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _or_blank(text: str, source: Source) -> tuple[str, Source]:
    return (text, source) if text else (_BLANK, "publisher")


Part = Iterator[tuple[tuple[str, ...], object, Source]]


def _basic(document: Document, about: About) -> Iterator[Field]:
    publisher, source = _or_blank(about.publisher, "about")
    asked = "; ".join(statistic.label for statistic in document.statistics)
    texts = [f"{name}: {text}." for name, text in about.lines() if name in ("Population", "Period")]
    description = f"{asked}. Each number has an interval. {' '.join(texts)}".strip()
    name, says = (about.title, "about") if about.title else (document.title, "release")
    rows: list[tuple[str, object, str]] = [
        ("name", name, says),
        ("data_curators", [publisher], source),
        ("intended_use", _BLANK, "publisher"),
        ("data_product_type", "Summary statistics", "release"),
        ("data_product_region", _BLANK, "publisher"),
        ("description", description, "about" if texts else "release"),
        ("publication_date", document.created[:10], "release"),
        ("data_product_sector", None, "publisher"),
    ]
    for field, value, origin in rows:
        yield Field(("basic", field), value, _source(origin))


def _source(name: str) -> Source:
    return next(source for source in ("release", "ledger", "about", "publisher") if source == name)


def _declared(document: Document) -> dict[str, Any]:
    table: dict[str, Any] = dict(document.plan["table"])
    return table


def _variant(document: Document, _about: About, _account: LedgerFacts | None) -> Part:
    table, kind = _declared(document), document.protection.loss["kind"]
    columns = [
        f"{name} from {of['lower']} to {of['upper']}" if "lower" in of else str(name)
        for name, of in dict(table.get("columns", {})).items()
    ]
    keys = [
        f"{name} ({len(values):,} values)" for name, values in dict(table.get("keys", {})).items()
    ]
    keys += [f"{name} (values that nobody knows beforehand)" for name in table.get("unknown", {})]
    domain = f"All tables like {document.title}, whatever their rows hold. "
    domain += f"Numbers are read within declared bounds: {', '.join(columns) or 'none'}. "
    domain += f"Groups are declared: {', '.join(keys) or 'none'}."
    public = ["Which columns, bounds and groups there are was declared, and is public."]
    public += [
        f"The number of {what} is public: {table[what]:,}."
        for what in ("rows", "units")
        if what in table
    ]
    if document.protection.neighbors == "replace":
        public.append("How many units there are is not protected (neighbors: replace).")
    public.append("No statistic is released without noise.")
    yield ("dp_variant", "variant_name"), VARIANTS.get(kind, "Custom"), "release"
    yield ("dp_variant", "data_domain"), domain, "release"
    yield ("dp_variant", "unprotected_quantities"), " ".join(public), "release"


def _loss(document: Document, about: About, account: LedgerFacts | None) -> Part:
    protection, loss = document.protection, loss_of(document.protection.loss)
    column = protection.unit.get("column")
    unit = "row" if column is None else f"all rows with the same {column}"
    yield (
        ("privacy_loss", "privacy_unit"),
        f"{about.one} ({unit})" if about.one else unit,
        ("about" if about.one else "release"),
    )
    yield ("privacy_loss", "privacy_unit_details"), protection.sentence, "release"
    numbers, words = _parameters(loss)
    for name, number in numbers.items():
        yield ("privacy_loss", "privacy_parameters", name), number, "release"
    if account is not None:
        words += f" Its ledger may lose {account.budget} in all, and {account.spent} stands spent."
    yield ("privacy_loss", "privacy_parameters_details"), words, "ledger" if account else "release"


def _parameters(loss: Loss) -> tuple[dict[str, Fraction], str]:
    """Return the parameters that the registry knows, and what they are in full."""
    named, exact = loss.named, ", ".join(f"{n} = {text_of(size)}" for n, size in loss.named.items())
    words = f"The release costs {exact}, exactly."
    if loss.kind in VARIANTS:
        if loss.kind == "zcdp" and loss.rho:
            read = rho_read(loss.rho, _READ_AT)
            words += f" This implies epsilon = {_scalar(read)} at delta = 0.000001."
        return named, words
    pure = named.get("pure", Fraction(0))
    size = named.get("mu2", Fraction(0))
    read = pure + (mu2_read(size, _READ_AT) if size else 0)
    read += rho_read(named["rho"], _READ_AT) if named.get("rho") else 0
    chance = named.get("delta", Fraction(0)) + named.get("chance", Fraction(0))
    delta = chance + _READ_AT
    known = {"mu2": "mu^2 of Gaussian differential privacy", "rho": "rho of zCDP"}
    meant = "; ".join(f"{name} is the {text}" for name, text in known.items() if name in named)
    words += f" {meant}, beside a chance to fail of {text_of(chance)}." if chance else f" {meant}."
    words += " The epsilon of this record is what that implies at its delta."
    return {"epsilon": read, "delta": delta}, words


def _model(_document: Document, _about: About, account: LedgerFacts | None) -> Part:
    yield ("deployment_model", "model_name"), "Central", "release"
    yield (
        ("deployment_model", "model_name_details"),
        ("A trusted curator holds the rows; noise is added to integers before anything leaves."),
        "release",
    )
    yield ("deployment_model", "actors"), _BLANK, "publisher"
    if account is None:
        yield ("deployment_model", "release_type"), None, "publisher"
    else:
        many = "Many releases" if account.answered > 1 else "One release"
        yield ("deployment_model", "release_type"), many, "ledger"
        yield (
            ("deployment_model", "release_type_details"),
            (
                f"Answers of this ledger so far: {account.answered:,}. "
                f"Its budget is {account.budget}: it is set once, never anew, and "
                "when it is spent nothing more is answered."
            ),
            "ledger",
        )
    yield ("deployment_model", "data_source_type"), None, "publisher"
    yield ("deployment_model", "data_source_type_details"), _BLANK, "publisher"
    yield ("deployment_model", "access_type"), "Non-interactive", "release"
    yield (
        ("deployment_model", "access_type_details"),
        ("Readers have the numbers as they are published; none of them asks the data."),
        "release",
    )


def _accounting(document: Document, _about: About, _account: LedgerFacts | None) -> Part:
    rules = [
        f"{statistic.label}: shown where {_plain(rule)}"
        for statistic in document.statistics
        if (rule := statistic.question.get("publish"))
    ]
    text = "Intervals, means and what else is shown follow from noisy integers alone."
    if rules:
        text += f" Rules of publication, on noisy numbers: {'; '.join(rules)}."
    yield ("accounting", "post_processing"), text, "release"
    yield (
        ("accounting", "composition"),
        (
            "Sequential composition of all vectors of the release; in a vector, how far one unit "
            "moves all of its numbers together is bounded, so that disjoint groups cost once. "
            "The losses of all releases are added in a ledger before noise is drawn."
        ),
        "release",
    )


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {item}" for name, item in value.items())
    return str(value)


def _implementation(document: Document, _about: About, _account: LedgerFacts | None) -> Part:
    yield ("implementation", "preprocessing_and_hyperparameter_tuning"), _BLANK, "publisher"
    noise = [
        f"{statistic.label}: {_laws(statistic.vectors)}"
        for statistic in document.statistics
        if statistic.vectors
    ]
    stated = [
        statistic.label
        for statistic in document.statistics
        if statistic.question.get("statistic") == "stated"
    ]
    text = (
        f"{'; '.join(noise)}. Made by {document.software.name} {document.software.version}: exact "
    )
    text += "integers and rationals, no floating point in what decides about privacy, noise drawn "
    text += "exactly from the secret randomness of the system, without a seed."
    if stated:
        text += f" The sensitivity of {', '.join(stated)} was stated, not proved."
    yield ("implementation", "mechanisms"), text, "release"
    yield ("implementation", "justification"), _BLANK, "publisher"


def _laws(vectors: object) -> str:
    """Return the noise of a question's vectors in words, each once."""
    texts = []
    for vector in vectors if isinstance(vectors, list) else []:
        size = ", ".join(f"{n} = {v}" for n, v in vector.noise.items() if n != "law")
        texts.append(f"{law_of(vector.noise).words} ({size})")
    return ", ".join(dict.fromkeys(texts))


def _administrative(document: Document, about: About) -> Iterator[Field]:
    source, says = _or_blank(about.source, "about")
    entry = document.ledger
    notes = f"Digest of the plan: {document.digest}. "
    notes += f"Entry {entry.seq if entry else 0} of its ledger. Whoever has the release checks it "
    notes += "without the data: discreet verify."
    yield Field(("deployment", "administrative", "sources"), source, says)
    yield Field(("deployment", "administrative", "notes"), notes, "release")
    yield Field(("deployment", "administrative", "registry_authors"), [_BLANK], "publisher")
