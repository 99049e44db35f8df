"""Passages found by words and by meaning: reports, findings, studies, terms, documents."""
