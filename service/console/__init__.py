"""The console: pages for people, with their templates and static files."""
