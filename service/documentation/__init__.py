"""The documentation at ``/docs``: guides and reference from the Markdown files of docs/, operations from OpenAPI."""
