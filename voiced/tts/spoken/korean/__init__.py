"""Korean: to be read by its own rules."""


def read(text: str) -> str:
    """The text with its written forms spelled out."""
    return text
