"""The operator's verbs: each parses, calls one thing, prints and exits."""
