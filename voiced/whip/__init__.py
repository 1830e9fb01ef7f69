"""WHIP's HTTP shape (RFC 9725) for plain media clients."""
