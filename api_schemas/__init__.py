"""Data that crosses a process boundary: HTTP bodies, queue messages, the committed OpenAPI document."""
