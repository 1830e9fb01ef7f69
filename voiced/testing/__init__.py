"""Fakes and a caller that ship with the code; nothing below imports them."""
