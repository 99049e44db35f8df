"""What a model's own prose may contain, and where sentences end."""
