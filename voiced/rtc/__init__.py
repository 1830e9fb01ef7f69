"""The network edge; the only home of aiortc and libopus."""
