"""Questions answered from the index: ranked, cited, checked against the database."""
