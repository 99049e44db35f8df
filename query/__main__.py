"""``python -m query``: the same as the console script."""

from query.cli.app import main

main()
