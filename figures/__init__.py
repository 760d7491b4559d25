"""The figures of the documents, drawn again from the shipped laws; no data and no coins enter."""
