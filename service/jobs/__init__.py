"""Submitting work: jobs, comparisons and questions, with their charges.

`submission` is the only way to submit a job. Nothing here reads an original.
"""
