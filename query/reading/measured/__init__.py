"""What a question asks of numbers and of how runs were made: thresholds, risk groups, years."""
