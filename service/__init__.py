"""The web process: FastAPI over the storage. It can neither read a stored original nor compute on one."""
