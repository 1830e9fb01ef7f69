"""The operator's door: a UNIX socket of the daemon's, and the verbs that go through it."""
