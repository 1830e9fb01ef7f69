"""A language model on another machine, over an OpenAI-compatible HTTP interface."""
