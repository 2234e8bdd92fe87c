"""Access: who is calling, what their role permits, what they did before, and what they may see.

`permissions` is the table of who may call which operation, such as withdrawing a release; a route without a row there
does not start. Nothing here reads a dataset.
"""
