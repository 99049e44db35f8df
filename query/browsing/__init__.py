"""Communities, associations and terms as the index stores them."""
