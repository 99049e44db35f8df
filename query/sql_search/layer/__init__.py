"""Tables as they are asked for: what can be tabulated, how a request is read, and its SQL."""
