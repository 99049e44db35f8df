"""Whether a question with words that mean nothing here asks what counts can tell."""
