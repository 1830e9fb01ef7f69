"""What Sonic and Ink have in common: one vendor's API, over WebSockets."""
