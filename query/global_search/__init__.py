"""Answers from the whole index: communities, reports and associations for the runs of a request;
map and reduce with a model.
"""
