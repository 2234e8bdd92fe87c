"""The web process: FastAPI over the storage. It can neither read a stored original nor compute on one.

Nothing imports it. `app` puts the rooms together; each operation is in a module of `routes`, and who may call it in
`access.permissions`.
"""
