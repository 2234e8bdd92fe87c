"""The pure middle: from the bytes of a dataset and a policy to the bytes of a release and their verification.

The workers and the library of `import antifaz` use the same code. It imports neither storage, workers, SQLAlchemy nor a
clock: callers bring the bytes, the limits and the watch.
"""
