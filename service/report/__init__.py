"""The report as people read it: words, charts, pages and PDF, from a report that was cut to its reader's view."""
