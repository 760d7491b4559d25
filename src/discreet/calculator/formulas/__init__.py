"""The other laws' curves and accuracies, both ways: the calculator stands on it, no release."""
