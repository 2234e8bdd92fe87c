"""Accounts of differential privacy: budgets, charges, grants and their signed anchors.

Imported by the audit and by processes. `ledger` takes a charge, which is committed before any noise is drawn and never
taken back; `service.jobs.charges` decides what is charged.
"""
