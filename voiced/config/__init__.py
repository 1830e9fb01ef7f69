"""Files and environment in, frozen dataclasses out; the only reader of both."""
