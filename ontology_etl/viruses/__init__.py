"""Viruses of NCBI Taxonomy: which taxa are one virus, and what each is called."""
