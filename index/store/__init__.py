"""The index file: built beside the published one, swapped in atomically, opened read-only by
readers.
"""
