"""Bodies about what comes out: releases, reports, comparisons, and the catalogue of parts.

Imported by routes. What a role may see of them is decided in `service.releases`.
"""
