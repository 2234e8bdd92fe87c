"""One module for each resource of the HTTP API."""
