"""Models that stay resident, and the threads that run them."""
