"""A plan is audited on made-up tables, without data, and no ledger but its own."""
