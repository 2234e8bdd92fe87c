"""Temporal graphs: guarantees in each snapshot, over all of them, and by mechanism.

Imported by `verifier.check` alone. Nothing below knows that there are snapshots.
"""
