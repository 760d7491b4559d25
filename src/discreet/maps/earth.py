"""Longitudes and latitudes: one name for each point on earth, and where it lies in space.

Rules of this module:
- a longitude is taken around the earth, from -180 up to but not 180: 190 is -170, and 180 is -180;
  beyond 360 either way it is none, because it is no angle that a map program writes;
- a pole is one point, whatever the longitude;
- what is done with a point depends on that point alone.
"""

import math

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

PLACES = 7  # decimals of a degree: about a centimeter
_RADIUS = 6_371_008.8  # mean radius in meters
_TURN = 360.0


def is_on_earth(lon: Doubles, lat: Doubles) -> NDArray[np.bool_]:
    """Tell which longitudes and latitudes are points on earth."""
    with np.errstate(invalid="ignore"):
        return (np.abs(lon) <= _TURN) & (np.abs(lat) <= 90)


def around(lon: Doubles) -> Doubles:
    """Return longitudes from -180 up to but not 180.

    Example:
        >>> around(np.array([190.0, 180.0, -180.0, 12.5])).tolist()
        [-170.0, -180.0, -180.0, 12.5]
    """
    half = _TURN / 2
    with np.errstate(invalid="ignore"):
        return np.where((lon >= -half) & (lon < half), lon, np.mod(lon + half, _TURN) - half)


def named(places: Doubles) -> Doubles:
    """Return places on earth as they are named: rounded, and each point in one way only."""
    lon, lat = np.round(np.array(places, dtype=float), PLACES).T
    lon = np.round(around(lon), PLACES)
    lon = np.where(np.abs(lat) == 90, 0.0, lon)
    return np.stack([lon, lat], axis=1) + 0.0  # no -0


def offset_east(lon: Doubles, west: float) -> Doubles:
    """Return how far east of a longitude others are, in degrees from 0 up to 360."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.mod(lon - west, _TURN), dtype=float)


def in_space(places: Doubles) -> Doubles:
    """Return places as points in space, in meters: near by, a chord is as long as its arc."""
    lon, lat = np.radians(places[:, 0]), np.radians(places[:, 1])
    flat = np.cos(lat)
    points = np.stack([flat * np.cos(lon), flat * np.sin(lon), np.sin(lat)], axis=1)
    return np.asarray(_RADIUS * points, dtype=float)


def meters(places: Doubles) -> Doubles:
    """Return places as they are drawn: x and y in meters, true in the middle of the map.

    The map is cut open where no place is for longest, so that one over the antimeridian is whole.
    """
    lon, lat = places.T
    middle = math.cos(math.radians(float(lat.mean())))
    flat = np.stack([_unrolled(lon), lat], axis=1)
    return np.asarray(np.radians(flat) * _RADIUS * (middle, 1.0), dtype=float)


def _unrolled(lon: Doubles) -> Doubles:
    inside = np.sort(lon)
    gaps = np.diff(inside)
    if not gaps.size or gaps.max() <= _TURN - (inside[-1] - inside[0]) + 1e-6:
        return lon
    west = inside[1:][gaps.argmax()]
    return np.where(lon < west, lon + _TURN, lon)
