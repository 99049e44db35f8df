"""What the index holds of the names in a question: by term, by value, by name of a virus."""
