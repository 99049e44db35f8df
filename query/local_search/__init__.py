"""Questions answered from what surrounds the names in the graph: triples with counts, p and q."""
