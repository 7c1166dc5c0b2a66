"""How a side that drives on shares its troops among the cities that it wants: each draws as many as it is worth, wherever they stand.

Without that all go to what is nearest, and nobody to what is worth most. A price is what a city loses of its draw, in hexes of way.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

HEAT = 2.0  # hexes of way by which troops clearly prefer one city to another
ROUNDS = 12  # steps towards equal shares
MOST_GAIN, MOST_PRICE = 10.0, 2.0  # hexes: what a city gains at most whose share is wanting, and loses that draws too many

Numbers = npt.NDArray[np.float64]


def prices(draws: Numbers, worths: Numbers, strengths: Numbers) -> Numbers:
    """Return what each city loses of its draw, or gains (below 0), so that the strength drawn to each is in proportion to its worth.

    Args:
        draws: float64[cities, units], how strongly each city draws each unit, in hexes.
        worths: float64[cities].
        strengths: float64[units].
    """
    wanted = worths / worths.sum() * strengths.sum()
    found = np.zeros(len(worths))
    for _ in range(ROUNDS):
        left = draws - found[:, None]
        drawn = np.exp((left - left.max(axis=0)) / HEAT)
        load = (drawn / drawn.sum(axis=0)) @ strengths
        found = np.clip(found + HEAT * np.log((load + 1.0) / (wanted + 1.0)), -MOST_GAIN, MOST_PRICE)
    return found
