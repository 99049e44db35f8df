"""A reading that a model proposes where rules refuse a question, and what it must keep."""
