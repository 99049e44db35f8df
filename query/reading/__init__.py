"""What a question asks: the terms it names, the facets it asks for, and the nearest names."""
