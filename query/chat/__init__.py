"""A conversation: each question changes the reading of the one before."""
