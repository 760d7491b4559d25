"""What a reviewer signs: the laws that releases use and their samplers; integers, no tables."""
