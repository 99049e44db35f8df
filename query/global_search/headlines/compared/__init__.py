"""Groups of runs, or viruses, compared: what differs, what they share, and whether it holds."""
