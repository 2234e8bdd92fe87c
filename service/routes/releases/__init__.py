"""Routes of releases: files, reports, cards, portals."""
