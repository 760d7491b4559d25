"""What an auditor runs: a plan against made-up tables, without data, ledger or declared numbers."""
