"""Cartesia's Ink: a recogniser elsewhere, which is told when a turn may be over."""
