"""discreet: a table and a privacy budget become a published release."""
