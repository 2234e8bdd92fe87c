"""The processes: Celery's app and its one task, the sweeper, turns, signs of life, and the compilation of kernels.

Imported by nothing. What they do to data is in the rooms below; what the `sweeper` does to jobs that lost their worker
is in `storage.operations.sweeping`.
"""
