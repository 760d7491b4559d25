"""`python -m discreet`: the command line, where its word is not on the path."""

from discreet_command import main

if __name__ == "__main__":
    raise SystemExit(main())
