"""What a loss is, how losses add, how one kind bounds another; no mechanism, no data."""
