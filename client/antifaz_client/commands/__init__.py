"""The commands of `antifaz`, one module each.

They use the client and `terminal`, and nothing of the service.
"""
