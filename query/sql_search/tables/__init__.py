"""Tables asked for in words: what their rows are, what is measured, and the SQL of both."""
