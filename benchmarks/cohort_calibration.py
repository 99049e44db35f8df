"""Published marginals (``calibration.toml``) and draws from them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

FOLDER: Final = Path(__file__).resolve().parent
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Quantiles:
    """A distribution known at a few levels; between them it is taken as linear in the logarithm."""

    levels: Floats
    values: Floats

    def draw(self, uniform: Floats) -> Floats:
        """Return the quantile at each level in ``uniform`` (0-1)."""
        return np.exp(np.interp(uniform, self.levels, np.log(self.values)))

    def distance(self, drawn: Floats) -> float:
        """Return the Kolmogorov-Smirnov distance of a sample to this distribution, at the known
        levels.

        Where one value spans several levels (as 1 does in counts), any share between them agrees.
        """
        ordered = np.sort(drawn)
        at_most = np.searchsorted(ordered, self.values, side="right") / len(ordered)
        below = np.searchsorted(ordered, self.values, side="left") / len(ordered)
        return float(
            np.max(np.maximum(np.maximum(self.levels - at_most, below - self.levels), 0.0))
        )


@dataclass(frozen=True)
class Calibration:
    """Distributions by name, single shares, and the published size of the real graph."""

    quantiles: dict[str, Quantiles]
    shares: dict[str, float]
    published: dict[str, int]


def read_calibration(path: Path = FOLDER / "calibration.toml") -> Calibration:
    """Return the marginals at ``path``."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    levels = np.array(raw["levels"])
    quantiles = {
        name: Quantiles(levels, np.array(values)) for name, values in raw["quantiles"].items()
    }
    return Calibration(quantiles, raw["shares"], raw["published"])
