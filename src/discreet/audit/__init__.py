"""What an auditor runs: a plan on made-up tables, without data, and no ledger but its own."""
