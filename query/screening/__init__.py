"""What no mode answers, decided from the words of a question before anything is searched."""
