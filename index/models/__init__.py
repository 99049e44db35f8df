"""Models behind one protocol: endpoints, the embedded model, vectors, cached answers."""
