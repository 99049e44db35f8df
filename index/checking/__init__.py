"""What a model's own prose may hold, and where sentences end."""
