"""The index file: built next to the published file, swapped in whole, opened read-only."""
