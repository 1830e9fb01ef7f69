"""Text to sound."""
