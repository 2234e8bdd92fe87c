"""Bodies about what comes out: releases, reports, comparisons, and the catalogue of parts."""
