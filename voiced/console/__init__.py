"""The console page: a call from the browser, with captions and the latency of each turn."""
