"""The slots of a table, filled from the phrases of a request."""
