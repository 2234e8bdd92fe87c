"""Releases as they are answered: files, bundles, descriptions, harvesting, and what each role sees of a report.

Imported by routes and uploads. What contains data has the roles of data. `descriptions` gathers the facts for metadata;
their profiles are in `metadata.profiles`.
"""
