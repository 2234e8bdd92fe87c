"""The web process: FastAPI over the storage; it can neither read a stored original nor compute on one."""
