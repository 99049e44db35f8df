"""Timings beside peers, and the synthetic cohorts they run on."""
