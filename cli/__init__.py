"""The command line: starts the embedded stack, and a client of the API."""
