"""What names a community: its title, the subject of the title, its label."""
