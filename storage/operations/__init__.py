"""Operations across rooms, each in one transaction or one query: submit, sweep, prove that messages are taken, look up
by key.

Imported by processes alone.
"""
