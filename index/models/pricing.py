"""What tokens cost: list prices from ``prices.toml``, US dollars per million tokens."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PRICES: Final = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def cost_usd(self, *, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what the tokens cost.

        >>> round(Price(0.4, 1.6).cost_usd(prompt_tokens=1_000_000, completion_tokens=500_000), 2)
        1.2
        """
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


FREE: Final = Price(0.0, 0.0)


def price_of(model: str, *, local: bool) -> Price | None:
    """Return the price of ``model``, free on this machine, None where it is not known.

    >>> price_of("gpt-4.1-mini-2025-04-14", local=False).input, price_of("unheard-of", local=False)
    (0.4, None)
    """
    if local:
        return FREE
    known = [name for name in _prices() if model.startswith(name)]
    return _prices()[max(known, key=len)] if known else None


def budget_tokens(budget: str, model: str, *, local: bool) -> int | None:
    """Return how many tokens ``budget`` pays for at the higher of the two prices; None: any number.

    ``budget`` is a number of tokens (``500000``) or of US dollars (``2.50USD``). A free model has
    no limit in dollars. Raises ``ValueError`` where it is neither, or in dollars while the price of
    ``model`` is not known.

    >>> budget_tokens("500_000", "any", local=False)
    500000
    >>> budget_tokens("1 USD", "gpt-4.1-mini", local=False)
    625000
    """
    dollars = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:USD)", budget, re.IGNORECASE)
    if re.fullmatch(r"\d[\d_]*", budget):
        return int(budget)
    if dollars is None:
        raise ValueError(f"{budget!r} is neither tokens (500000) nor dollars (2.50USD)")
    price = price_of(model, local=local)
    if price is None:
        raise ValueError(
            f"the price of {model} is not in index/models/prices.toml: give the budget in tokens"
        )
    higher = max(price.input, price.output)
    if not higher:
        return None
    millions = float(dollars[1]) / higher
    return int(millions * 1e6)


@functools.cache
def _prices() -> dict[str, Price]:
    text = _PRICES.read_text(encoding="utf-8")
    listed = tomllib.loads(text)["models"]
    return {name: Price(**price) for name, price in listed.items()}
