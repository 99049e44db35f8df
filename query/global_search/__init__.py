"""Answers from the whole index: what communities say of a request; map and reduce by a model."""
