"""Accounts of differential privacy: budgets, charges, grants and their signed anchors.

Imported by the audit and by processes. A charge is committed before any noise is drawn, and is never taken back.
"""
