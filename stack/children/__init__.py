"""Child processes: starting, hearing, replacing and stopping them, also if their parent dies.

Imported by the rest of the stack. It knows no server.
"""
