"""What a model adds to reports: interpretation, and what that takes."""
