"""What an auditor runs: a plan against made-up tables, without data, declared numbers, or a ledger but its own."""
