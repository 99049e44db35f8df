"""The index in a browser: the pages of the atlas, live, with a question box and a JSON
interface.
"""
