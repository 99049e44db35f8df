"""The weighted graph of runs and what they are linked to, and its hierarchy of communities."""
