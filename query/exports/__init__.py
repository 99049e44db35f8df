"""The index as files for other programs: tables, graphs, notes."""
