"""The console: pages for people, with their templates and static files.

Imported by the application alone. A page calls the API as its visitor (`visit`) and knows nothing else; `pages`
renders.
"""
