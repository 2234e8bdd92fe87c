"""Readers: the bytes of a release and the JSON of a policy become columns, networks and timelines.

Imported by everything that judges. They judge nothing, share no code with the writers of `formats`, and know numbers
and texts only, never the types of a policy.
"""
