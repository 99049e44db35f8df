"""The index in a browser: the atlas, live, with a question box and a JSON interface."""
