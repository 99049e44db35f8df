"""The stages of a build: what each reads and writes, and which are skipped."""
