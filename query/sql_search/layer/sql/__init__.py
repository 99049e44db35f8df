"""SQL of tables: of runs by what they state and carry, and of stored rows."""
