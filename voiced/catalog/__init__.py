"""Which model files there are, where they come from, and whether they are intact."""
