"""Records of runs fetched from NCBI: RunInfo, BioSample XML and BioProject texts, by accession."""
