"""Makes the modules beside this file importable from every test: `from coins import Tape`."""
