"""The cases of bad input, a module for each place where it comes in; `world.py` checks them."""
