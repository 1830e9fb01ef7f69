"""What is kept of calls, where a site asks for it: encrypted, for so many days, and erasable."""
