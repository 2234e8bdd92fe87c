"""Policies and descriptions of data as they come in and as they may be shown.

Imported by jobs, uploads and routes. No answer repeats a value of a policy that did not fit.
"""
