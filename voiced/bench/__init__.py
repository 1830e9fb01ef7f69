"""Measurements that compare ours with a baseline in one run.

`voiced bench NAME` imports `voiced.bench.NAME` and calls its `run(options)`, which returns the JSON
object that is printed.
"""
