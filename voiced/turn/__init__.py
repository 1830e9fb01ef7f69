"""Whose turn is it? Pure: no clock, no I/O, no thread."""
