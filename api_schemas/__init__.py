"""Data that crosses a process boundary: HTTP bodies, queue messages, the committed OpenAPI document.

Imported by the service, the workers and the courier. It reads no database; JSON is read strictly (`strict_json`).
"""
