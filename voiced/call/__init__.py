"""One caller, from offer to close."""
