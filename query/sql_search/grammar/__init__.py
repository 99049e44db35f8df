"""A grammar of tables: groups, numbers of each with a condition of their own, thresholds, order."""
