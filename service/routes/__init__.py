"""One module for each resource of the HTTP API.

Found by walking. A module reads the request, calls the rooms below and `storage`, and answers; it decides no
permission (`service.access.permissions`).
"""
