"""The index file: built beside the published file, swapped in whole, opened read-only."""
