"""Who did what, and when: an append-only, sealed record of it. Never what was said."""
