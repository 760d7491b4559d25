"""Data for cards and search: Open Graph, and JSON-LD of schema.org's Dataset.

Rules of this module:
- it says what the page says, and nothing of a rehearsal, whose numbers are none;
- JSON-LD is data that nothing runs: every < and & in it is escaped, so that no text ends its block;
- a card is named by its whole address, or not at all: readers of cards know no other.

Decision 129.
"""

import json
from typing import Any

from ..document.accessors import alpha_of, labels, loss_text
from ..document.document import Document
from ..document.numbers import percent
from ..errors import visible
from ..schema import About

CARD = "card.png"
_LONGEST = 300  # letters of a description
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def metadata_of(document: Document, about: About) -> dict[str, Any]:
    """Return what the head of a page says to cards and search; nothing of a rehearsal."""
    if document.kind == "rehearsal":
        return {"description": "", "cards": (), "data": ""}
    title, description = about.title or document.title, _description(document)
    cards = [("og:type", "article"), ("og:title", title), ("og:description", description)]
    if about.url:
        cards += [("og:url", about.url), ("og:image", f"{about.url.rstrip('/')}/{CARD}")]
        cards += [("og:image:alt", f"A chart of {labels(document)[0]}, with its intervals")]
    data = _dataset(document, about, title, description)
    return {"description": description, "cards": tuple(cards), "data": _block(data)}


def _description(document: Document) -> str:
    """Return what numbers there are, and that they have noise."""
    covers = percent(alpha_of(document))
    end = f"Noise of a known size protects people; each number has a {covers} interval."
    names = "; ".join(labels(document))
    room = _LONGEST - len(end) - 2
    names = names if len(names) <= room else f"{names[: room - 1]}…"
    return visible(f"{names}. {end}")


def _dataset(document: Document, about: About, title: str, description: str) -> dict[str, Any]:
    """Return the Dataset of schema.org; what nobody says is left out."""
    publisher = {"@type": "Organization", "name": about.publisher} if about.publisher else ""
    forms = {"table.csv": "text/csv", "release.json": "application/json"}
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": title,
        "description": description,
        "dateCreated": document.created[:10],
        "url": about.url,
        "inLanguage": about.language,
        "creator": publisher,
        "license": about.licence,
        "temporalCoverage": about.period,
        "isBasedOn": about.source,
        "variableMeasured": labels(document),
        "measurementTechnique": f"Differential privacy, {loss_text(document)}",
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": form, "contentUrl": name}
            for name, form in forms.items()
        ],
    }
    return {name: value for name, value in data.items() if value}


def _block(data: dict[str, Any]) -> Any:
    """Return data as JSON that no text in it can end."""
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=True)
    for sign, code in _ESCAPES.items():
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704 (escaped above, as JSON)
