"""The phrases of a request, read from its tokens one kind after the other."""
