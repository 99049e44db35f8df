"""Other ways of answering from the same reports, beside the product on the same questions."""
