"""How a release looks; only public numbers may enter."""
