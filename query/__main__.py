"""``python -m query``: the same as the console script."""

from query.cli import main

main()
