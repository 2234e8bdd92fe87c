"""Operations across rooms, each in one transaction or one query: submit, sweep, prove that messages are taken, look up
by key.

Imported by processes alone. `sweeping` queues again or ends jobs that lost their worker; `submissions` writes a job
with all that belongs to it.
"""
