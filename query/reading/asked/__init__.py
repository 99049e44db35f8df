"""What a question asks, once its names are known: its frame, the parts of its names, the rest."""
