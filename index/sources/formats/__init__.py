"""One module per format of tables that a build can read, and what several of them share."""
