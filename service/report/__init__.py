"""The report for people: words, charts, pages and PDF, made from a report reduced to its reader's view."""
