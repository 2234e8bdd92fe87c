"""Mechanisms: whether the chances that a release was drawn by give the promised epsilon.

Imported by the judges and by `temporal`. They never estimate a chance from data.
"""
