"""The atlas: one HTML page of a whole index that opens from disk, without a network."""
