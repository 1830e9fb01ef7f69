"""Text to reply."""
