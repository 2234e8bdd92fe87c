"""The Celery workers: the only processes that read originals.

Nothing imports them. `process.tasks` claims a job, `pipeline.pipeline` makes a release of it, `tasks` has jobs that end
without one.
"""

import os

# A process works on one job, and there are as many processes as cores: threads for linear algebra would only wait for
# each other, and take time from other jobs meanwhile. It has an effect only if it is set before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
