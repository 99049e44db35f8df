"""The way of asking chosen for a question, by its reading; several for one that asks several."""
