"""The names of a community: its title, the subject of the title, its label."""
