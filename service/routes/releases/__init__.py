"""Routes of releases: downloads (`release_data`), lists and withdrawal (`releases`), reports, cards and portals.

A download is answered from stored bytes that are authenticated chunk by chunk; who may call what is in
`service.access.permissions`.
"""
