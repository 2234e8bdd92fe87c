"""Masking: methods that change values instead of generalizing, chains of steps, pseudonyms, and the account of both.

Imported by methods and the rooms above.
"""
