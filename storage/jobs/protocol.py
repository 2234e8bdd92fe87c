"""The job protocol shared by all processes: the task and its queues, the notification channel, the states.

A message on a queue is the task's name and a job's id, nothing else.
"""

TASK = "antifaz.run"
"""The only task of the workers; its only argument is the job's id."""
SMALL, LARGE, FAST = "small", "large", "fast"
QUEUES = (SMALL, LARGE, FAST)
"""Jobs by the size of their datasets; questions have their own queue, so that they do not wait for releases."""
DELIVERIES, UPKEEP = "deliveries", "upkeep"
"""Work that is not sent through the broker: the courier's calls, and the sweeper's messages and leases."""
CHANNEL = "antifaz_jobs"
"""PostgreSQL notification channel; the payload is the id of the job that changed."""
QUEUED = "queued"
HELD = ("running", "verifying")
"""A worker holds the job."""
TERMINAL = ("released", "assessed", "refused", "failed", "cancelled", "done")
"""The job has ended and stays so."""
STATES = (QUEUED, *HELD, *TERMINAL)
