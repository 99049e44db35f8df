"""The script of the live pages."""
