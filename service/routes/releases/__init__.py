"""Routes of releases: downloads (`release_data`), lists and withdrawal (`releases`), reports, cards and portals."""
