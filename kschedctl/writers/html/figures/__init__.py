"""The pictures of a page, a kind a file."""
