"""Submitting work: jobs, comparisons and questions, with their charges.

`submission` is the only way to submit a job; `charges` charges jobs and questions to the privacy budget, which
`storage.accounts.ledger` keeps. Nothing here reads an original.
"""
