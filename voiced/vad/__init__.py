"""Is this speech?"""
