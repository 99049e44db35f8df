"""Values listed or counted: those of most runs first, and what is not stated."""
