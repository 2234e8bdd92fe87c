"""The documentation at ``/docs``: guides and reference from the Markdown files of docs/, operations from OpenAPI.

Imported by the console and the routes. `sources` lists the pages; it shows no raw HTML and reads no database.
"""
