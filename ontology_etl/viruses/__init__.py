"""Viruses of NCBI Taxonomy: which taxa are one virus, and the names of each."""
