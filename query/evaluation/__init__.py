"""Measure how often questions are answered right, by questions whose requests are known."""
