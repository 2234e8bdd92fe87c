"""Submitting work: jobs, comparisons and questions, with their charges.

`submission` is the only way to submit a job; `charges` takes what jobs and questions cost from the budget. Nothing here
reads an original.
"""
