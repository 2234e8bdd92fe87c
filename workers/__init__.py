"""The Celery workers: the only processes that read originals."""

import os

# A process works on one job, and there are as many processes as cores: threads of linear algebra would only wait for
# each other, and burn the time of other jobs while they do. It counts only if it is said before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
