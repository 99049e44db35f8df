"""A question answered from the whole index: matching runs, triage, points, answer."""
