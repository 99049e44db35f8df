"""How often questions are answered right: questions with known requests, asked of an index."""
