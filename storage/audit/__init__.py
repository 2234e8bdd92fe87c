"""The audit: appending to the chain, verifying it, and looking for rows without the code that their table needs.

Imported by operations and processes. Every table is listed in `coverage` with the reason why it can be believed.
"""
