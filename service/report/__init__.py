"""The report for people: words, charts, pages and PDF, made from a report reduced to its reader's view.

Imported by releases, routes and console. It gets the report as the reader may see it and asks for nothing more: it
reads no database.
"""
