"""The Celery workers: the only processes that read originals."""
