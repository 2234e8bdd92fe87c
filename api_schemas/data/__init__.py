"""Bodies about what comes in: datasets, policies, hierarchies, questions, jobs and where results go."""
