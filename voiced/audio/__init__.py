"""PCM arithmetic; numpy only."""
