"""Questions with known answers, what the product answers to them, and the scorecard of both."""
