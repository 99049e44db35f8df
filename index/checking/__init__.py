"""The check of every sentence: its citations, numbers and names against the evidence."""
