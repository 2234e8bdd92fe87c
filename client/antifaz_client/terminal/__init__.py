"""What commands share: the connection of a person at a terminal, what is printed, and known keys of services.

Imported by commands alone.
"""
