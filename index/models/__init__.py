"""Models behind one protocol: endpoints, the embedded model, vectors, answers already paid for."""
