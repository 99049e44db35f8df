"""Which stretches of a text are names: of terms, of viruses, of neither."""
