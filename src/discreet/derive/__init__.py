"""Numbers made of released numbers, by one register; only public numbers may enter."""
