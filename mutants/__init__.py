"""Small patches, each of which breaks one claim of docs/claims.md: `make mutants`.

Rules of this package:
- a mutant is data: the claim it breaks, the exact old text, the new text; see `listed`;
- only a test that bears the claim's mark may kill it, and that test passes on the honest code;
- nothing here imports discreet: a mutant runs in a process of its own, in a copy of this checkout.
"""
