"""The command line: thin commands over the functions of ``query``."""
