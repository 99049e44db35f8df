"""The command ``virome``: every command of the program under one name."""
