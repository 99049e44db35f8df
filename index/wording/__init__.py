"""What a model adds to reports: interpretation, and its cost."""
