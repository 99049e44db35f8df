"""Which questions no mode answers, decided from their words before anything is searched."""
