"""The headline of an answer: what was asked, worded from exact counts of the matching runs."""
