"""One engine per file: aggregates in, exact integers out; the only room that reads data.

Rules of this room:
- it knows no noise, no loss and no answer: what leaves it goes through the door of a release."""
