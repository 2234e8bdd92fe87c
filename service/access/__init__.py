"""Access: who is calling, what their role permits, what they did before, and what they may see.

A route without a row in `permissions` does not start. Nothing here reads a dataset.
"""
