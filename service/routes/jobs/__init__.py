"""Routes of jobs and comparisons, and of webhooks that report their ends."""
