"""Messages on the queue: the name of the task and a job's id, nothing else."""

TASK = "antifaz.run"
"""The one task that workers know; its only argument is the job's id."""
QUEUES = ("small", "large")
CHANNEL = "antifaz_jobs"
"""PostgreSQL notification channel; the payload is the id of the job that changed."""
