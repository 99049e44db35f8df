"""Answers to questions about the communities of runs, and about the graph behind them."""
