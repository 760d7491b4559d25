"""Where a plan is typed, in a file or as options: its reading, its errors, its fixes."""
