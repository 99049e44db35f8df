"""Questions answered by SQL that is shown: compiled from a reading or written in stages by a model,
checked, and run with read-only access.
"""
