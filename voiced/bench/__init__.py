"""Measurements that compare ours with a baseline in one run."""
