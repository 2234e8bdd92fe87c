"""Readers: the bytes of a release and the JSON of a policy become columns, networks and timelines.

Imported by everything that judges. They judge nothing, and share no code with the writers of `formats`.
"""
