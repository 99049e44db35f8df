"""Vectors of viruses, learned from what they are found with, and pairs that these predict."""
