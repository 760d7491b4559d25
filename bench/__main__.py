"""`make bench`: every benchmark, one after the other, as ratios measured in one run each."""

from . import engine, noise

if __name__ == "__main__":
    noise.main()
    engine.main()
