"""Answers from the whole index: counted sentences, the communities behind them, interpretation."""
