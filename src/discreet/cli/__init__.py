"""The faces: the command line; no rule of privacy lives here."""
