"""Whether everything an index needs is in place, and if not, the next command."""
