"""Questions answered from NCBI's own databases: E-utilities and BLAST, live or replayed."""
