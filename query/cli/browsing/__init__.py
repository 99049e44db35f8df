"""Commands that show what is stored."""
