"""Heat maps: points snapped to public places, counted, denoised, drawn; no noise is made here."""
