"""Reports of communities: facts counted in SQL and template sentences with their citations."""
