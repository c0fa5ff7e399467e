"""Benchmarks: how quick the hub is, beside raw SQLite doing the same in the same run."""
