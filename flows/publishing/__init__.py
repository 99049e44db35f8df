"""Publishing an index: whether it lost too much, and what the builds before it noted."""
