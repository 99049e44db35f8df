"""Whether what an index needs is in place, and the next command where something is not."""
