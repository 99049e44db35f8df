"""What a rank and a threshold cost a graph of k-mer profiles: size, communities, and what is lost.

    python -m benchmarks.stat_graph --ontologies ../shared/data/ontologies --hits stat.parquet
    python -m benchmarks.stat_graph --ontologies ../shared/data/ontologies --runs 20000

Profiles are those of ``--hits`` (run, curie, share) or drawn: each run has a dominant species, most
of them those of a few studied genera, and a tail of others; every taxon above is listed with the
k-mers of all below, as NCBI STAT lists it. For every rank and threshold the table has the edges,
taxa, runs with any edge, k-mers that the edges hold (mean over runs), communities of level 1 and how
well they keep the runs of a dominant species together. CPU seconds and memory are of this process.
"""

from __future__ import annotations

from typing import Final

RANKS: Final = ("", "phylum", "class", "order", "family", "genus", "species")
SHARES: Final = (0.001, 0.01, 0.05, 0.1)
SEED: Final = 1
